#pragma once

#include <fltr/core/logarithm.hpp>
#include <fltr/core/normal_cdf.hpp>

namespace fltr::detail {

/// ln Φ(x), also where Φ(x) underflows: below −36 by the asymptotic series, with an error below 1e-11.
[[nodiscard]] inline double log_normal_cdf(double x) {
  if (x > -36.0) return math::log(normal_cdf(x));
  constexpr double log_root_two_pi = 0x1.d67f1c864beb5p-1;
  double const s = 1.0 / (x * x);
  return -0.5 * x * x - math::log(-x) - log_root_two_pi + math::log1p(s * (-1.0 + s * (3.0 - 15.0 * s)));
}

}  // namespace fltr::detail
