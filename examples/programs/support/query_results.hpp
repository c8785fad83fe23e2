#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fltr::examples {

/// A metric in queries.csv.
struct QueryMetric {
  std::string_view column;
  std::string_view name;  ///< in the output
};
inline constexpr std::array<QueryMetric, 4> query_metrics{
    {{"ndcg10", "nDCG@10"}, {"ndcg5", "nDCG@5"}, {"ap", "AP"}, {"mrr10", "MRR@10"}}};

/// The values of `query_metrics` of one query, in that order; std::nullopt where a metric skips the query.
using QueryValues = std::array<std::optional<double>, query_metrics.size()>;

/// The first columns of queries.csv, followed by the metrics. The file has a line for every test query after the last
/// round of every run. Queries without a relevant document, which nDCG@10 skips, are left out.
inline constexpr std::string_view query_columns = "run,seed,fold,qid";

/// A test query. Folds may use the same names for different queries.
struct QueryKey {
  std::size_t fold = 1;
  std::string qid;
  friend auto operator<=>(QueryKey const&, QueryKey const&) = default;
};

/// A run: one training on a fold with a seed.
struct RunKey {
  std::size_t fold = 1;
  std::uint64_t seed = 0;
  friend auto operator<=>(RunKey const&, RunKey const&) = default;
};

/// One metric of a queries.csv.
struct QueryResults {
  std::filesystem::path file;
  std::size_t runs = 0;
  std::map<QueryKey, double> values;     ///< mean over the runs of the query's fold
  std::map<RunKey, double> run_means{};  ///< mean over the test queries of the run
};

/// Reads one metric of the file, by the name of its column, which need not be one of `query_metrics`. Throws, with the
/// number of the line, if the file is not as Recorder writes it or does not have the metric. Also throws if a query is
/// not in every run of its fold, because its mean would be over other seeds than the means of the other queries.
[[nodiscard]] QueryResults read_query_results(std::filesystem::path const& file, std::string_view metric = "ndcg10");

}  // namespace fltr::examples
