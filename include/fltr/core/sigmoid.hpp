#pragma once

#include <cstddef>
#include <span>

#include <fltr/core/detail/float_lanes.hpp>

namespace fltr::detail {

/// simd::sigmoid for a float or OctetFloats, with the same bits for both.
template <class V>
[[nodiscard, gnu::always_inline]] inline V sigmoid_lanes(V x) {
  constexpr float bound = 87.0F;  // float_exp is exact to 1 ulp up to here
  V const above = x < -bound ? V{} - bound : x;
  V const clamped = above > bound ? V{} + bound : above;
  V const result = 1.0F / (1.0F + float_exp(-clamped));
  V const number = x < -bound ? V{} : result;
  return x == x ? number : x;
}

}  // namespace fltr::detail

namespace fltr::simd {

/// 1 / (1 + exp(−x)), with the same bits on every processor. The relative error is below 2⁻²². NaN gives NaN. The
/// result is 0 for x < −87.
[[nodiscard]] inline float sigmoid(float x) { return detail::sigmoid_lanes(x); }

/// values_i ← sigmoid(values_i).
inline void sigmoid_in_place(std::span<float> values) {
  using namespace detail;
  std::size_t i = 0;
  for (; i + octet_floats <= values.size(); i += octet_floats)
    store_vector(sigmoid_lanes(load_vector<OctetFloats>(&values[i])), &values[i]);
  for (; i < values.size(); ++i) values[i] = sigmoid(values[i]);
}

}  // namespace fltr::simd
