#pragma once

#include <algorithm>
#include <cmath>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// ε(δ) of ρ-zCDP: ρ + 2 √(ρ ln 1/δ) (Bun and Steinke 2016). The Rényi conversion of the line D_α = ρα is smaller.
[[nodiscard]] inline double zcdp_epsilon(double rho, double delta) {
  require(rho >= 0.0, "zcdp_epsilon", "a rho >= 0", rho);
  require(delta > 0.0 && delta < 1.0, "zcdp_epsilon", "a delta in (0, 1)", delta);
  return rho + 2.0 * std::sqrt(rho * -math::log(delta));
}

/// δ(ε) of ρ-zCDP, the inverse of `zcdp_epsilon`: e^(−(ε − ρ)² / 4ρ) for ε > ρ, otherwise 1.
[[nodiscard]] inline double zcdp_delta(double rho, double epsilon) {
  require(rho >= 0.0, "zcdp_delta", "a rho >= 0", rho);
  require(epsilon >= 0.0, "zcdp_delta", "an epsilon >= 0", epsilon);
  if (rho == 0.0) return 0.0;
  if (!(epsilon > rho)) return 1.0;
  return math::exp(-(epsilon - rho) * (epsilon - rho) / (4.0 * rho));
}

/// The largest ρ with `zcdp_epsilon(ρ, δ)` ≤ ε, for choosing noise: (√(ln 1/δ + ε) − √(ln 1/δ))².
[[nodiscard]] inline double zcdp_rho(double epsilon, double delta) {
  require(epsilon >= 0.0, "zcdp_rho", "an epsilon >= 0", epsilon);
  require(delta > 0.0 && delta < 1.0, "zcdp_rho", "a delta in (0, 1)", delta);
  double const log = -math::log(delta);
  double const root = epsilon / (std::sqrt(log + epsilon) + std::sqrt(log));
  return root * root;
}

/// ρ of Gaussian noise, continuous or discrete on a grid that the shift is a multiple of: ½ (shift / σ)².
[[nodiscard]] inline double gaussian_zcdp(double shift, double sigma) {
  double const ratio = shift / sigma;
  return 0.5 * ratio * ratio;
}

}  // namespace fltr
