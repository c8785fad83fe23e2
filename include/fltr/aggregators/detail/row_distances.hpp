#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <fltr/aggregators/detail/cache_lines.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// The squared Euclidean distances of all pairs of rows: Σ_k (x_ik − x_jk)², in double, added for k = 0, 1, …. The bits
/// are those of this plain loop for every register width, and the distance of (i, j) has the bits of that of (j, i).
/// Differences are taken before the products: a common offset of all rows costs no digits, unlike in
/// ‖x_i‖² + ‖x_j‖² − 2 x_i·x_j.
///
/// Pairs are computed in tiles of 8 × 8 rows, each tile once. A lane of a register is a pair. Cost: n² d / 2. Memory:
/// 8 n² bytes for the distances, and 8 n min(d, 192) bytes for the rows as doubles.
class RowDistances {
 public:
  explicit RowDistances(MessageRows const& rows)
      : size_(rows.clients()), blocks_((size_ + 7) / 8), lines_(blocks_ * blocks_ * 8) {
    // A part of two blocks fits into 24 KB of the L1 cache.
    constexpr std::size_t most = 192;
    std::size_t const parameters = rows.parameters();
    std::size_t const parts = std::max<std::size_t>(1, (parameters + most - 1) / most);
    std::size_t const width = (parameters + parts - 1) / parts;
    CacheLines<double> const columns(blocks_ * width);
    for (std::size_t part = 0; part < parts; ++part) {
      std::size_t const first = std::min(part * width, parameters);
      std::size_t const count = std::min(width, parameters - first);
      transpose(rows, first, count, columns.get());
      for (std::size_t i = 0; i < blocks_; ++i)
        for (std::size_t j = i; j < blocks_; ++j)
          add_tile(columns.get() + i * count, columns.get() + j * count, count, part == 0, i, j);
    }
    for (std::size_t i = 0; i < blocks_; ++i)
      for (std::size_t j = i + 1; j < blocks_; ++j) mirror(i, j);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = size_; j < 8 * blocks_; ++j)
        lines_[i * blocks_ + j / 8][j % 8] = std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const noexcept {
    return lines_[i * blocks_ + j / 8][j % 8];
  }
  /// The distances of row i to all rows; 0 to itself.
  [[nodiscard]] std::span<double const> row(std::size_t i) const noexcept {
    return {lines_[i * blocks_].data(), size_};
  }
  /// The same in lines of eight. The distances to rows that do not exist are infinite.
  [[nodiscard]] std::span<CacheLine<double> const> row_lines(std::size_t i) const noexcept {
    return {&lines_[i * blocks_], blocks_};
  }

 private:
  /// columns[b · count + k] are the values of parameter first + k of the eight rows of block b, zeros after the last row.
  void transpose(MessageRows const& rows, std::size_t first, std::size_t count, CacheLine<double>* columns) const {
    for (std::size_t b = 0; b < blocks_; ++b, columns += count) {
      for (std::size_t r = 0; r < 8; ++r) {
        if (8 * b + r >= size_) {
          for (std::size_t k = 0; k < count; ++k) columns[k][r] = 0.0;
          continue;
        }
        float const* const row = rows.row(8 * b + r).data() + first;
        for (std::size_t k = 0; k < count; ++k) columns[k][r] = static_cast<double>(row[k]);
      }
    }
  }

  void add_tile(CacheLine<double> const* a, CacheLine<double> const* b, std::size_t count, bool first, std::size_t i,
                std::size_t j) {
    using simd::DoubleVector;
    CacheLine<double>* const to = &lines_[8 * i * blocks_ + j];
    for (std::size_t lane = 0; lane < 8; lane += simd::native_doubles) {
      std::array<DoubleVector, 8> sums{};
      if (!first)
        for (std::size_t r = 0; r < 8; ++r) sums[r] = simd::load_vector<DoubleVector>(&to[r * blocks_][lane]);
      for (std::size_t k = 0; k < count; ++k) {
        auto const right = simd::load_vector<DoubleVector>(&b[k][lane]);
        for (std::size_t r = 0; r < 8; ++r) {
          DoubleVector const difference = right - a[k][r];
          sums[r] += simd::rounded_product(difference, difference);
        }
      }
      for (std::size_t r = 0; r < 8; ++r) simd::store_vector(sums[r], &to[r * blocks_][lane]);
    }
  }

  void mirror(std::size_t i, std::size_t j) {
    CacheLine<double> const* const from = &lines_[8 * i * blocks_ + j];
    CacheLine<double>* const to = &lines_[8 * j * blocks_ + i];
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t r = 0; r < 8; ++r) to[c * blocks_][r] = from[r * blocks_][c];
  }

  std::size_t size_;
  std::size_t blocks_;
  CacheLines<double> lines_;  ///< 8 · blocks rows of `blocks` lines
};

}  // namespace fltr::detail
