#pragma once

#include <cstdint>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/uint128.hpp>

/// Integer noise without rounding errors (Canonne, Kamath and Steinke 2020). Every decision compares random bits with a
/// fraction of integers, so that the probabilities equal those of the formulas. Rounded probabilities can reveal the
/// secret (Mironov 2012).
namespace fltr {

namespace detail {

/// Whether a uniform number in [0, 1) is below numerator / denominator < 1. The first 64 binary digits of the number
/// are `drawn`. Each call of `more` returns the next 64 digits; it is called until the digits differ from the
/// fraction's.
template <class More>
[[nodiscard]] bool digits_below(std::uint64_t drawn, Uint128 numerator, Uint128 denominator, More const& more) {
  for (;;) {
    std::uint64_t digits = 0;  // the next 64 binary digits of the fraction
    for (int i = 0; i < 4; ++i) {
      numerator <<= 16U;
      digits = (digits << 16U) | static_cast<std::uint64_t>(numerator / denominator);
      numerator %= denominator;
    }
    if (drawn != digits) return drawn < digits;
    if (numerator == 0) return false;
    drawn = more();
  }
}

/// True with probability numerator / denominator, without rounding error. Requires numerator ≤ denominator < 2^112.
///
/// The uniform number is first compared with the fraction in double. The digits of the fraction are computed only if
/// the two numbers are too close for double, which happens once in 2^49 draws.
[[nodiscard]] inline bool exact_bernoulli(Stream& stream, Uint128 numerator, Uint128 denominator) {
  if (numerator >= denominator) return true;
  std::uint64_t const drawn = stream.bits64();
  double const probability = static_cast<double>(numerator) / static_cast<double>(denominator);
  double const below = static_cast<double>(drawn >> 11U) * 0x1p-53;  // drawn · 2^-64 lies in [below, below + 2^-53)
  if (below + 0x1p-53 <= probability * (1.0 - 0x1p-50)) return true;
  if (below >= probability * (1.0 + 0x1p-50)) return false;
  return digits_below(drawn, numerator, denominator, [&] { return stream.bits64(); });
}

/// True with probability exp(−numerator / denominator), without rounding error. Requires 0 < denominator < 2^98.
[[nodiscard]] inline bool exact_bernoulli_exp(Stream& stream, Uint128 numerator, Uint128 denominator) {
  // exp(−x) for x in [0, 1] is the probability that, in trials of probability x/1, x/2, x/3, …, the first failure has
  // an odd number.
  auto const up_to_one = [&](Uint128 x) {
    std::uint32_t trial = 1;
    while (exact_bernoulli(stream, x, denominator * trial)) ++trial;
    return trial % 2 == 1;
  };
  for (; numerator > denominator; numerator -= denominator)
    if (!up_to_one(denominator)) return false;
  return up_to_one(numerator);
}

}  // namespace detail

/// The largest scale of discrete_laplace and discrete_gaussian.
inline constexpr std::uint64_t largest_discrete_scale = std::uint64_t{1} << 24U;

/// An integer with P(k) ∝ exp(−|k| / scale). Requires 1 ≤ scale ≤ 2^24.
[[nodiscard]] inline std::int64_t discrete_laplace(Stream& stream, std::uint64_t scale) {
  require(scale >= 1 && scale <= largest_discrete_scale, "discrete_laplace", "a scale in [1, 2^24]", scale);
  for (;;) {
    // |k| = low + scale · high, where low is kept with probability exp(−low / scale) and high is geometric.
    std::uint64_t const low = stream.below64(scale);
    if (!detail::exact_bernoulli_exp(stream, low, scale)) continue;
    std::uint64_t high = 0;
    while (detail::exact_bernoulli_exp(stream, 1, 1)) ++high;
    auto const magnitude = static_cast<std::int64_t>(low + scale * high);
    bool const negative = stream() % 2 == 1;
    if (negative && magnitude == 0) continue;  // otherwise 0 would be twice as likely
    return negative ? -magnitude : magnitude;
  }
}

/// An integer with P(k) ∝ exp(−k² / (2 scale²)). Requires 1 ≤ scale < 2^24.
[[nodiscard]] inline std::int64_t discrete_gaussian(Stream& stream, std::uint64_t scale) {
  require(scale >= 1 && scale < largest_discrete_scale, "discrete_gaussian", "a scale in [1, 2^24)", scale);
  std::uint64_t const t = scale + 1;
  std::uint64_t const square = scale * scale;
  Uint128 const denominator = Uint128{2} * square * t * t;
  for (;;) {
    // A discrete Laplace draw of scale t is kept with probability exp(−(|k| − scale²/t)² / (2 scale²)).
    std::int64_t const k = discrete_laplace(stream, t);
    std::uint64_t const at = static_cast<std::uint64_t>(k < 0 ? -k : k) * t;
    Uint128 const distance = at > square ? at - square : square - at;
    if (detail::exact_bernoulli_exp(stream, distance * distance, denominator)) return k;
  }
}

}  // namespace fltr
