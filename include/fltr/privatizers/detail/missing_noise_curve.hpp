#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/privatizers/detail/missing_noise_loss.hpp>

namespace fltr::detail {

/// e^x − 1 − x for 0 ≤ x ≤ 700, rounded up.
[[nodiscard]] inline double exponential_excess(double x) {
  if (x >= 0.01) return (math::expm1(x) - x) * (1.0 + 1e-12);
  return x * x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 5.0))));
}

/// ln E e^(tL) / t for a privacy loss L within ±g of mean m: the largest value, at the ends of the range.
///
///     1/t · ln [cosh(tg) + m/g · sinh(tg)]
[[nodiscard]] inline double renyi_of_range_and_mean(double t, double range, double mean) {
  double const share = std::min(1.0, mean / range);
  if (t * range > 30.0)
    return range + math::log(0.5 * (1.0 + share) + 0.5 * (1.0 - share) * math::exp(-2.0 * t * range)) / t;
  double const e = math::expm1(t * range);
  double const inverse = e / (1.0 + e);  // 1 − e^(−tg)
  return math::log1p(0.5 * e * inverse + 0.5 * share * (e + inverse)) / t;
}

/// ln E e^(tL) / t for a privacy loss L of at most g and of mean m, with E e^(−L) = 1: a bound,
///
///     1/t · ln [1 + m (t + (e^(tg) − 1 − tg) / (e^(−g) − 1 + g))].
///
/// Proof: E (e^(−L) − 1 + L) = m, and (e^(tℓ) − 1 − tℓ) / (e^(−ℓ) − 1 + ℓ) grows with ℓ.
[[nodiscard]] inline double renyi_of_mean(double t, double largest, double mean) {
  if (t * largest > 700.0) return largest;
  double const g = largest;
  double const excess = g >= 0.01 ? g + math::expm1(-g) : g * g / 2.0 * (1.0 - g / 3.0);
  return math::log1p(mean * (t + exponential_excess(t * g) / excess)) / t;
}

/// Upper bounds on the Rényi divergence at each of `renyi_orders`, for a shift of this L2 norm of `dimension` coordinates
/// with noise of which a share ν is in the sum, ½ < ν < 1. With one coordinate's pure loss g and Kullback-Leibler
/// divergence m (MissingNoise), s = shift/√d and t = α − 1:
///
///     d/t · ln [cosh(t g(s)) + m(s)/g(s) · sinh(t g(s))]
///     d/t · ln [1 + m(s) (t + (e^(tG) − 1 − tG) / (e^(−G) − 1 + G))],  G = g(shift)
///
/// The smaller one counts.
///
/// **Why this covers every split of the shift.** A shift s_i = √u_i costs a coordinate at most F(m, g²) or F(m) with m, g
/// at u_i; let Σ u_i = shift².
/// - m is concave in u: the noise is a mixture of normal distributions of mean 0, and g = B(x²) with a concave B. The
///   square of a shifted normal number is a gamma number of shape ½ + N, N Poisson with a mean proportional to u. The mean
///   of B is a concave sequence in N, and its Poisson mean is concave in u.
/// - g² is concave in u: its derivative g(s)/s · R(s) is a product of falling functions.
/// - The first bound is ln(p/q + m) + ln q with v = g², p/q = √v coth(t√v) and q = sinh(t√v)/√v. p/q and ln q are concave in
///   v. So it is concave in (m, v), grows with both, and is concave in u.
/// - The second one is a concave function of m alone, because no coordinate has a larger loss than G.
///
/// The sum of a concave function is largest at the equal split.
///
/// The divergence itself is not concave in u: at ν = .7 and α = 100, one coordinate with a whole small shift costs more
/// than two with equal parts.
[[nodiscard]] inline std::vector<double> missing_noise_curve(double share, double shift, std::size_t dimension) {
  struct Kept {
    double share;
    double shift;
    std::size_t dimension;
    std::vector<double> values;
  };
  constexpr std::size_t most_kept = 64;
  thread_local std::vector<Kept> all;  // trainings ask for the same curves again: so many clients drop out, or so many
  thread_local std::size_t oldest = 0;
  for (Kept const& one : all)
    if (one.share == share && one.shift == shift && one.dimension == dimension) return one.values;
  MissingNoise const noise(share);
  auto const d = static_cast<double>(dimension);
  constexpr double rounding = 1.0 + 1e-11;
  double const part = shift / std::sqrt(d);
  double const range = noise.loss(part) * rounding;
  double const mean = noise.divergence(part) * rounding;
  double const largest = noise.loss(shift) * rounding;
  std::vector<double> values;
  values.reserve(renyi_orders.size());
  for (double const order : renyi_orders) {
    double const t = order - 1.0;
    double const bound =
        range > 0.0 ? std::min({range, renyi_of_range_and_mean(t, range, mean), renyi_of_mean(t, largest, mean)}) : 0.0;
    values.push_back(d * bound * rounding);
  }
  if (all.size() < most_kept)
    all.push_back({share, shift, dimension, values});
  else
    all[oldest++ % most_kept] = {share, shift, dimension, values};
  return values;
}

}  // namespace fltr::detail
