#pragma once

#include <cstddef>

#include <fltr/concepts/metric.hpp>
#include <fltr/metrics/first_ranks.hpp>

namespace fltr {

/// MaxRR (Radlinski et al. 2008): 1 / rank of the first click, 0 without a click. The list has clicks (0 or 1) in place
/// of grades.
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

}  // namespace fltr
