#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// Poisson with the mean numerator / denominator ≤ 1/2, without rounding error. k has the probability 2^−(k+1) and is
/// kept with probability Π_{j≤k} 2 mean / j.
[[nodiscard]] inline std::uint64_t small_exact_poisson(Stream& stream, std::uint64_t numerator,
                                                       std::uint64_t denominator) {
  for (;;) {
    std::uint64_t k = 0;
    int ones = 32;
    while (ones == 32) {
      ones = std::countr_one(stream());
      k += static_cast<std::uint64_t>(ones);
    }
    std::uint64_t j = 1;
    while (j <= k && exact_bernoulli(stream, 2 * Uint128{numerator}, Uint128{denominator} * j)) ++j;
    if (j > k) return k;
  }
}

/// Poisson with the mean numerator / denominator, without rounding error: the sum of parts of mean at most 1/2.
[[nodiscard]] inline std::uint64_t exact_poisson(Stream& stream, std::uint64_t numerator, std::uint64_t denominator) {
  std::uint64_t total = 0;
  for (std::uint64_t halves = 2 * numerator / denominator; halves > 0; --halves)
    total += small_exact_poisson(stream, 1, 2);
  return total + small_exact_poisson(stream, 2 * numerator % denominator, 2 * denominator);
}

/// True with probability 2/e = 1 − 1/3 + 1/12 − 1/60 + …, without rounding error: the first failure of trials with
/// probability 1/3, 1/4, 1/5, … has an odd number.
[[nodiscard]] inline bool exact_two_over_e(Stream& stream) {
  std::uint32_t trial = 3;
  while (exact_bernoulli(stream, 1, trial)) ++trial;
  return trial % 2 == 1;
}

/// Draws `count` Polya numbers, P(k) ∝ Γ(k + 1/shares) / k! · e^(−k/scale), without rounding error. Calls `use(i, j)` any
/// number of times for each i: the i-th number is the sum of its j. The sum of `shares` such numbers is geometric.
///
/// A Polya number is Σ j N_j with independent N_j ~ Poisson(e^(−j/scale) / (j · shares)). Points (i, j) are drawn with a
/// larger intensity, 1/shares in each range [2^g, 2^(g+1)) of j, and kept with the quotient of the intensities. Beyond
/// 2^g ≥ scale the ranges have the constant length 2^g, and their intensities the factors 1, 1/2, 1/4, …
template <class Use>
void polya_steps(Stream& stream, std::uint64_t scale, std::uint64_t shares, std::uint64_t count, Use const& use) {
  if (count == 0) return;
  auto const growing = static_cast<std::uint32_t>(std::bit_width(scale - 1));  // ranges below 2^growing ≥ scale
  for (std::uint64_t points = exact_poisson(stream, count * (growing + 2), shares); points > 0; --points) {
    std::uint64_t const i = stream.below64(count);
    std::uint32_t const range = stream.below(growing + 2);
    std::uint64_t const start = std::uint64_t{1} << (range < growing ? range : growing);
    std::uint64_t j = start + stream.below64(start);
    bool kept = true;
    if (range < growing) {
      kept = exact_bernoulli_exp(stream, j, scale);
    } else {
      kept = exact_bernoulli_exp(stream, j, scale);
      while (kept && stream() % 2 == 1) {  // the next range; e^(−start/scale) · 2 = 2/e · e^(−(start − scale)/scale)
        j += start;
        kept = exact_two_over_e(stream) && exact_bernoulli_exp(stream, start - scale, scale);
      }
    }
    if (kept && exact_bernoulli(stream, start, j)) use(i, static_cast<std::int64_t>(j));
  }
}

}  // namespace fltr::detail
