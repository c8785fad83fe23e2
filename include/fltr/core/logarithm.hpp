#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// x = 2ᵏ (1 + f) with √½ ≤ 1 + f < √2, and the parts of
/// log(1 + f) = f − (half − s (half + rest)), half = f² / 2, s = f / (2 + f).
template <class V>
struct ReducedLog {
  V k;
  V f;
  V half;
  V s;
  V rest;
};

/// The reduction of log for a positive double or a DoubleVector of positive doubles.
///
/// log(1 + f) = 2 atanh(s) = 2s + s · rest with rest = (2/3) s² + (2/5) s⁴ + …, and 2s = f − s f. `rest` is a minimax
/// polynomial in s² with 7 coefficients, with a relative error of the logarithm below 2⁻⁵⁹.
template <class V>
[[nodiscard, gnu::always_inline]] inline ReducedLog<V> reduced_log(V x) {
  using Words = typename simd::WordsOf<V>::type;
  constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCDU;  // √½
  auto const subnormal = x < std::numeric_limits<double>::min();
  x = subnormal ? x * 0x1p54 : x;
  Words const bits = std::bit_cast<Words>(x) + (0x3FF0000000000000U - root_half);
  // The exponent field becomes a number in the mantissa of 2⁵².
  V const exponent = std::bit_cast<V>((bits >> 52U) | std::bit_cast<std::uint64_t>(0x1p52));
  V const k = exponent - (subnormal ? V{} + (0x1p52 + 1077.0) : V{} + (0x1p52 + 1023.0));
  V const f = std::bit_cast<V>((bits & 0x000FFFFFFFFFFFFFU) + root_half) - 1.0;
  V const half = simd::rounded_product(simd::rounded_product(f, 0.5), f);
  V const s = f / (2.0 + f);
  V const z = simd::rounded_product(s, s);
  V const w = simd::rounded_product(z, z);
  V const odd = 0x1.999999997fdb6p-2 +
                simd::rounded_product(w, 0x1.c71c52095ef64p-3 + simd::rounded_product(w, 0x1.39a1baef2ede5p-3));
  V const even =
      0x1.5555555555592p-1 +
      simd::rounded_product(
          w, 0x1.24924941f12c2p-2 +
                 simd::rounded_product(w, 0x1.74663ee6fd155p-3 + simd::rounded_product(w, 0x1.2f0560d28feddp-3)));
  return {k, f, half, s, simd::rounded_product(z, even) + simd::rounded_product(w, odd)};
}

/// The result of a logarithm for an argument that is not positive and finite; `result` for all others.
template <class V>
[[nodiscard, gnu::always_inline]] inline V log_or_special(V x, V result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  V const nonpositive = x == 0.0 ? V{} - infinity : V{} + std::numeric_limits<double>::quiet_NaN();
  result = x > 0.0 ? result : nonpositive;
  return x == infinity ? x : result;
}

/// math::log for a double or a DoubleVector, with the same bits for both and for every register width.
template <class V>
[[nodiscard, gnu::always_inline]] inline V log_lanes(V x) {
  // ln 2 in two parts: k · ln2_high is exact.
  constexpr double ln2_high = 0x1.62e42fefa3800p-1;
  constexpr double ln2_low = 0x1.ef35793c76730p-45;
  auto const [k, f, half, s, rest] = reduced_log(x);
  V const low = simd::rounded_product(s, half + rest) + simd::rounded_product(k, ln2_low);
  return log_or_special(x, simd::rounded_product(k, ln2_high) - ((half - low) - f));
}

}  // namespace fltr::detail

namespace fltr::math {

/// The natural logarithm. The error is below 0.85 ulp. Negative numbers and NaN give NaN, and 0 gives −∞.
[[nodiscard]] inline double log(double x) { return detail::log_lanes(x); }

/// The logarithm to base 2. The error is below 0.85 ulp, and powers of two give the exact result.
[[nodiscard]] inline double log2(double x) {
  using simd::rounded_product;
  // 1 / ln 2 in two parts. The first has 21 bits and `high` has at most 21, so their product is exact.
  constexpr double inverse_high = 0x1.7154700000000p+0;
  constexpr double inverse_low = 0x1.94ae0bf85ddf4p-22;
  auto const [k, f, half, s, rest] = detail::reduced_log(x);
  double const high = std::bit_cast<double>(std::bit_cast<std::uint64_t>(f - half) & 0xFFFFFFFF00000000U);
  double const low = ((f - high) - half) + simd::rounded_product(s, half + rest);
  double const product = simd::rounded_product(high, inverse_high);
  double const correction = simd::rounded_product(low + high, inverse_low) + simd::rounded_product(low, inverse_high);
  double const sum = k + product;
  return detail::log_or_special(x, sum + (correction + ((k - sum) + product)));
}

/// log(1 + x), also accurate for small |x| (Kahan's formula). The error is below 3 ulp.
[[nodiscard]] inline double log1p(double x) {
  double const sum = simd::rounded(1.0 + x);
  if (sum == 1.0 || !(sum < std::numeric_limits<double>::infinity())) return sum == 1.0 ? x : sum;
  return simd::rounded(log(sum) * (x / (sum - 1.0)));
}

}  // namespace fltr::math

namespace fltr::simd {

/// values_i ← math::log(values_i).
inline void log_in_place(std::span<double> values) {
  using namespace detail;
  std::size_t const whole = values.size() / native_doubles * native_doubles;
  for (std::size_t i = 0; i < whole; i += native_doubles)
    store_vector(log_lanes(load_vector<DoubleVector>(&values[i])), &values[i]);
  for (double& value : values.subspan(whole)) value = math::log(value);
}

}  // namespace fltr::simd
