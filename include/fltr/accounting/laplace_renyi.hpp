#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// The Rényi divergence of order α > 1 between Laplace noise and the same noise shifted by `shift` (in units of its
/// scale). `step` = 0 is the continuous distribution. Otherwise the noise is the discrete Laplace distribution on a grid
/// of this step (in the same unit), and the shift is a whole number of steps.
///
///     (α − 1) D = ln [½ (A + B) + ½ (A − B) r],  A = e^((α−1) s),  B = e^(−αs),
///     r = 1 / (2α − 1), or tanh(h/2) / tanh((2α−1) h/2) on a grid of step h.
///
/// Rounding errors are added, so that the result is an upper bound; it is at most α s²/2 and at most s. D is convex in s
/// and 0 at s = 0. So D(s) + D(t) ≤ D(s + t): of all shifts with the same L1 norm, one coordinate is the worst.
[[nodiscard]] inline double laplace_renyi(double order, double shift, double step = 0.0) {
  double const limit = std::min(shift, order * shift * shift / 2.0);
  if (!(limit > 0.0) || !(limit < 1e300)) return limit;
  auto const hyperbolic_tangent = [](double x) {
    double const e = math::expm1(std::min(2.0 * x, 80.0));
    return e / (e + 2.0);
  };
  double const m = 2.0 * order - 1.0;
  double const y = m * step / 2.0;
  double r = 1.0 / m;
  if (y >= 1e-3)
    r = hyperbolic_tangent(step / 2.0) / hyperbolic_tangent(y);
  else if (y > 0.0)
    r /= 1.0 - y * y / 3.0;  // at least the quotient: tanh x ≤ x and tanh y ≥ y − y³/3
  double const up = (order - 1.0) * shift;
  double const plus = 0.5 * (1.0 + r);
  double const minus = 0.5 * (1.0 - r);
  double const log_sum = up > 1.0 ? up + math::log(plus) + math::log1p(minus / plus * math::exp(-m * shift))
                                  : math::log1p(plus * math::expm1(up) + minus * math::expm1(-order * shift));
  double const rounding = 0x1p-48 * (up + order * shift * minus + 0x1p-4);
  return std::min(limit, (log_sum + rounding) / (order - 1.0));
}

/// The Rényi divergence of Laplace noise in each of d coordinates for a shift of L2 norm `shift`: at most d · D(shift/√d).
/// The equal split is the worst: D′ is concave in s with D′(0) = 0, so D is concave as a function of s².
[[nodiscard]] inline double laplace_renyi_l2(double order, double shift, std::size_t dimension) {
  auto const d = static_cast<double>(dimension);
  if (dimension == 0) return 0.0;
  return std::min(order * shift * shift / 2.0, d * laplace_renyi(order, shift / std::sqrt(d)));
}

namespace detail {

/// The last curve of a thread, and the arguments of which it is.
struct KeptCurve {
  double shift = -1.0;
  double step = 0.0;
  std::size_t dimension = 0;
  std::vector<double> values{};
};

}  // namespace detail

/// laplace_renyi at each of `renyi_orders`. Each thread keeps the last curve: trainings ask for the same one again.
[[nodiscard]] inline std::vector<double> laplace_renyi_curve(double shift, double step) {
  thread_local detail::KeptCurve kept;
  if (kept.shift != shift || kept.step != step) {
    kept = {shift, step, 0, {}};
    for (double const order : renyi_orders) kept.values.push_back(laplace_renyi(order, shift, step));
  }
  return kept.values;
}

/// laplace_renyi_l2 at each of `renyi_orders`. Each thread keeps the last curve.
[[nodiscard]] inline std::vector<double> laplace_renyi_l2_curve(double shift, std::size_t dimension) {
  thread_local detail::KeptCurve kept;
  if (kept.shift != shift || kept.dimension != dimension) {
    kept = {shift, 0.0, dimension, {}};
    for (double const order : renyi_orders) kept.values.push_back(laplace_renyi_l2(order, shift, dimension));
  }
  return kept.values;
}

}  // namespace fltr
