#include "comparison.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>

#include <fmt/core.h>

#include "table.hpp"

namespace fltr::examples {

namespace {

/// Throws if `a` has a query that `b` has not.
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

/// A difference with four decimals and its sign, but no sign for what is rounded to 0.
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

  // Both maps have the same keys, so they go through them in the same order: fold by fold.
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
