#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// exp(x + tail) = 2ⁿ (1 + fraction), n in the low bits of `shifted`.
template <class V>
struct ReducedExp {
  V shifted;
  V fraction;
};

/// The reduction of exp for a double or a DoubleVector. `tail` is at most 1 ulp of x.
///
/// x = n ln 2 + r with an integer n and |r| ≤ ln 2 / 2. Then exp(x) = 2ⁿ exp(r), and exp(r) = 1 + r + r² q(r), where q
/// is a polynomial of degree 9 by Estrin's scheme: 1/2 and a minimax fit of the rest, with a relative error of exp(r)
/// below 2⁻⁵⁷.
template <class V>
[[nodiscard, gnu::always_inline]] inline ReducedExp<V> reduced_exp(V x, V tail) {
  constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
  // ln 2 in two parts: n · ln2_high is exact for |n| ≤ 2048.
  constexpr double ln2_high = 0x1.62e42fefa3800p-1;
  constexpr double ln2_low = 0x1.ef35793c76730p-45;
  // Adding this constant rounds a small number to an integer. The low bits of the sum hold the integer.
  constexpr double integers = 0x1.8p52;

  V const shifted = simd::rounded(simd::rounded_product(x, inverse_ln2) + integers);
  V const n = shifted - integers;
  V const high = x - simd::rounded_product(n, ln2_high);  // exact
  V const low = simd::rounded_product(n, ln2_low) - tail;
  V const r = high - low;
  V const r2 = simd::rounded_product(r, r);
  V const r4 = simd::rounded_product(r2, r2);
  V const q01 = 0.5 + simd::rounded_product(r, 0x1.5555555555501p-3);
  V const q23 = 0x1.555555555320ep-5 + simd::rounded_product(r, 0x1.111111112882cp-7);
  V const q45 = 0x1.6c16c17cc0c0dp-10 + simd::rounded_product(r, 0x1.a01a011c37f94p-13);
  V const q67 = 0x1.a019ab35a6d24p-16 + simd::rounded_product(r, 0x1.71df5522539c4p-19);
  V const q89 = 0x1.289f81b9071e3p-22 + simd::rounded_product(r, 0x1.ad202c318f310p-26);
  V const q03 = q01 + simd::rounded_product(r2, q23);
  V const q47 = q45 + simd::rounded_product(r2, q67);
  V const q = q03 + simd::rounded_product(r4, q47 + simd::rounded_product(r4, q89));
  // r is rounded, but its two parts are exact: the linear term is the sum of the parts.
  return {shifted, high + (simd::rounded_product(r2, q) - low)};
}

/// simd::exponential for a double or a DoubleVector, with the same bits for both and for every register width.
template <class V>
[[nodiscard, gnu::always_inline]] inline V exponential_lanes(V x) {
  using Words = typename simd::WordsOf<V>::type;
  constexpr double lowest = -700.0;
  constexpr double highest = 0x1.62e42fefa39efp+9;  // the logarithm of the largest double

  x = x > lowest ? x : V{} + lowest;
  auto const [shifted, fraction] = reduced_exp(x, V{});
  V const exp_r = 1.0 + fraction;
  // n is added to the exponent. Both numbers are normal: exp(r) is in (0.7, 1.42) and −1010 ≤ n ≤ 1024.
  V const result = std::bit_cast<V>(std::bit_cast<Words>(exp_r) + (std::bit_cast<Words>(shifted) << 52U));
  return x > highest ? V{} + std::numeric_limits<double>::infinity() : result;
}

/// exp(x + tail) with the whole range of double.
[[nodiscard]] inline double full_exp(double x, double tail) {
  if (x != x) return x;
  if (x > 710.0) return std::numeric_limits<double>::infinity();
  if (x < -746.0) return 0.0;
  auto const [shifted, fraction] = reduced_exp(x, tail);
  auto const n = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) << 32U) >> 32;
  // 2ⁿ as a product of two normal powers of two. The second product is the only one that is rounded.
  auto const power = [](std::int64_t exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
  };
  return simd::rounded(((1.0 + fraction) * power(n / 2)) * power(n - n / 2));
}

}  // namespace fltr::detail

/// Elementary functions from additions, multiplications, divisions and square roots in a fixed order. They have the
/// same bits on every processor and with every compiler. The functions of the standard library do not: glibc chooses
/// variants with and without fused multiply-add when the program starts.
namespace fltr::math {

/// exp(x). The error is below 0.95 ulp, also for subnormal results. NaN gives NaN.
[[nodiscard]] inline double exp(double x) { return detail::full_exp(x, 0.0); }

/// exp(x) − 1, also accurate for small |x|. The error is below 4 ulp.
[[nodiscard]] inline double expm1(double x) {
  // With |x| below ln 2 / 2 the integer n is 0, and the fraction is the result.
  if (x > -0.34 && x < 0.34) return x == 0.0 ? x : detail::reduced_exp(x, 0.0).fraction;
  return exp(x) - 1.0;
}

}  // namespace fltr::math

namespace fltr::simd {

/// exp(x), with the same bits on every processor. The error is below 1 ulp for −700 ≤ x ≤ 709.78. The result is
/// exp(−700) for smaller x and for NaN, so that it is never zero, and infinity for larger x.
[[nodiscard]] inline double exponential(double x) { return detail::exponential_lanes(x); }

/// values_i ← exponential(values_i).
inline void exp_in_place(std::span<double> values) {
  using namespace detail;
  std::size_t const n = values.size();
  if (n < native_doubles) {
    for (double& v : values) v = exponential(v);
    return;
  }
  // The elements after the last whole vector are computed in a window that ends with the span. The window overlaps the
  // last whole vector, so it is loaded before that vector is overwritten.
  auto const window = load_vector<DoubleVector>(&values[n - native_doubles]);
  std::size_t i = 0;
  for (; i + native_doubles <= n; i += native_doubles)
    store_vector(exponential_lanes(load_vector<DoubleVector>(&values[i])), &values[i]);
  if (i < n) store_vector(exponential_lanes(window), &values[n - native_doubles]);
}

/// out_i = exponential(x_i − shift). At most 1 for x_i ≤ shift.
inline void exp_shifted(std::span<float const> x, float shift, std::span<double> out) {
  using namespace detail;
  std::size_t const n = x.size();
  auto const from = static_cast<double>(shift);
  if (n < native_doubles) {
    for (std::size_t i = 0; i < n; ++i) out[i] = exponential(static_cast<double>(x[i]) - from);
    return;
  }
  auto const at = [&](std::size_t i) {
    auto const floats = load_vector<FloatVector>(&x[i]);
    store_vector(exponential_lanes(__builtin_convertvector(floats, DoubleVector) - from), &out[i]);
  };
  std::size_t i = 0;
  for (; i + native_doubles <= n; i += native_doubles) at(i);
  if (i < n) at(n - native_doubles);
}

}  // namespace fltr::simd
