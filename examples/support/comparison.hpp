#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "query_results.hpp"
#include "summary_statistics.hpp"

namespace fltr::examples {

/// Two methods on the same queries.
struct Comparison {
  std::size_t fold = 0;  ///< 0: the queries of all folds
  double mean_a = 0;
  double mean_b = 0;
  PairedTest test;  ///< of a − b; of a single query, the interval, t and p are NaN
};

/// Pairs the queries: all of them in the first row and, where there are several folds, each fold in a row of its own.
/// Throws where there is no query, or one that only one side has.
[[nodiscard]] std::vector<Comparison> compare_queries(QueryResults const& a, QueryResults const& b);

/// The table of the rows for people; the names are those of the two sides.
[[nodiscard]] std::string comparison_table(std::vector<Comparison> const& rows, std::string const& name_a,
                                           std::string const& name_b, bool utf8);

}  // namespace fltr::examples
