#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fltr {

/// Which of two documents with the same score comes first.
enum class TieOrder : std::uint8_t {
  row,      ///< the one that stands first in the data (LightGBM, XGBoost)
  reverse,  ///< the one that stands last: how much a result owes to the order of the file
};

/// The k documents of the highest scores, best first (all of them for k ≥ n), into `order`. A score that is not a
/// number ranks last. O(n + k² log(n / k)) for scores in random order: k is small.
inline void top_k(std::span<float const> scores, std::size_t k, std::vector<std::uint32_t>& order,
                  TieOrder ties = TieOrder::row) {
  k = std::min(k, scores.size());
  order.resize(k);
  if (k == 0) return;
  bool const reverse = ties == TieOrder::reverse;
  auto const before = [&](std::uint32_t a, std::uint32_t b) {  // a strict order: NaN behind everything, ties by row
    float const x = scores[a];
    float const y = scores[b];
    if (x > y) return true;
    if (x < y) return false;
    bool const a_is_number = x == x;
    bool const b_is_number = y == y;
    if (a_is_number != b_is_number) return a_is_number;
    return reverse ? a > b : a < b;
  };
  constexpr std::size_t few = 32;
  if (k > few) {
    std::vector<std::uint32_t> all(scores.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), before);
    std::copy_n(all.begin(), k, order.begin());
    return;
  }
  std::size_t filled = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    auto const document = static_cast<std::uint32_t>(i);
    if (filled == k && !before(document, order[k - 1])) continue;
    std::size_t place = filled < k ? filled++ : k - 1;
    for (; place > 0 && before(document, order[place - 1]); --place) order[place] = order[place - 1];
    order[place] = document;
  }
}

}  // namespace fltr
