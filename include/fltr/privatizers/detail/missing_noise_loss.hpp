#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr::detail {

/// ln Γ(x) for x > 0, by Stirling's series at x + 10. The absolute error is below 1e-14 for x of at most 2.
[[nodiscard]] inline double log_gamma(double x) {
  double product = 1.0;
  for (int i = 0; i < 10; ++i) product *= x + i;
  double const z = x + 10.0;
  double const r = 1.0 / (z * z);
  double const series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / z;
  return (z - 0.5) * math::log(z) - z + 0.5 * math::log(2.0 * std::numbers::pi) + series - math::log(product);
}

/// The noise of one coordinate of a sum that has a share ν of the noise of GammaNoise, ½ < ν < 1: the difference of two
/// Gamma(ν) variables, in units of the noise scale. With μ = ν − ½ its density is f(x) = f(0) e^(−g(|x|)),
///
///     f(0) = Γ(μ) / (2 √π Γ(ν)),  g(x) = ln [Γ(μ) 2^(μ−1) / (x^μ K_μ(x))],  g(0) = 0.
///
/// For x > 0, f(x) ∝ ∫ e^(−xτ) (τ² − 1)^(−ν) dτ over τ > 1. So f is completely monotone there. R = g′ is the mean of τ
/// under weights that fall with τ, −R′ is its variance and R″ its third central moment, which is not negative for weights
/// that fall. Hence R > 1, R falls and is convex, and g is concave and subadditive.
class MissingNoise {
 public:
  explicit MissingNoise(double share) : order_(share - 0.5) {
    require(share > 0.5 && share < 1.0, "GammaNoise", "a share of the noise above 1/2 and below 1", share);
    double const log_gamma_order = log_gamma(order_);
    peak_ = log_gamma_order + (order_ - 1.0) * std::numbers::ln2;
    density_ = math::exp(log_gamma_order - log_gamma(share)) / (2.0 * std::sqrt(std::numbers::pi));
    // Γ(1 − μ) / Γ(1 + μ)
    small_ = math::exp(log_gamma(1.0 - order_) - log_gamma(1.0 + order_));
    for (std::size_t j = 0; j < nodes; ++j) {
      rates_[j] = cosh_minus_1(step * static_cast<double>(j));
      weights_[j] = (j == 0 ? 0.5 : 1.0) * (1.0 + cosh_minus_1(order_ * step * static_cast<double>(j)));
    }
  }

  /// g(s): the pure privacy loss of a shift by s, because g is subadditive: the ratio of two densities that are shifted by
  /// s is largest at the peak of one of them. g(√u) is concave in u: its derivative R(s)/(2s) falls.
  [[nodiscard]] double loss(double shift) const {
    if (!(shift > 0.0)) return 0.0;
    if (shift < 1e-8) return -math::log1p(-small_ * math::exp(2.0 * order_ * math::log(shift / 2.0)));
    return std::max(0.0, peak_ - order_ * math::log(shift) - log_bessel(shift));
  }

  /// An upper bound on the Kullback-Leibler divergence of a shift by s, too large by a factor of less than 1.001 (for
  /// ν ≥ .51):
  ///
  ///     ∫ [f(y) − f(y+s)] [g(y+s) − g(y)] dy over y > 0, plus ∫ [f(x) − f(s−x)] [g(s−x) − g(x)] dx over 0 < x < s/2.
  ///
  /// All four factors are positive, falling and convex, because f and R are convex and f″ and R′ monotone. So are the
  /// products, and the trapezoidal rule gives an upper bound on any grid.
  [[nodiscard]] double divergence(double shift) const {
    double const whole = loss(shift);
    double const simple = whole * std::min(1.0, whole / 2.0);  // of any mechanism with this pure loss
    if (!(shift > 1e-10)) return simple;
    // [f(a) − f(b)] [g(b) − g(a)]
    auto const product = [&](double a, double b) {
      double const at = loss(a);
      double const difference = std::max(0.0, loss(b) - at);
      return density_ * math::exp(-at) * -math::expm1(-difference) * difference;
    };
    auto const trapezoids = [](double end, double first, auto const& value) {
      double sum = 0.0;
      double left = 0.0;
      double at_left = value(0.0);
      for (double right = first; left < end; right *= 1.0 + 1.0 / 24.0) {
        right = std::min(right, end);
        double const at_right = value(right);
        sum += 0.5 * (right - left) * (at_left + at_right);
        left = right;
        at_left = at_right;
      }
      return sum;
    };
    double const first = 1e-7 * std::min(shift, 1.0);
    constexpr double far = 40.0;
    double const outside = trapezoids(far, first, [&](double y) { return product(y, y + shift); });
    // Beyond `far` the second factor is at most what it is there, and the integral of the first one is at most s f(far).
    double const rest = shift * density_ * math::exp(-loss(far)) * (loss(far + shift) - loss(far));
    double const between = trapezoids(shift / 2.0, first, [&](double x) { return product(x, shift - x); });
    double const rounding = 1e-9 + 1e-13 / shift;
    return std::min(simple, (outside + rest + between) * (1.0 + rounding));
  }

 private:
  static constexpr std::size_t nodes = 104;
  static constexpr double step = 0.25;

  [[nodiscard]] static double cosh_minus_1(double x) {
    double const e = math::expm1(x);
    return e * e / (2.0 * (1.0 + e));
  }
  /// ln K_μ(x) by the trapezoidal rule for K_μ(x) = ∫ e^(−x cosh θ) cosh μθ dθ over θ > 0, for x ≥ 1e-8. Its relative error
  /// is about e^(−π²/h) for a step h, and below 1e-15 here.
  [[nodiscard]] double log_bessel(double x) const {
    constexpr double least = 45.0;  // e^−45 is less than the rounding errors
    if (x <= 8.0) {
      std::array<double, nodes> terms;
      std::size_t count = 0;
      for (; count < nodes && x * rates_[count] < least; ++count) terms[count] = -x * rates_[count];
      simd::exp_in_place(std::span(terms).first(count));
      double sum = 0.0;
      for (std::size_t j = 0; j < count; ++j) sum += terms[j] * weights_[j];
      return math::log(step * sum) - x;
    }
    double const h = std::min(step, 0.72 / std::sqrt(x));  // the integrand has the width 1/√x
    double sum = 0.5;
    for (double theta = h;; theta += h) {
      double const rate = x * cosh_minus_1(theta);
      if (!(rate < least)) break;
      sum += math::exp(-rate) * (1.0 + cosh_minus_1(order_ * theta));
    }
    return math::log(h * sum) - x;
  }

  double order_;    // μ
  double peak_;     // ln of x^μ K_μ(x) at 0
  double density_;  // f(0)
  double small_;
  std::array<double, nodes> rates_{};    // cosh θ − 1
  std::array<double, nodes> weights_{};  // cosh μθ
};

/// g(s) of GammaNoise: the privacy loss of one coordinate if only a share ν of the noise is in the sum, ½ < ν < 1.
[[nodiscard]] inline double missing_noise_loss(double share, double shift) { return MissingNoise(share).loss(shift); }

}  // namespace fltr::detail
