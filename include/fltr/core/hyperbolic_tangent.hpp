#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <fltr/core/exponential.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::math {

/// tanh(x), with the same bits on every processor. The error is below 3 ulp. NaN gives NaN.
///
/// tanh(x) = t / (t + 2) with t = exp(2x) − 1 = (2ⁿ − 1) + 2ⁿ f, where exp(2x) = 2ⁿ (1 + f): no digits of f are lost.
[[nodiscard]] inline double tanh(double x) {
  double const size = std::abs(x);
  if (size < 0x1p-28) return x;  // x − x³/3 rounds to x
  if (!(size < 20.0)) return x != x ? x : std::copysign(1.0, x);
  auto const [shifted, fraction] = detail::reduced_exp(2.0 * size, 0.0);
  auto const n = std::bit_cast<std::uint64_t>(shifted) & 0xFFFFU;  // 0 to 58
  auto const power = std::bit_cast<double>((n + 1023U) << 52U);
  double const t = (power - 1.0) + simd::rounded_product(power, fraction);
  double const result = size < 1.0 ? t / (t + 2.0) : 1.0 - 2.0 / (t + 2.0);  // the second rises with t
  return std::copysign(result, x);
}

}  // namespace fltr::math
