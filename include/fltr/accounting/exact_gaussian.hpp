#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/normal_cdf.hpp>

namespace fltr {

/// The smallest δ(ε) of Gaussian noise of standard deviation `sigma` for sensitivity 1 (Balle and Wang 2018):
///
///     δ = Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ)
///
/// It is an upper bound: for small ε the two terms are nearly equal, so their rounding errors are added, 2^-48
/// (1 + x² + ε) of each term with x = 1/2σ + εσ. T rounds with σ are one round with σ / √T. It holds for continuous
/// noise only.
[[nodiscard]] inline double exact_gaussian_delta(double epsilon, double sigma) {
  double const a = 0.5 / sigma;
  double const b = epsilon * sigma;
  double const first = normal_cdf(a - b);
  double const tail = normal_cdf(-a - b);
  double const second = tail > 0.0 ? math::exp(epsilon + math::log(tail)) : 0.0;
  return first - second + 0x1p-48 * (1.0 + (a + b) * (a + b) + epsilon) * (first + second);
}

/// The smallest ε ≥ 0 with δ(ε) ≤ δ, rounded up. Inverts `exact_gaussian_delta`.
[[nodiscard]] inline double exact_gaussian_epsilon(double delta, double sigma) {
  require(delta > 0.0 && delta < 1.0, "exact_gaussian_epsilon", "a delta in (0, 1)", delta);
  require(sigma > 0.0, "exact_gaussian_epsilon", "a sigma > 0", sigma);
  if (exact_gaussian_delta(0.0, sigma) <= delta) return 0.0;
  double low = 0.0;
  double high = 1.0;
  while (exact_gaussian_delta(high, sigma) > delta) {
    low = high;
    high *= 2.0;
    if (!(high < 1e300)) return std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < 200 && high - low > high * 1e-14; ++i) {
    double const middle = 0.5 * (low + high);
    (exact_gaussian_delta(middle, sigma) > delta ? low : high) = middle;
  }
  return high;
}

/// The smallest σ with δ(σ) ≤ δ for sensitivity 1, rounded up. δ(σ) falls, and its derivative is −φ(1/2σ − εσ) / σ².
/// The search takes Newton steps on ln δ within a bracket.
[[nodiscard]] inline double exact_gaussian_sigma(double epsilon, double delta) {
  require(epsilon >= 0.0 && std::isfinite(epsilon), "exact_gaussian_sigma", "a finite epsilon >= 0", epsilon);
  require(delta > 0.0 && delta < 1.0, "exact_gaussian_sigma", "a delta in (0, 1)", delta);
  double low = 0.0;
  double high = 1.0;
  while (exact_gaussian_delta(epsilon, high) > delta) {
    low = high;
    high *= 2.0;
  }
  double sigma = high;
  for (int i = 0; i < 200 && high - low > high * 1e-14; ++i) {
    double const here = exact_gaussian_delta(epsilon, sigma);
    (here > delta ? low : high) = sigma;
    double const x = 0.5 / sigma - epsilon * sigma;
    double const slope = math::exp(-0.5 * x * x) / (std::sqrt(2.0 * std::numbers::pi) * sigma * sigma);
    double const newton = sigma + here * math::log(here / delta) / slope;
    bool const inside = newton > low && newton < high;
    if (inside && std::abs(newton - sigma) < sigma * 1e-13) break;
    sigma = inside ? newton : 0.5 * (low + high);
  }
  for (double step = 1e-14; exact_gaussian_delta(epsilon, sigma) > delta; step *= 2.0) sigma *= 1.0 + step;
  return sigma;
}

}  // namespace fltr
