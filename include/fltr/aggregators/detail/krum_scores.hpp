#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/cache_lines.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/detail/sorted_columns.hpp>
#include <fltr/aggregators/krum_convention.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// What Krum adds up for a squared distance.
[[nodiscard]] inline double krum_term(KrumDistance distance, double squared) {
  switch (distance) {
    case KrumDistance::euclidean:
      return std::sqrt(squared);
    case KrumDistance::fourth_power:
      return simd::rounded_product(squared, squared);
    case KrumDistance::squared:
      break;
  }
  return squared;
}

/// The score of every row: the sum over its nearest other rows, from the nearest to the farthest. So the bits of a
/// score do not depend on the order of the rows.
[[nodiscard]] inline std::vector<double> krum_scores(RowDistances const& distances, std::size_t neighbours,
                                                     KrumDistance distance) {
  std::size_t const n = distances.size();
  std::vector<double> scores(n);
  CacheLines<double> const tile(n);
  for (std::size_t block = 0; 8 * block < n; ++block) {
    for (std::size_t j = 0; j < n; ++j) tile[j] = distances.row_lines(j)[block];
    sort_columns(tile.get(), n);
    // The smallest distance is that of the row to itself, 0.
    std::array<double, 8> sums{};
    for (std::size_t j = 1; j <= neighbours; ++j)
      for (std::size_t r = 0; r < 8; ++r) sums[r] += krum_term(distance, tile[j][r]);
    std::copy_n(sums.begin(), std::min<std::size_t>(8, n - 8 * block),
                scores.begin() + static_cast<std::ptrdiff_t>(8 * block));
  }
  return scores;
}

/// The score of one row, with the same bits.
[[nodiscard]] inline double krum_score(RowDistances const& distances, std::size_t row, std::size_t neighbours,
                                       KrumDistance distance) {
  std::vector<double> nearest(distances.row(row).begin(), distances.row(row).end());
  std::ranges::sort(nearest);
  double sum = 0.0;
  for (std::size_t j = 1; j <= neighbours; ++j) sum += krum_term(distance, nearest[j]);
  return sum;
}

/// The rows with the `count` lowest scores, in ascending order of the score. Of equal scores the lower row is first.
[[nodiscard]] inline std::vector<std::size_t> lowest_scores(std::span<double const> scores, std::size_t count) {
  std::vector<std::size_t> rows(scores.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count), [&](std::size_t a, std::size_t b) {
    return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
  });
  rows.resize(count);
  return rows;
}

}  // namespace fltr::detail
