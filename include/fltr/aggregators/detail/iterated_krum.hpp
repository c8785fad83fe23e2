#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/cache_lines.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/detail/sorted_columns.hpp>
#include <fltr/aggregators/krum_convention.hpp>

namespace fltr::detail {

/// Krum on the rows that are left, again and again: `count` rows in the order of choice. Each time the score of a row is
/// the sum of its squared distances to the max(1, left − f − 2) nearest of the rows left, from the nearest to the
/// farthest. Of equal scores the lowest row is chosen. Cost: n² per row that is chosen.
[[nodiscard]] inline std::vector<std::size_t> iterated_krum(RowDistances const& distances, std::size_t malicious,
                                                            std::size_t count) {
  std::size_t const n = distances.size();
  std::vector<std::vector<double>> nearest(n);  // the sorted distances of each row to the other rows that are left
  CacheLines<double> const tile(n);
  for (std::size_t block = 0; 8 * block < n; ++block) {
    for (std::size_t j = 0; j < n; ++j) tile[j] = distances.row_lines(j)[block];
    sort_columns(tile.get(), n);
    for (std::size_t r = 0; r < 8 && 8 * block + r < n; ++r)
      for (std::size_t j = 1; j < n; ++j) nearest[8 * block + r].push_back(tile[j][r]);
  }
  std::vector<std::size_t> left(n);
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) {
    std::size_t const neighbours = krum_neighbours(KrumNeighbours::at_least_one, left.size(), malicious);
    auto best = left.begin();
    double best_score = 0.0;
    for (auto row = left.begin(); row != left.end(); ++row) {
      double score = 0.0;
      for (double const d : std::span(nearest[*row]).first(neighbours)) score += d;
      if (row == left.begin() || score < best_score) {
        best = row;
        best_score = score;
      }
    }
    std::size_t const row = *best;
    chosen.push_back(row);
    left.erase(best);
    for (std::size_t const other : left)
      nearest[other].erase(std::ranges::lower_bound(nearest[other], distances(other, row)));
  }
  return chosen;
}

}  // namespace fltr::detail
