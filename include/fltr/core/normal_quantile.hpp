#pragma once

#include <fltr/core/error.hpp>
#include <fltr/core/normal_cdf.hpp>

namespace fltr {

/// Φ⁻¹(p), the inverse of normal_cdf, with the same bits on every processor. Requires 0 < p < 1. It bisects until no
/// double lies between the bounds, so its error is that of normal_cdf: below 2⁻⁴⁹ relative in the smaller tail. It
/// calls normal_cdf about 60 times.
[[nodiscard]] inline double normal_quantile(double p) {
  require(p > 0.0 && p < 1.0, "normal_quantile", "a probability in (0, 1)", p);
  if (p > 0.5) return -normal_quantile(1.0 - p);  // 1 − p is exact, and the lower tail has more digits
  if (p == 0.5) return 0.0;
  double low = -39.0;  // Φ(−39) is 0 in double
  double high = 0.0;
  for (;;) {
    double const middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) return high;
    (normal_cdf(middle) < p ? low : high) = middle;
  }
}

}  // namespace fltr
