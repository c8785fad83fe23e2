#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fltr/core/exponential.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// An unevaluated sum of two doubles, of which the second is at most half an ulp of the first.
struct TwoDoubles {
  double high;
  double low;
};

/// a + b without error (Knuth).
[[nodiscard]] inline TwoDoubles exact_sum(double a, double b) {
  double const sum = simd::rounded(a + b);
  double const part = simd::rounded(sum - a);
  return {sum, simd::rounded(a - simd::rounded(sum - part)) + simd::rounded(b - part)};
}

/// a · b without error (Dekker), for factors below 2⁹⁰⁰ whose product is not tiny.
[[nodiscard]] inline TwoDoubles exact_product(double a, double b) {
  // Each factor is a sum of two numbers of 26 bits: the products of the parts are exact.
  auto const upper = [](double x) {
    double const scaled = simd::rounded_product(x, 0x1p27 + 1.0);
    return simd::rounded(scaled - simd::rounded(scaled - x));
  };
  double const product = simd::rounded_product(a, b);
  double const a1 = upper(a);
  double const b1 = upper(b);
  double const a2 = a - a1;
  double const b2 = b - b1;
  double const outer = simd::rounded(simd::rounded_product(a1, b1) - product);
  double const inner = simd::rounded(outer + simd::rounded_product(a1, b2)) + simd::rounded_product(a2, b1);
  return {product, simd::rounded(inner) + simd::rounded_product(a2, b2)};
}

/// log(x) for 0 < x < ∞ with a relative error below 2⁻⁶².
///
/// x = 2ᵏ m with √½ ≤ m < √2, s = (m − 1) / (m + 1), and log(m) = 2s + (2/3) s³ + s⁵ t(s²). The first two terms are
/// computed with two doubles each. t is a minimax polynomial with 9 coefficients.
[[nodiscard]] inline TwoDoubles precise_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2.0;
    --exponent;
  }
  double const k = exponent;
  double const f = m - 1.0;  // exact
  auto const divisor = exact_sum(m, 1.0);
  double const s = f / divisor.high;
  auto const back = exact_product(s, divisor.high);
  double const s_low = (((f - back.high) - back.low) - simd::rounded_product(s, divisor.low)) / divisor.high;

  auto const square = exact_product(s, s);
  double const square_low = square.low + simd::rounded_product(2.0 * s, s_low);
  auto const cube = exact_product(s, square.high);
  double const cube_low = cube.low + (simd::rounded_product(s, square_low) + simd::rounded_product(s_low, square.high));
  constexpr double third = 0x1.5555555555555p-1;  // 2/3 in two parts
  constexpr double third_low = 0x1.5555555555555p-55;
  auto const second = exact_product(cube.high, third);
  double const second_low =
      second.low + (simd::rounded_product(cube.high, third_low) + simd::rounded_product(cube_low, third));

  double const z = square.high;
  double t = 0x1.c31a9b18a5241p-4;
  for (double const c : {0x1.aaec1d593c30ep-4, 0x1.e20b7c9172788p-4, 0x1.11109463fb5dep-3, 0x1.3b13b31149133p-3,
                         0x1.745d1741804d7p-3, 0x1.c71c71c72274ep-3, 0x1.249249249246fp-2, 0x1.999999999999ap-2})
    t = c + simd::rounded_product(z, t);
  double const third_term = simd::rounded_product(simd::rounded_product(cube.high, z), t);

  // ln 2 in two parts: k · the first part is exact.
  auto const sum1 = exact_sum(simd::rounded_product(k, 0x1.62e42fefa3800p-1), 2.0 * s);
  auto const sum2 = exact_sum(sum1.high, second.high);
  double const low = (sum1.low + sum2.low) +
                     ((second_low + 2.0 * s_low) + (third_term + simd::rounded_product(k, 0x1.ef35793c76730p-45)));
  return exact_sum(sum2.high, low);
}

}  // namespace fltr::detail

namespace fltr::math {

/// x to the power of y for x ≥ 0. The error is below 0.95 ulp. pow(x, 0) and pow(1, y) are 1, a negative x gives NaN.
[[nodiscard]] inline double pow(double x, double y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (y == 0.0 || x == 1.0) return 1.0;
  if (!(x >= 0.0) || y != y) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0.0 || x == infinity) return (x == 0.0) == (y < 0.0) ? infinity : 0.0;
  auto const log = detail::precise_log(x);
  double const rough = y * log.high;
  if (!(rough < 1000.0)) return infinity;
  if (!(rough > -1000.0)) return 0.0;
  if (rough > -0x1p-60 && rough < 0x1p-60) return 1.0 + rough;
  auto const exponent = detail::exact_product(y, log.high);
  return detail::full_exp(exponent.high, exponent.low + simd::rounded_product(y, log.low));
}

}  // namespace fltr::math
