#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <fltr/concepts/metric.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/first_ranks.hpp>
#include <fltr/metrics/gain.hpp>
#include <fltr/metrics/no_relevant_documents.hpp>

namespace fltr {

/// Expected reciprocal rank, ERR (Chapelle et al. 2009): Σ_r P(a user stops at rank r) / r. A user who reaches a
/// document of grade g stops there with probability (2^g − 1) / 2^highest_grade.
struct ExpectedReciprocalRank {
  std::size_t cutoff = 10;
  Grade highest_grade = 4;
  NoRelevantDocuments empty = NoRelevantDocuments::zero;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    if (list.ideal.empty() || list.ideal.front() == 0) return value_of(empty);
    if (list.ideal.front() > highest_grade) [[unlikely]]
      throw_requirement("ExpectedReciprocalRank", "grades up to highest_grade = " + std::to_string(int{highest_grade}),
                        int{list.ideal.front()});
    double expected = 0.0;
    double still_here = 1.0;
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      double const stops = gain_of(seen[i], Gain::exponential) / std::ldexp(1.0, highest_grade);
      expected += still_here * stops / static_cast<double>(i + 1);
      still_here *= 1.0 - stops;
    }
    return expected;
  }
};
static_assert(Metric<ExpectedReciprocalRank>);

}  // namespace fltr
