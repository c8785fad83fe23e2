#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace fltr::examples {

/// The first line of queries.csv, which holds nDCG@10 of every test query after the last round of every run. Queries
/// that the metric skips, those without a relevant document, are left out.
inline constexpr std::string_view query_columns = "run,seed,fold,qid,ndcg10";

/// A test query. Folds may use the same names for different queries.
struct QueryKey {
  std::size_t fold = 1;
  std::string qid;
  friend auto operator<=>(QueryKey const&, QueryKey const&) = default;
};

/// What a queries.csv says.
struct QueryResults {
  std::filesystem::path file;
  std::size_t runs = 0;
  std::map<QueryKey, double> ndcg10;  ///< mean over the runs of the query's fold
};

/// Reads the file. Throws, with the number of the line, where it is not what Recorder writes; also where a query is not
/// in every run of its fold, since its mean would be one over other seeds.
[[nodiscard]] QueryResults read_query_results(std::filesystem::path const& file);

}  // namespace fltr::examples
