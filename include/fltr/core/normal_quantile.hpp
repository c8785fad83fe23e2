#pragma once

#include <cmath>

#include <fltr/core/error.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/normal_cdf.hpp>

namespace fltr {

/// Φ⁻¹(p), the inverse of normal_cdf, with the same bits on every processor. Requires 0 < p < 1. The error is that of
/// normal_cdf, a few ulp of Φ⁻¹(p) outside of (0.4, 0.6) and 1e-15 inside.
///
/// Newton's method for ln Φ(x) = ln p. ln Φ is concave and increasing, and Φ(−√(−2 ln p)) < p for p ≤ ½. So from there
/// every step ends below the root, and rounding errors stop the rise at the root, after 4 to 9 steps.
[[nodiscard]] inline double normal_quantile(double p) {
  require(p > 0.0 && p < 1.0, "normal_quantile", "a probability in (0, 1)", p);
  if (p > 0.5) return -normal_quantile(1.0 - p);  // 1 − p is exact, and the lower tail has more digits
  if (p == 0.5) return 0.0;
  constexpr int most_steps = 20;
  double const log_p = math::log(p);
  double x = -std::sqrt(-2.0 * log_p);
  for (int step = 0; step < most_steps; ++step) {
    double const below = normal_cdf(x);
    if (!(below > 0.0)) {  // p is subnormal
      x += 0.0625;
      continue;
    }
    double const next = x + (log_p - math::log(below)) * (below / detail::normal_density(x));
    if (!(next > x)) break;
    x = next;
  }
  return x;
}

}  // namespace fltr
