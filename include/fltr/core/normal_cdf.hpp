#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <fltr/core/exponential.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr {

namespace detail {

/// φ(x), the density of the standard normal distribution. x² is computed in two parts, because an error of x² is an
/// error of the exponent.
[[nodiscard]] inline double normal_density(double x) {
  constexpr double factor = 0x1.9884533d43651p-2;                                                     // 1 / √(2π)
  double const upper = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xFFFFFFFFF8000000U);  // 26 bits
  double const lower = x - upper;
  double const tail = simd::rounded_product(-0.5 * lower, upper + x);
  return simd::rounded_product(factor, full_exp(-0.5 * simd::rounded_product(upper, upper), tail));
}

/// (Φ(x) − ½) / φ(x) = x + x³/3 + x⁵/(3·5) + x⁷/(3·5·7) + … for |x| ≤ 1. All terms have the sign of x.
[[nodiscard]] inline double normal_series(double x) {
  double const square = simd::rounded_product(x, x);
  double sum = 1.0;
  for (double odd = 41.0; odd > 1.0; odd -= 2.0) sum = 1.0 + simd::rounded_product(square, sum) / odd;
  return simd::rounded_product(x, sum);
}

/// Φ(−x) / φ(x) = 1 / (x + 1 / (x + 2 / (x + 3 / (x + …)))) for x ≥ 1 (Laplace's continued fraction). The part below
/// level n is replaced by (x + √(x² + 4n)) / 2, to which it tends. Then 13 + 256 / x² levels have a relative error below
/// 2⁻⁵⁴.
[[nodiscard]] inline double normal_tail_ratio(double x) {
  double const square = simd::rounded_product(x, x);
  double level = 13.0 + static_cast<double>(static_cast<int>(256.0 / square));
  double below = 0.5 * (x + std::sqrt(square + 4.0 * (level + 1.0)));
  for (; level > 0.0; level -= 1.0) below = x + level / below;
  return 1.0 / below;
}

}  // namespace detail

/// Φ(x), the distribution function of the standard normal distribution, with the same bits on every processor. The
/// error is below 7 ulp (a relative error below 2⁻⁴⁹) in both tails.
[[nodiscard]] inline double normal_cdf(double x) {
  if (x != x) return x;
  if (x > -1.0 && x < 1.0) return 0.5 + simd::rounded_product(detail::normal_density(x), detail::normal_series(x));
  if (x > 40.0) return 1.0;
  if (x < -40.0) return 0.0;
  double const size = x < 0.0 ? -x : x;
  double const tail = simd::rounded_product(detail::normal_density(size), detail::normal_tail_ratio(size));
  return x < 0.0 ? tail : 1.0 - tail;
}

}  // namespace fltr
