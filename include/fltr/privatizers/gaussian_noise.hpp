#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/noise_grid.hpp>

namespace fltr {

/// The local Gaussian mechanism: clips the L2 norm of the weights to Δ / 2, rounds them toward zero to a grid of 2^-24
/// to 2^-23 noise scales (see NoiseGrid), and adds discrete Gaussian noise to every coordinate at the client. Each
/// message is (ε, δ)-differentially private by itself (unit: one client, replace-one), whatever the server does.
///
/// The scale σ is the smallest that is (ε', δ')-private for the continuous mechanism (Balle and Wang 2018), where
/// ε' = ε − 2η and δ' = δ e^−η (1 − 10^-9) pay for the grid. With s = σ / step, the density of the discrete noise plus
/// a uniform number within one step differs from that of N(0, σ²I) by a factor of at most e^η, η = √d (√d + 20) / (2s)
/// + d / (8s²), unless the noise is longer than (√d + 20) σ, which has a probability below e^-200. η is 2e-5 for 136
/// values and 6e-4 for 8,832; ε must be at least 4η.
///
/// The time that drawing takes depends on the noise (rejection sampling), not on the weights. Whoever measures the time
/// of each draw at the client learns something of the noise.
struct GaussianNoise {
  double epsilon = 1.0;
  double delta = 1e-5;
  double sensitivity = 1.0;  ///< Δ, of the L2 norm

  void constrain(std::span<float> weights) const {
    check();
    clip_norm(weights, sensitivity / 2.0);
  }

  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    complete(message, context.interactions);
    constrain(message.values);
    auto const grid = this->grid(message.values.size());
    auto steps = grid.to_steps(message.values);
    NoiseGrid::clip_l2(steps, grid.whole_steps(sensitivity / 2.0));
    Stream stream = context.streams.of(Purpose::privacy);
    for (std::size_t i = 0; i < steps.size(); ++i)
      message.values[i] = grid.to_float(steps[i] + discrete_gaussian(stream, grid.scale()));
    return message;
  }

  /// The σ of the continuous mechanism, on the safe side of all roundings.
  [[nodiscard]] double standard_deviation() const {
    check();
    return sensitivity * smallest_sigma(epsilon, delta);
  }

  /// Where the results of `privatize` lie for messages of so many values. Its `scale` is σ in steps.
  [[nodiscard]] NoiseGrid grid(std::size_t dimension) const {
    check();
    double const slack = grid_slack(dimension, 0x1p23);
    require(epsilon >= 4.0 * slack, "GaussianNoise",
            "an epsilon of at least " + std::to_string(4.0 * slack) + " for " + std::to_string(dimension) + " values",
            epsilon);
    // Above 50 the noise of ε = 50 is drawn: the probability e^-200 above must stay far below δ.
    double const left = std::min(epsilon, 50.0) - 2.0 * slack;
    return NoiseGrid(sensitivity * smallest_sigma(left, delta * std::exp(-slack) * (1.0 - 1e-9)));
  }

  /// η: by how much the logarithms of the two densities differ at most, for noise of a scale of so many steps.
  [[nodiscard]] static double grid_slack(std::size_t dimension, double scale) {
    auto const d = static_cast<double>(dimension);
    return std::sqrt(d) * (std::sqrt(d) + 20.0) / (2.0 * scale) + d / (8.0 * scale * scale);
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const&) const {
    return {.epsilon_nominal = epsilon, .epsilon_accounted = epsilon, .delta = delta};
  }

 private:
  static double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

  /// An upper bound on δ(σ) = Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ), the δ of sensitivity 1. Where ε is small the two terms
  /// are nearly equal, so the bound on their rounding errors counts: 2^-48 (1 + x² + ε) of each, x = 1/2σ + εσ.
  /// e^ε Φ(−x) is computed in logarithms, since e^ε alone may overflow.
  [[nodiscard]] static double delta_above(double epsilon, double sigma) {
    double const a = 0.5 / sigma;
    double const b = epsilon * sigma;
    double const first = normal_cdf(a - b);
    double const tail = normal_cdf(-a - b);
    double const second = tail > 0.0 ? std::exp(epsilon + std::log(tail)) : 0.0;
    return first - second + 0x1p-48 * (1.0 + (a + b) * (a + b) + epsilon) * (first + second);
  }

  /// The smallest σ with δ(σ) ≤ δ for sensitivity 1 (Balle and Wang 2018), rounded up. δ falls in σ, and its derivative
  /// is −φ(1/2σ − εσ) / σ². Newton's steps on ln δ, within a bracket.
  [[nodiscard]] static double smallest_sigma(double epsilon, double delta) {
    double low = 0.0;
    double high = 1.0;
    while (delta_above(epsilon, high) > delta) {
      low = high;
      high *= 2.0;
    }
    double sigma = high;
    for (int i = 0; i < 200 && high - low > high * 1e-14; ++i) {
      double const here = delta_above(epsilon, sigma);
      (here > delta ? low : high) = sigma;
      double const x = 0.5 / sigma - epsilon * sigma;
      double const slope = std::exp(-0.5 * x * x) / (std::sqrt(2.0 * std::numbers::pi) * sigma * sigma);
      double const newton = sigma + here * std::log(here / delta) / slope;
      bool const inside = newton > low && newton < high;
      if (inside && std::abs(newton - sigma) < sigma * 1e-13) break;
      sigma = inside ? newton : 0.5 * (low + high);
    }
    for (double step = 1e-14; delta_above(epsilon, sigma) > delta; step *= 2.0) sigma *= 1.0 + step;
    return sigma;
  }
  void check() const {
    require(epsilon > 0.0, "GaussianNoise", "an epsilon > 0", epsilon);
    require(delta >= 1e-30 && delta < 1.0, "GaussianNoise", "a delta in [1e-30, 1)", delta);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GaussianNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<GaussianNoise>);

}  // namespace fltr
