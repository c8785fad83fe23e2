#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fltr/core/native_vector.hpp>

#if FLTR_INTRINSICS
#include <immintrin.h>
#endif

/// Elementary functions of 8 floats (4 without AVX) and of single floats, with the same bits for both.
namespace fltr::detail {

#if defined(__AVX__)
inline constexpr std::size_t octet_bytes = 32;
#else
inline constexpr std::size_t octet_bytes = 16;
#endif
inline constexpr std::size_t octet_floats = octet_bytes / sizeof(float);

using OctetFloats [[gnu::vector_size(octet_bytes)]] = float;
using OctetWords [[gnu::vector_size(octet_bytes)]] = std::uint32_t;
using OctetIntegers [[gnu::vector_size(octet_bytes)]] = std::int32_t;

/// Integers with the bits of `V`, lane by lane.
template <class V>
struct LaneIntegersOf {
  using Words = OctetWords;
  using Integers = OctetIntegers;
};
template <>
struct LaneIntegersOf<float> {
  using Words = std::uint32_t;
  using Integers = std::int32_t;
};

[[nodiscard, gnu::always_inline]] inline float lane_roots(float v) { return std::sqrt(v); }
/// The square roots, by the IEEE operation. (g++ makes no vector code of std::sqrt, since it sets errno.)
[[nodiscard, gnu::always_inline]] inline OctetFloats lane_roots(OctetFloats v) {
#if FLTR_INTRINSICS && defined(__AVX__)
  return std::bit_cast<OctetFloats>(_mm256_sqrt_ps(std::bit_cast<__m256>(v)));
#elif FLTR_INTRINSICS
  return std::bit_cast<OctetFloats>(_mm_sqrt_ps(std::bit_cast<__m128>(v)));
#else
  for (std::size_t i = 0; i < octet_floats; ++i) v[i] = std::sqrt(v[i]);
  return v;
#endif
}

[[nodiscard, gnu::always_inline]] inline float to_floats(std::int32_t v) { return static_cast<float>(v); }
[[nodiscard, gnu::always_inline]] inline OctetFloats to_floats(OctetIntegers v) {
  return __builtin_convertvector(v, OctetFloats);
}

/// log(x) for normal x > 0. The error is below 1 ulp. The scheme is that of reduced_log, with 4 coefficients.
template <class V>
[[nodiscard, gnu::always_inline]] inline V float_log(V x) {
  using Words = typename LaneIntegersOf<V>::Words;
  using Integers = typename LaneIntegersOf<V>::Integers;
  constexpr std::uint32_t root_half = 0x3F3504F3U;  // √½
  Words const bits = std::bit_cast<Words>(x) + (0x3F800000U - root_half);
  V const k = to_floats(std::bit_cast<Integers>(bits >> 23U) - 127);
  V const f = std::bit_cast<V>((bits & 0x007FFFFFU) + root_half) - 1.0F;
  V const half = simd::rounded_product(simd::rounded_product(f, 0.5F), f);
  V const s = f / (2.0F + f);
  V const z = simd::rounded_product(s, s);
  V const w = simd::rounded_product(z, z);
  V const even = 0x1.555554p-1F + simd::rounded_product(w, 0x1.2438d8p-2F);
  V const odd = 0x1.999a7ap-2F + simd::rounded_product(w, 0x1.e2f654p-3F);
  V const rest = simd::rounded_product(z, even) + simd::rounded_product(w, odd);
  // ln 2 in two parts: k times the first part is exact.
  V const low = simd::rounded_product(s, half + rest) + simd::rounded_product(k, 0x1.7f7d1cp-20F);
  return simd::rounded_product(k, 0x1.62e400p-1F) - ((half - low) - f);
}

/// exp(x) for −87 ≤ x ≤ 88. The error is below 1 ulp.
///
/// x = n ln 2 + r with an integer n and |r| ≤ ln 2 / 2, and exp(r) = 1 + r + r² q(r) with a minimax polynomial q of
/// degree 4, with a relative error of exp(r) below 2⁻²⁸.
template <class V>
[[nodiscard, gnu::always_inline]] inline V float_exp(V x) {
  using Words = typename LaneIntegersOf<V>::Words;
  constexpr float integers = 0x1.8p23F;  // adding it rounds to an integer, which the low bits of the sum hold
  V const shifted = simd::rounded(simd::rounded_product(x, 0x1.715476p+0F) + integers);
  V const n = shifted - integers;
  V const high = x - simd::rounded_product(n, 0x1.62e400p-1F);  // exact
  V const low = simd::rounded_product(n, 0x1.7f7d1cp-20F);
  V const r = high - low;
  V const r2 = simd::rounded_product(r, r);
  V const q01 = 0x1.fffffcp-2F + simd::rounded_product(r, 0x1.555490p-3F);
  V const q23 = 0x1.5558f4p-5F + simd::rounded_product(r, 0x1.123a6ap-7F);
  V const q = q01 + simd::rounded_product(r2, q23 + simd::rounded_product(r2, 0x1.6a2358p-10F));
  V const exp_r = 1.0F + (high + (simd::rounded_product(r2, q) - low));
  return std::bit_cast<V>(std::bit_cast<Words>(exp_r) + (std::bit_cast<Words>(shifted) << 23U));
}

/// The cosine and sine of π h for the 2²⁴ numbers h = number · 2⁻²³ − 1 of [−1, 1). The error is below 2⁻²³.
///
/// h = q / 2 + r with an integer q and |r| ≤ 1/4, without rounding. cos(πr) and sin(πr) are minimax polynomials with
/// relative errors below 2⁻²⁸.
template <class V, class W>
[[gnu::always_inline]] inline void float_cosine_sine(W number, V& cosine, V& sine) {
  using Words = typename LaneIntegersOf<V>::Words;
  using Integers = typename LaneIntegersOf<V>::Integers;
  Words const quarters = (number + (1U << 21U)) >> 22U;  // q + 2
  V const r = simd::rounded_product(to_floats(std::bit_cast<Integers>(number - (quarters << 22U))), 0x1p-23F);
  V const z = simd::rounded_product(r, r);
  V const s_rest = 0x1.466030p+1F + simd::rounded_product(z, -0x1.2dd046p-1F);
  V const s = 0x1.921fb6p+1F + simd::rounded_product(z, -0x1.4abbc0p+2F + simd::rounded_product(z, s_rest));
  V const sin_r = simd::rounded_product(r, s);
  V const c_rest = -0x1.55c664p+0F + simd::rounded_product(z, 0x1.d9f7bep-3F);
  V const c = -0x1.3bd3ccp+2F + simd::rounded_product(z, 0x1.03c1dep+2F + simd::rounded_product(z, c_rest));
  V const cos_r = 1.0F + simd::rounded_product(z, c);
  // Two quarters change both signs. An odd number of quarters swaps the two and changes the sign of one.
  Words const swap = 0U - (quarters & 1U);
  Words const a = std::bit_cast<Words>(cos_r);
  Words const b = std::bit_cast<Words>(sin_r);
  Words const cos_sign = (((quarters + 3U) & 2U) << 30U);
  Words const sin_sign = (((quarters + 2U) & 2U) << 30U);
  cosine = std::bit_cast<V>(((a & ~swap) | (b & swap)) ^ cos_sign);
  sine = std::bit_cast<V>(((b & ~swap) | (a & swap)) ^ sin_sign);
}

}  // namespace fltr::detail
