#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/normal_cdf.hpp>

namespace fltr::detail {

/// An upper bound on δ(σ) = Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ), the δ of Gaussian noise for sensitivity 1 (Balle and Wang
/// 2018). For small ε the two terms are nearly equal, so the bound adds their rounding errors: 2^-48 (1 + x² + ε) of
/// each term, with x = 1/2σ + εσ. e^ε Φ(−x) is computed with logarithms, because e^ε alone may overflow.
[[nodiscard]] inline double gaussian_delta_bound(double epsilon, double sigma) {
  double const a = 0.5 / sigma;
  double const b = epsilon * sigma;
  double const first = normal_cdf(a - b);
  double const tail = normal_cdf(-a - b);
  double const second = tail > 0.0 ? math::exp(epsilon + math::log(tail)) : 0.0;
  return first - second + 0x1p-48 * (1.0 + (a + b) * (a + b) + epsilon) * (first + second);
}

/// The smallest σ with δ(σ) ≤ δ for sensitivity 1, rounded up. δ(σ) falls, and its derivative is −φ(1/2σ − εσ) / σ².
/// The search takes Newton steps on ln δ within a bracket.
[[nodiscard]] inline double smallest_gaussian_sigma(double epsilon, double delta) {
  double low = 0.0;
  double high = 1.0;
  while (gaussian_delta_bound(epsilon, high) > delta) {
    low = high;
    high *= 2.0;
  }
  double sigma = high;
  for (int i = 0; i < 200 && high - low > high * 1e-14; ++i) {
    double const here = gaussian_delta_bound(epsilon, sigma);
    (here > delta ? low : high) = sigma;
    double const x = 0.5 / sigma - epsilon * sigma;
    double const slope = math::exp(-0.5 * x * x) / (std::sqrt(2.0 * std::numbers::pi) * sigma * sigma);
    double const newton = sigma + here * math::log(here / delta) / slope;
    bool const inside = newton > low && newton < high;
    if (inside && std::abs(newton - sigma) < sigma * 1e-13) break;
    sigma = inside ? newton : 0.5 * (low + high);
  }
  for (double step = 1e-14; gaussian_delta_bound(epsilon, sigma) > delta; step *= 2.0) sigma *= 1.0 + step;
  return sigma;
}

/// η: the largest difference between the logarithms of two densities: that of the discrete noise plus a uniform number
/// within one step, and that of the continuous noise. `scale` is σ in steps. See GaussianNoise.
[[nodiscard]] inline double gaussian_grid_slack(std::size_t dimension, double scale) {
  auto const d = static_cast<double>(dimension);
  return std::sqrt(d) * (std::sqrt(d) + 20.0) / (2.0 * scale) + d / (8.0 * scale * scale);
}

}  // namespace fltr::detail
