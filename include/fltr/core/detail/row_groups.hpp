#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <fltr/core/lane_sum.hpp>
#include <fltr/core/lanes.hpp>

namespace fltr::detail {

using simd::Lanes;
using simd::lanes;

/// y += Σ_r factors_r · rows_r. The rows are padded with zeros to a multiple of `lanes`.
template <std::size_t Rows>
void add_row_group(float const* factors, float const* const* rows, std::span<float> y) {
  std::array<Lanes, Rows> weights;
  for (std::size_t r = 0; r < Rows; ++r) weights[r] = Lanes::filled(factors[r]);
  auto const add = [&](Lanes sum, std::size_t i) {
    for (std::size_t r = 0; r < Rows; ++r) sum.add_product(weights[r], Lanes::load(rows[r] + i));
    return sum;
  };
  std::size_t i = 0;
  for (; i + lanes <= y.size(); i += lanes) add(Lanes::load(&y[i]), i).store(&y[i]);
  if (i < y.size()) {
    alignas(32) std::array<float, lanes> tail;
    add(Lanes::load_first(&y[i], y.size() - i), i).store(tail.data());
    std::copy_n(tail.begin(), y.size() - i, y.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// out_r = Σ_i w_i · rows[r · stride + i]. `last` holds the last w.size() mod `lanes` weights, followed by zeros.
template <std::size_t Rows>
void dot_row_group(std::span<float const> w, Lanes const& last, float const* rows, std::size_t stride, float* out) {
  std::array<Lanes, Rows> sums;
  sums.fill(Lanes::filled(0.0F));
  std::size_t i = 0;
  for (; i + lanes <= w.size(); i += lanes) {
    auto const weight = Lanes::load(&w[i]);
    for (std::size_t r = 0; r < Rows; ++r) sums[r].add_product(weight, Lanes::load(rows + r * stride + i));
  }
  if (i < w.size())
    for (std::size_t r = 0; r < Rows; ++r) sums[r].add_product(last, Lanes::load(rows + r * stride + i));
  // All lanes of all rows go through memory at once: the sums of the rows are then independent of each other.
  alignas(32) std::array<float, Rows * lanes> v;
  for (std::size_t r = 0; r < Rows; ++r) sums[r].store(&v[r * lanes]);
  for (std::size_t r = 0; r < Rows; ++r) out[r] = simd::lane_sum(&v[r * lanes]);
}

}  // namespace fltr::detail
