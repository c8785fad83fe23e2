#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fltr/core/error.hpp>

namespace fltr::detail {

/// ln K_ν(x) for 0 < ν < ½. K underflows beyond x = 700. So from x = 300 on the result is the asymptotic series up to
/// its second term. The terms alternate in sign: this is a lower bound on ln K, so that the privacy loss is an upper
/// bound.
[[nodiscard]] inline double log_bessel_k(double order, double x) {
  if (x < 300.0) return std::log(std::cyl_bessel_k(order, x));
  double const correction = (4.0 * order * order - 1.0) / (8.0 * x);
  return 0.5 * std::log(std::numbers::pi / (2.0 * x)) - x + std::log1p(correction);
}

/// g(s) of GammaNoise: the privacy loss of one coordinate if only a share ν of the noise is in the sum, ½ < ν < 1.
///
/// The noise is the difference of two Gamma(ν) variables, in units of the noise scale. Its density is
/// c |x|^(ν−½) K_(ν−½)(|x|). g(s) is the largest logarithm of the ratio of two such densities that are shifted by s.
/// The ratio is largest at the peak of one of the densities.
///
/// It uses functions of the standard library, whose last bits depend on the processor. No noise depends on this number.
/// It is part of the accounted epsilon, which is reported and also decides when a finite epsilon_budget ends a run. That
/// comparison has a relative slack of 1e-12.
[[nodiscard]] inline double missing_noise_loss(double share, double shift) {
  require(share > 0.5 && share < 1.0, "GammaNoise", "a share of the noise above 1/2 and below 1", share);
  if (!(shift > 0.0)) return 0.0;
  double const order = share - 0.5;
  double const peak = std::log(std::tgamma(order)) + (order - 1.0) * std::numbers::ln2;
  return std::max(0.0, peak - order * std::log(shift) - log_bessel_k(order, shift));
}

}  // namespace fltr::detail
