#include "comparison.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include <fmt/core.h>

#include <fltr/metrics/significance.hpp>
#include <fltr/metrics/summary_statistics.hpp>

#include "table.hpp"

namespace fltr::examples {

namespace {

/// Throws if `a` has a query that `b` does not have.
void require_in_both(QueryResults const& a, QueryResults const& b) {
  QueryKey const* first = nullptr;
  std::size_t missing = 0;
  for (auto const& [query, value] : a.values)
    if (!b.values.contains(query)) {
      if (missing++ == 0) first = &query;
    }
  if (first == nullptr) return;
  throw std::runtime_error(
      fmt::format("the test queries differ, so they cannot be paired: {} of {} in {} are not in {} (the first is query "
                  "{} of fold {}); take two runs on the same data and folds",
                  missing, a.values.size(), a.file.string(), b.file.string(), first->qid, first->fold));
}

Comparison compared(std::size_t fold, std::span<double const> a, std::span<double const> b) {
  Comparison row{.fold = fold, .mean_a = mean(a), .mean_b = mean(b), .test = {}};
  if (a.size() > 1) {
    row.test = paired_t_test(a, b);
  } else {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    row.test = {.pairs = 1, .difference = a[0] - b[0], .low = none, .high = none, .t = none, .p = none};
  }
  return row;
}

/// A difference with its sign and four decimals. A value that is rounded to 0 has no sign.
std::string signed_text(double value) {
  std::string text = fmt::format("{:+.4f}", value);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;
}

}  // namespace

std::vector<Comparison> compare_queries(QueryResults const& a, QueryResults const& b) {
  for (QueryResults const* side : {&a, &b})
    if (side->values.empty())
      throw std::runtime_error(
          fmt::format("{} holds no query: no test query has a relevant document, or the program "
                      "that wrote it does not evaluate by query",
                      side->file.string()));
  require_in_both(a, b);
  require_in_both(b, a);

  // Both maps have the same keys in the same order, fold by fold.
  std::vector<double> values_a, values_b;
  std::map<std::size_t, std::size_t> fold_sizes;
  for (auto const& [query, value] : a.values) {
    values_a.push_back(value);
    ++fold_sizes[query.fold];
  }
  for (auto const& [query, value] : b.values) values_b.push_back(value);

  std::vector<Comparison> rows{compared(0, values_a, values_b)};
  if (fold_sizes.size() < 2) return rows;
  std::size_t begin = 0;
  for (auto const& [fold, size] : fold_sizes) {
    rows.push_back(compared(fold, std::span(values_a).subspan(begin, size), std::span(values_b).subspan(begin, size)));
    begin += size;
  }
  return rows;
}

std::optional<SeedComparison> compare_seeds(QueryResults const& a, QueryResults const& b) {
  struct OfSeed {
    std::vector<double> a, b;  // one value per fold
  };
  std::map<std::uint64_t, OfSeed> seeds;
  std::set<std::size_t> folds;
  for (auto const& [run, value] : a.run_means) {
    auto const other = b.run_means.find(run);
    if (other == b.run_means.end()) continue;
    seeds[run.seed].a.push_back(value);
    seeds[run.seed].b.push_back(other->second);
    folds.insert(run.fold);
  }
  std::vector<double> means_a, means_b;
  for (auto const& [seed, values] : seeds) {
    if (values.a.size() != folds.size()) continue;
    means_a.push_back(mean(values.a));
    means_b.push_back(mean(values.b));
  }
  if (means_a.size() < 2) return std::nullopt;
  return SeedComparison{.folds = folds.size(), .seeds = compared(0, means_a, means_b)};
}

std::string seed_text(std::optional<SeedComparison> const& comparison) {
  std::string text =
      "p is conditional on these trainings: it covers the choice of test queries, not the variation between seeds\n";
  if (!comparison)
    return text + "no test over seeds: it needs runs of both methods with at least 2 seeds in common (--repeats)\n";
  PairedTest const& test = comparison->seeds.test;
  std::string const folds =
      comparison->folds == 1 ? "" : fmt::format(", each the mean of its {} folds", comparison->folds);
  return text +
         fmt::format("over {} seeds{}: {:.4f} and {:.4f}, difference {}, 95 % interval {} to {}, t {:.2f}, p {:.3g}\n",
                     test.pairs, folds, comparison->seeds.mean_a, comparison->seeds.mean_b,
                     signed_text(test.difference), signed_text(test.low), signed_text(test.high), test.t, test.p);
}

std::string comparison_table(std::vector<Comparison> const& rows, std::string const& name_a, std::string const& name_b,
                             bool utf8) {
  Table table({"test set", "queries", name_a, name_b, "difference", "95 % interval", "t", "p"});
  for (Comparison const& row : rows) {
    PairedTest const& test = row.test;
    bool const tested = !std::isnan(test.p);
    table.add({row.fold == 0 ? "all" : fmt::format("fold {}", row.fold), std::to_string(test.pairs),
               fmt::format("{:.4f}", row.mean_a), fmt::format("{:.4f}", row.mean_b), signed_text(test.difference),
               tested ? fmt::format("{} to {}", signed_text(test.low), signed_text(test.high)) : "-",
               tested ? fmt::format("{:.2f}", test.t) : "-", tested ? fmt::format("{:.3g}", test.p) : "-"});
  }
  return table.text(utf8);
}

}  // namespace fltr::examples
