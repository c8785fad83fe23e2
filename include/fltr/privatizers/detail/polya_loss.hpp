#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr::detail {

/// ln f(0) / f(k): the privacy loss of one coordinate that is shifted by k steps, if the noise is X − X′ with Polya numbers
/// X, X′ of shape ν, P(X = j) ∝ c_j = Γ(j + ν) / (Γ(ν) j!) · e^(−j/scale), and ν < 1. f is the distribution of X − X′.
///
/// Proof: c_j = ∫ (x e^(−1/scale))^j dBeta(ν, 1 − ν)(x). So f(k) ∝ Σ_j c_j c_{j+k} is a mixture of powers y^k for k ≥ 0,
/// and ln f is convex there. f falls with |k|. Therefore the ratio of f at two places with the distance k is largest at 0
/// and k.
///
/// The sums are truncated and rounded so that the result is an upper bound.
[[nodiscard]] inline double polya_step_loss(double share, std::uint64_t scale, std::uint64_t k) {
  require(share > 0.0 && share < 1.0, "polya_step_loss", "a share of the noise above 0 and below 1", share);
  if (k == 0) return 0.0;
  double const p = math::exp(-1.0 / static_cast<double>(scale));
  double const square = p * p;
  // Σ_j c_j c_{j+k}, divided by its first term. All quotients of terms are at most p².
  auto const sum = [&](double shift, bool upper) {
    double total = 0.0;
    double term = 1.0;
    double j = 0.0;
    for (; term > total * 1e-12 * (1.0 - square); j += 1.0) {
      total += term;
      term *= (share + j) / (j + 1.0) * ((share + j + shift) / (j + shift + 1.0)) * square;
    }
    return upper ? total + term / (1.0 - square) : total;
  };
  double log_first = -static_cast<double>(k) / static_cast<double>(scale);  // ln c_k
  double product = 1.0;
  for (std::uint64_t i = 0; i < k; ++i) {
    product *= (share + static_cast<double>(i)) / static_cast<double>(i + 1);
    if (product < 1e-200) {
      log_first += math::log(product);
      product = 1.0;
    }
  }
  log_first += math::log(product);
  return math::log(sum(0.0, true)) - log_first - math::log(sum(static_cast<double>(k), false)) + 1e-8;
}

/// The same for a shift that is not a whole number, by linear interpolation. It is concave in the shift.
[[nodiscard]] inline double polya_loss(double share, std::uint64_t scale, double shift) {
  double const below = std::floor(shift);
  auto const k = static_cast<std::uint64_t>(below);
  double const low = polya_step_loss(share, scale, k);
  if (shift == below) return low;
  return low + (shift - below) * std::max(0.0, polya_step_loss(share, scale, k + 1) - low);
}

}  // namespace fltr::detail
