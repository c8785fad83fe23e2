#pragma once

#include <bit>
#include <cstdint>

#include <fltr/core/detail/native_vector.hpp>

namespace fltr::math {

struct SineCosine {
  double sine;
  double cosine;
};

/// The sine and cosine of 2π · turns. The error is below 0.85 ulp. Requires |turns| ≤ 2⁴⁸.
///
/// turns = q / 4 + r with an integer q and |r| ≤ 1/8, without rounding. The angle 2πr is computed as a sum of two
/// numbers. Sine and cosine of the angle are minimax polynomials with relative errors below 2⁻⁵⁸.
[[nodiscard]] inline SineCosine sine_cosine_of_turns(double turns) {
  using detail::rounded;
  using detail::rounded_product;
  constexpr double integers = 0x1.8p52;  // adding it rounds to an integer, which the low bits of the sum hold
  double const shifted = rounded(turns * 4.0 + integers);  // · 4 is exact
  double const r = turns - (shifted - integers) * 0.25;
  // 2π in two parts and r in two parts of at most 26 bits: the product of the first parts is exact.
  constexpr double two_pi = 0x1.921fb54442d18p+2;
  constexpr double two_pi_high = 0x1.921fb58000000p+2;
  constexpr double two_pi_low = -0x1.dde973dcb3b3ap-25;
  double const r_high = std::bit_cast<double>((std::bit_cast<std::uint64_t>(r) + 0x4000000U) & ~0x7FFFFFFULL);
  double const product = rounded_product(r_high, two_pi_high);
  double const rest = rounded_product(r_high, two_pi_low) + rounded_product(r - r_high, two_pi);
  double const x = rounded(product + rest);
  double const tail = (product - x) + rest;

  double const z = rounded_product(x, x);
  double const w = rounded_product(z, z);
  double const s_low =
      0x1.111111110f881p-7 + rounded_product(z, -0x1.a01a019c126f7p-13 + rounded_product(z, 0x1.71de357876f8ap-19));
  double const s_high = -0x1.ae5e66d6139d0p-26 + rounded_product(z, 0x1.5d932f6c0cdeap-33);
  double const s = s_low + rounded_product(rounded_product(z, w), s_high);
  double const cube = rounded_product(z, x);
  double const s_tail = rounded_product(z, rounded_product(tail, 0.5) - rounded_product(cube, s)) - tail;
  double const sine = x - (s_tail - rounded_product(cube, -0x1.5555555555549p-3));

  double const c_low =
      0x1.555555555554cp-5 + rounded_product(z, -0x1.6c16c16c15185p-10 + rounded_product(z, 0x1.a01a019cb2782p-16));
  double const c_high =
      -0x1.27e4f80a7bfb6p-22 + rounded_product(z, 0x1.1ee9ec4afc5bfp-29 + rounded_product(z, -0x1.8faed0a8d696bp-37));
  double const c = rounded_product(z, c_low) + rounded_product(rounded_product(w, w), c_high);
  double const half = 0.5 * z;
  double const first = 1.0 - half;
  double const cosine = first + (((1.0 - first) - half) + (rounded_product(z, c) - rounded_product(x, tail)));

  // A quarter turn swaps the two and changes the sign of one.
  std::uint64_t const quarters = std::bit_cast<std::uint64_t>(shifted);
  bool const swapped = (quarters & 1U) != 0;
  double const a = swapped ? cosine : sine;
  double const b = swapped ? sine : cosine;
  return {(quarters & 2U) != 0 ? -a : a, ((quarters + 1U) & 2U) != 0 ? -b : b};
}

}  // namespace fltr::math
