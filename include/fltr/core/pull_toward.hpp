#pragma once

#include <cstddef>
#include <span>

#include <fltr/core/detail/native_vector.hpp>

namespace fltr::simd {

/// y −= factor · (x − anchor), with one rounding per operation: the same bits for every register width. Requires spans
/// of equal size.
inline void pull_toward(std::span<float const> anchor, std::span<float const> x, float factor, std::span<float> y) {
  using V = detail::FloatVector;
  constexpr std::size_t width = sizeof(V) / sizeof(float);
  std::size_t const n = y.size();
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    auto const apart = detail::rounded(detail::load_vector<V>(&x[i]) - detail::load_vector<V>(&anchor[i]));
    detail::store_vector(detail::load_vector<V>(&y[i]) - detail::rounded_product(apart, factor), &y[i]);
  }
  for (; i < n; ++i) y[i] -= detail::rounded_product(detail::rounded(x[i] - anchor[i]), factor);
}

}  // namespace fltr::simd
