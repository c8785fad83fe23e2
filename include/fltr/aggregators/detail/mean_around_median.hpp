#pragma once

#include <cstddef>

#include <fltr/aggregators/detail/sorted_columns.hpp>

namespace fltr::detail {

/// The mean of the `kept` values nearest the median; of an even number of values the median is the mean of the two
/// middle ones. Of two values at the same distance the smaller is kept, so that the result does not depend on the order
/// of the rows. Requires 1 ≤ kept ≤ v.size().
[[nodiscard]] inline double mean_around_median(SortedColumn v, std::size_t kept) {
  std::size_t const n = v.size();
  double const median = 0.5 * (v[(n - 1) / 2] + v[n / 2]);
  // The values nearest the median are neighbours in the sorted order.
  std::size_t first = 0;
  while (first + kept < n && v[first + kept] - median < median - v[first]) ++first;
  double sum = 0.0;
  for (std::size_t j = first; j < first + kept; ++j) sum += v[j];
  return sum / static_cast<double>(kept);
}

}  // namespace fltr::detail
