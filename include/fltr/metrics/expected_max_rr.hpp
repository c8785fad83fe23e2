#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fltr/concepts/metric.hpp>
#include <fltr/core/error.hpp>
#include <fltr/metrics/first_ranks.hpp>

namespace fltr {

/// The expectation of MaxRR under a cascade click model, in closed form: a user who leaves only after a click makes the
/// first click at rank r with probability p_r Π_{j<r} (1 − p_j). No query is skipped: lists without a relevant document
/// get clicks, too.
struct ExpectedMaxRr {
  std::vector<double> click_probability;  ///< by grade
  std::size_t cutoff = 10;

  [[nodiscard]] double measure(RankedList list) const {
    double expected = 0.0;
    double none_so_far = 1.0;
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] >= click_probability.size()) [[unlikely]]
        throw_requirement(
            "ExpectedMaxRr",
            "grades below " + std::to_string(click_probability.size()) + ", the size of click_probability",
            int{seen[i]});
      double const p = click_probability[seen[i]];
      expected += none_so_far * p / static_cast<double>(i + 1);
      none_so_far *= 1.0 - p;
    }
    return expected;
  }
};
static_assert(Metric<ExpectedMaxRr>);

}  // namespace fltr
