#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <fltr/concepts/metric.hpp>
#include <fltr/core/error.hpp>
#include <fltr/metrics/gain.hpp>

namespace fltr {

/// 1 / rank of the first relevant document within the cutoff, 0 if there is none; its mean over queries is MRR.
struct ReciprocalRank {
  std::size_t cutoff = 10;
  Grade relevant_from = 1;
  EmptyQuery empty = EmptyQuery::skip;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    if (list.ideal.empty() || list.ideal.front() < relevant_from) return value_of(empty);
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] >= relevant_from) return 1.0 / static_cast<double>(i + 1);
    return 0.0;
  }
};
static_assert(Metric<ReciprocalRank>);

/// MaxRR (Radlinski et al. 2008): 1 / rank of the highest click, 0 without a click. `grades` are the clicks.
struct MaxRr {
  std::size_t cutoff = 10;

  [[nodiscard]] double measure(RankedList clicks) const {
    auto const seen = first_ranks(clicks.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] != 0) return 1.0 / static_cast<double>(i + 1);
    return 0.0;
  }
};
static_assert(Metric<MaxRr>);

/// The expectation of MaxRR under a cascade click model, in closed form: a user who never leaves without a click makes
/// the first one at rank r with probability p_r Π_{j<r} (1 − p_j). Lists without anything relevant count too: they get
/// clicks.
struct ExpectedMaxRr {
  std::vector<double> click_probability;  ///< by grade
  std::size_t cutoff = 10;

  [[nodiscard]] double measure(RankedList list) const {
    double expected = 0.0;
    double none_so_far = 1.0;
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      require(seen[i] < click_probability.size(), "ExpectedMaxRr", "a click probability for every grade", int{seen[i]});
      double const p = click_probability[seen[i]];
      expected += none_so_far * p / static_cast<double>(i + 1);
      none_so_far *= 1.0 - p;
    }
    return expected;
  }
};
static_assert(Metric<ExpectedMaxRr>);

/// ERR (Chapelle et al. 2009): a user stops at a document of grade g with probability (2^g − 1) / 2^highest_grade;
/// Σ_r P(stops at r) / r.
struct ExpectedReciprocalRank {
  std::size_t cutoff = 10;
  Grade highest_grade = 4;
  EmptyQuery empty = EmptyQuery::zero;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    if (list.ideal.empty() || list.ideal.front() == 0) return value_of(empty);
    require(list.ideal.front() <= highest_grade, "ExpectedReciprocalRank", "grades up to highest_grade",
            int{list.ideal.front()});
    double expected = 0.0;
    double still_here = 1.0;
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      double const stops = gain_of(seen[i], Gain::exponential) / std::exp2(static_cast<double>(highest_grade));
      expected += still_here * stops / static_cast<double>(i + 1);
      still_here *= 1.0 - stops;
    }
    return expected;
  }
};
static_assert(Metric<ExpectedReciprocalRank>);

}  // namespace fltr
