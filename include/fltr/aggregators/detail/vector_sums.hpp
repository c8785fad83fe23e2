#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <fltr/core/lane_sum.hpp>

namespace fltr::detail {

/// Σ f(i) for i < size, in eight lanes: element i goes to lane i mod 8. The order depends neither on the compiler nor
/// on the width of registers.
template <class F>
[[nodiscard]] double sum_in_lanes(std::size_t size, F const& f) {
  std::array<double, simd::lanes> sums{};
  std::size_t i = 0;
  for (; i + simd::lanes <= size; i += simd::lanes)
    for (std::size_t lane = 0; lane < simd::lanes; ++lane) sums[lane] += f(i + lane);
  for (std::size_t lane = 0; i + lane < size; ++lane) sums[lane] += f(i + lane);
  return simd::lane_sum(sums.data());
}

[[nodiscard]] inline double dot(std::span<double const> a, std::span<double const> b) {
  return sum_in_lanes(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

/// ‖a − b‖².
[[nodiscard]] inline double squared_distance(std::span<float const> a, std::span<float const> b) {
  return sum_in_lanes(a.size(), [&](std::size_t i) {
    double const off = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    return off * off;
  });
}

}  // namespace fltr::detail
