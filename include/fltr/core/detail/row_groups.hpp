#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <fltr/core/lane_sum.hpp>
#include <fltr/core/lanes.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

using simd::Lanes;
using simd::lanes;

/// Σ_r factors_r · rows_r + y for `Groups` · 8 columns from column `from` on, in the order of the rows.
template <std::size_t Groups>
[[nodiscard, gnu::always_inline]] inline std::array<Lanes, Groups> add_columns(std::span<float const> factors,
                                                                               float const* const* rows, float const* y,
                                                                               std::size_t from) {
  std::array<Lanes, Groups> sums;
  for (std::size_t g = 0; g < Groups; ++g) sums[g] = Lanes::load(y + from + g * lanes);
  for (std::size_t r = 0; r < factors.size(); ++r) {
    auto const factor = Lanes::filled(factors[r]);
    for (std::size_t g = 0; g < Groups; ++g) sums[g].add_product(factor, Lanes::load(rows[r] + from + g * lanes));
  }
  return sums;
}

template <std::size_t Groups>
[[gnu::always_inline]] inline void store_columns(std::array<Lanes, Groups> const& sums, float* to) {
  for (std::size_t g = 0; g < Groups; ++g) sums[g].store(to + g * lanes);
}

/// The sums of four Lanes, each in the order of lane_sum. The lanes of the rows are interleaved, so that one addition
/// serves all rows.
[[nodiscard, gnu::always_inline]] inline Lanes::Quad sum_rows(std::array<Lanes, 4> const& rows) {
  auto const a = rows[0].halved();
  auto const b = rows[1].halved();
  auto const c = rows[2].halved();
  auto const d = rows[3].halved();
  auto const ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
  auto const cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
  return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
}

/// out_r = Σ_i w_i · rows[r · stride + i] for 1 or 4 rows. `last` holds the last w.size() mod `lanes` weights, followed
/// by zeros.
template <std::size_t Rows>
[[gnu::always_inline]] inline void dot_row_group(std::span<float const> w, Lanes const& last, float const* rows,
                                                 std::size_t stride, float* out) {
  static_assert(Rows == 1 || Rows == 4);
  std::array<Lanes, Rows> sums;
  sums.fill(Lanes::filled(0.0F));
  std::size_t i = 0;
  for (; i + lanes <= w.size(); i += lanes) {
    auto const weight = Lanes::load(&w[i]);
    for (std::size_t r = 0; r < Rows; ++r) sums[r].add_product(weight, Lanes::load(rows + r * stride + i));
  }
  if (i < w.size())
    for (std::size_t r = 0; r < Rows; ++r) sums[r].add_product(last, Lanes::load(rows + r * stride + i));
  if constexpr (Rows == 4)
    simd::store_vector(sum_rows(sums), out);
  else
    *out = sums[0].sum();
}

}  // namespace fltr::detail
