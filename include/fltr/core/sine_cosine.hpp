#pragma once

#include <bit>
#include <cstdint>

#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

template <class V>
struct SineCosineLanes {
  V sine;
  V cosine;
};

/// math::sine_cosine_of_turns for a double or a DoubleVector, with the same bits for both and for every register width.
///
/// turns = q / 4 + r with an integer q and |r| ≤ 1/8, without rounding. The angle 2πr is computed as a sum of two
/// numbers. Sine and cosine of the angle are minimax polynomials with relative errors below 2⁻⁵⁸.
template <class V>
[[nodiscard, gnu::always_inline]] inline SineCosineLanes<V> sine_cosine_lanes(V turns) {
  using Words = typename simd::WordsOf<V>::type;
  constexpr double integers = 0x1.8p52;  // adding it rounds to an integer, in the low bits of the sum
  V const shifted = simd::rounded(turns * 4.0 + integers);  // · 4 is exact
  V const r = turns - (shifted - integers) * 0.25;
  // 2π in two parts and r in two parts of at most 26 bits: the product of the first parts is exact.
  constexpr double two_pi = 0x1.921fb54442d18p+2;
  constexpr double two_pi_high = 0x1.921fb58000000p+2;
  constexpr double two_pi_low = -0x1.dde973dcb3b3ap-25;
  V const r_high = std::bit_cast<V>((std::bit_cast<Words>(r) + 0x4000000U) & ~std::uint64_t{0x7FFFFFFU});
  V const product = simd::rounded_product(r_high, two_pi_high);
  V const rest = simd::rounded_product(r_high, two_pi_low) + simd::rounded_product(r - r_high, two_pi);
  V const x = simd::rounded(product + rest);
  V const tail = (product - x) + rest;

  V const z = simd::rounded_product(x, x);
  V const w = simd::rounded_product(z, z);
  V const s_low = 0x1.111111110f881p-7 +
                  simd::rounded_product(z, -0x1.a01a019c126f7p-13 + simd::rounded_product(z, 0x1.71de357876f8ap-19));
  V const s_high = -0x1.ae5e66d6139d0p-26 + simd::rounded_product(z, 0x1.5d932f6c0cdeap-33);
  V const s = s_low + simd::rounded_product(simd::rounded_product(z, w), s_high);
  V const cube = simd::rounded_product(z, x);
  V const s_tail = simd::rounded_product(z, simd::rounded_product(tail, 0.5) - simd::rounded_product(cube, s)) - tail;
  V const sine = x - (s_tail - simd::rounded_product(cube, -0x1.5555555555549p-3));

  V const c_low = 0x1.555555555554cp-5 +
                  simd::rounded_product(z, -0x1.6c16c16c15185p-10 + simd::rounded_product(z, 0x1.a01a019cb2782p-16));
  V const c_high = -0x1.27e4f80a7bfb6p-22 +
                   simd::rounded_product(z, 0x1.1ee9ec4afc5bfp-29 + simd::rounded_product(z, -0x1.8faed0a8d696bp-37));
  V const c = simd::rounded_product(z, c_low) + simd::rounded_product(simd::rounded_product(w, w), c_high);
  V const half = simd::rounded_product(z, 0.5);
  V const first = 1.0 - half;
  V const cosine = first + (((1.0 - first) - half) + (simd::rounded_product(z, c) - simd::rounded_product(x, tail)));

  // A quarter turn swaps the two and changes the sign of one. Bit 63 is the sign.
  Words const quarters = std::bit_cast<Words>(shifted);
  V const a = (quarters & 1U) != 0 ? cosine : sine;
  V const b = (quarters & 1U) != 0 ? sine : cosine;
  return {std::bit_cast<V>(std::bit_cast<Words>(a) ^ ((quarters & 2U) << 62U)),
          std::bit_cast<V>(std::bit_cast<Words>(b) ^ (((quarters + 1U) & 2U) << 62U))};
}

}  // namespace fltr::detail

namespace fltr::math {

struct SineCosine {
  double sine;
  double cosine;
};

/// The sine and cosine of 2π · turns. The error is below 0.85 ulp. Requires |turns| ≤ 2⁴⁸.
[[nodiscard]] inline SineCosine sine_cosine_of_turns(double turns) {
  auto const [sine, cosine] = detail::sine_cosine_lanes(turns);
  return {sine, cosine};
}

}  // namespace fltr::math
