#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fltr::examples {

/// A metric that queries.csv has of every test query.
struct QueryMetric {
  std::string_view column;
  std::string_view name;  ///< for people
};
inline constexpr std::array<QueryMetric, 4> query_metrics{
    {{"ndcg10", "nDCG@10"}, {"ndcg5", "nDCG@5"}, {"ap", "AP"}, {"mrr10", "MRR@10"}}};

/// `query_metrics` of one query, in that order; nothing where a metric skips the query.
using QueryValues = std::array<std::optional<double>, query_metrics.size()>;

/// The first columns of queries.csv; the metrics follow. It has a line for every test query after the last round of
/// every run. Queries that nDCG@10 skips, those without a relevant document, are left out.
inline constexpr std::string_view query_columns = "run,seed,fold,qid";

/// A test query. Folds may use the same names for different queries.
struct QueryKey {
  std::size_t fold = 1;
  std::string qid;
  friend auto operator<=>(QueryKey const&, QueryKey const&) = default;
};

/// What a queries.csv says about one metric.
struct QueryResults {
  std::filesystem::path file;
  std::size_t runs = 0;
  std::map<QueryKey, double> values;  ///< mean over the runs of the query's fold
};

/// Reads one metric of the file, by the name of its column; there may be others than `query_metrics`. Throws, with the
/// number of the line, where the file is not as Recorder writes it or lacks the metric; also where a query is not in
/// every run of its fold, since its mean would be one over other seeds.
[[nodiscard]] QueryResults read_query_results(std::filesystem::path const& file, std::string_view metric = "ndcg10");

}  // namespace fltr::examples
