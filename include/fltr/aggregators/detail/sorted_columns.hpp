#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/cache_lines.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

template <class T>
struct WideVector;
template <>
struct WideVector<double> {
  using type = simd::DoubleVector;
};
template <>
struct WideVector<float> {
  using type [[gnu::vector_size(simd::native_bytes)]] = float;
};

/// Writes the smaller of low[i] and high[i] to low[i] and the larger to high[i].
template <class T>
inline void exchange(CacheLine<T>* low, CacheLine<T>* high, std::size_t count) {
  using Vector = typename WideVector<T>::type;
  constexpr std::size_t width = sizeof(Vector) / sizeof(T);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t lane = 0; lane < CacheLine<T>::size; lane += width) {
      auto const a = simd::load_vector<Vector>(&low[i][lane]);
      auto const b = simd::load_vector<Vector>(&high[i][lane]);
      simd::store_vector(b < a ? b : a, &low[i][lane]);
      simd::store_vector(b < a ? a : b, &high[i][lane]);
    }
}

/// Sorts each of the columns of a tile (8 of doubles, 16 of floats) in ascending order, by Batcher's merge exchange
/// (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2 M). The comparisons do not depend on the values, so
/// that all columns are sorted at once. Cost: n log₂² n / 4 comparisons of lines.
template <class T>
void sort_columns(CacheLine<T>* rows, std::size_t count) {
  if (count < 2) return;
  std::size_t const top = std::bit_ceil(count) / 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t remainder = 0;
    std::size_t distance = p;
    for (std::size_t q = top;; q /= 2) {
      // All i < count − distance with (i & p) == remainder, in runs of p.
      for (std::size_t i = remainder; i + distance < count; i += 2 * p)
        exchange(rows + i, rows + i + distance, std::min(p, count - distance - i));
      if (q == p) break;
      distance = q - p;
      remainder = p;
    }
  }
}

/// The coordinates of some rows, sorted. `at(j)` is the j-th smallest value of one coordinate.
class SortedColumn {
 public:
  SortedColumn(CacheLine<float> const* rows, std::size_t column, std::size_t size)
      : first_(rows->data() + column), size_(size) {}
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double operator[](std::size_t j) const noexcept {
    return static_cast<double>(first_[j * CacheLine<float>::size]);
  }

 private:
  float const* first_;
  std::size_t size_;
};

/// result[k] = f(the values of coordinate k of the chosen rows, sorted), as a float. The result does not depend on the
/// order of the rows: −0 counts as 0. Memory: 64 bytes per row.
template <class F>
[[nodiscard]] std::vector<float> by_sorted_column(MessageRows const& rows, std::span<std::size_t const> chosen, F f) {
  constexpr std::size_t width = CacheLine<float>::size;
  std::size_t const n = chosen.size();
  std::vector<float> result(rows.parameters());
  CacheLines<float> const tile(n);
  for (std::size_t first = 0; first < result.size(); first += width) {
    std::size_t const count = std::min(width, result.size() - first);
    for (std::size_t j = 0; j < n; ++j) {
      float const* const from = rows.row(chosen[j]).data() + first;
      for (std::size_t c = 0; c < count; ++c) tile[j][c] = from[c] + 0.0F;
      for (std::size_t c = count; c < width; ++c) tile[j][c] = 0.0F;
    }
    sort_columns(tile.get(), n);
    for (std::size_t c = 0; c < count; ++c) result[first + c] = static_cast<float>(f(SortedColumn(tile.get(), c, n)));
  }
  return result;
}

/// The same of all rows.
template <class F>
[[nodiscard]] std::vector<float> by_sorted_column(MessageRows const& rows, F f) {
  std::vector<std::size_t> all(rows.clients());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return by_sorted_column(rows, all, f);
}

}  // namespace fltr::detail
