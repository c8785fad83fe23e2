#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/metrics/paired_test.hpp>

#include "query_results.hpp"

namespace fltr::examples {

/// Two methods on the same test queries or runs.
struct Comparison {
  std::size_t fold = 0;  ///< 0: all folds
  double mean_a = 0;
  double mean_b = 0;
  PairedTest test;  ///< of a − b; for a single pair the interval, t and p are NaN
};

/// Pairs the queries. The first row has all queries; if there are several folds, each fold has another row. The tests
/// are conditional on the trained models: they do not cover the variation between seeds. Throws if there is no query,
/// or if one side has a query that the other side does not have.
[[nodiscard]] std::vector<Comparison> compare_queries(QueryResults const& a, QueryResults const& b);

/// A comparison over the seeds that both sides have.
struct SeedComparison {
  std::size_t folds = 0;  ///< folds of each seed
  Comparison seeds;       ///< one pair per seed: the means of its runs over the folds
};

/// Compares both sides seed by seed. Folds of one seed are not independent, so the runs of a seed are averaged over the
/// folds first, and the number of pairs is the number of seeds. Seeds that lack a fold on one side are left out.
/// std::nullopt if fewer than two seeds remain.
[[nodiscard]] std::optional<SeedComparison> compare_seeds(QueryResults const& a, QueryResults const& b);

/// The lines below the table: what p depends on, and the test over seeds if there is one.
[[nodiscard]] std::string seed_text(std::optional<SeedComparison> const& comparison);

/// The rows as a table. `name_a`, `name_b`: column titles.
[[nodiscard]] std::string comparison_table(std::vector<Comparison> const& rows, std::string const& name_a,
                                           std::string const& name_b, bool utf8);

}  // namespace fltr::examples
