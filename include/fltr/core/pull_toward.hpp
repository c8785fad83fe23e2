#pragma once

#include <cstddef>
#include <span>

#include <fltr/core/native_vector.hpp>

namespace fltr::simd {

/// y −= factor · (x − anchor), with one rounding per operation (-ffp-contract=off): the same bits for every register
/// width. Requires spans of equal size.
///
/// It does not use `rounded`: g++ 12 splits the barrier of 32 bytes of floats into single numbers, 3.5 times the time.
inline void pull_toward(std::span<float const> anchor, std::span<float const> x, float factor, std::span<float> y) {
  using V = simd::FloatVector;
  constexpr std::size_t width = sizeof(V) / sizeof(float);
  std::size_t const n = y.size();
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    V const apart = simd::load_vector<V>(&x[i]) - simd::load_vector<V>(&anchor[i]);
    V const out = simd::load_vector<V>(&y[i]) - factor * apart;
    simd::store_vector(out, &y[i]);
  }
  for (; i < n; ++i) y[i] -= factor * (x[i] - anchor[i]);
}

}  // namespace fltr::simd
