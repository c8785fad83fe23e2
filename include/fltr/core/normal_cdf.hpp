#pragma once

#include <cmath>
#include <numbers>

namespace fltr {

/// Φ(x), the distribution function of the standard normal distribution. The relative error is small in both tails.
[[nodiscard]] inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace fltr
