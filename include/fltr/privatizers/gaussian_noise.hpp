#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include <fltr/accounting/concentrated.hpp>
#include <fltr/accounting/exact_gaussian.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/clip_of.hpp>
#include <fltr/privatizers/detail/gaussian_calibration.hpp>
#include <fltr/privatizers/detail/noise_grid.hpp>

namespace fltr {

/// The local Gaussian mechanism. At the client, the L2 norm of the weights is clipped to Δ / 2, the weights are rounded
/// toward zero to a grid of 2^-24 to 2^-23 noise scales, and every coordinate gets discrete Gaussian noise.
///
/// **Guarantee**: each message is (ε, δ)-differentially private. The unit is one client, and neighbours replace the
/// data of one client. It holds for a server that sees every single message. The accounted ε is `epsilon` in every
/// round. Every round spends ε and δ again.
///
/// The scale σ is the smallest one for which the continuous mechanism is (ε', δ')-private (Balle and Wang 2018), with
/// ε' = ε − 2η and δ' = δ e^−η (1 − 10^-9). The difference to ε and δ pays for the grid: with s = σ / step, the density
/// of the discrete noise plus a uniform number within one step differs from that of N(0, σ²I) by a factor of at most
/// e^η, η = √d (√d + 20) / (2s) + d / (8s²). The exception is noise longer than (√d + 20) σ, whose probability is below
/// e^-200. η is 2e-5 for 136 values and 6e-4 for 8,832 values. ε must be at least 4η.
///
/// `of = ClipOf::update` clips and randomises the difference from the broadcast parameters instead of the weights, with
/// the same guarantee: the server knows these parameters and can subtract them itself.
///
/// Over several rounds, `loss` also states ρ = Δ²/2σ² of zCDP, which holds for the discrete noise without a slack
/// (Canonne, Kamath and Steinke 2020).
///
/// **Not covered**: the time that the client needs. Rejection sampling takes a time that depends on the noise (not on
/// the weights), so an observer who measures each draw learns something about the noise.
struct GaussianNoise {
  double epsilon = 1.0;
  double delta = 1e-5;
  double sensitivity = 1.0;  ///< Δ: of the L2 norm
  ClipOf of = ClipOf::weights;

  /// Clips the weights after every local step. An update is clipped once, before it is sent.
  void constrain(std::span<float> weights) const {
    check();
    if (of == ClipOf::weights) clip_norm(weights, longest());
  }

  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    complete(message, context.interactions);
    if (of == ClipOf::update) detail::to_update(message.values, context.broadcast);
    clip_norm(message.values, longest());
    auto const grid = this->grid(message.values.size());
    auto steps = grid.to_steps(message.values);
    detail::NoiseGrid::clip_l2(steps, grid.whole_steps(longest()));
    Stream stream = context.streams.of(Purpose::privacy);
    for (std::size_t i = 0; i < steps.size(); ++i)
      message.values[i] = grid.to_float(steps[i] + discrete_gaussian(stream, grid.scale()));
    if (of == ClipOf::update)
      for (std::size_t i = 0; i < steps.size(); ++i) message.values[i] += context.broadcast[i];
    return message;
  }

  /// The σ of the continuous mechanism for ε and δ, rounded up. The drawn noise has a larger σ, see `grid`.
  [[nodiscard]] double standard_deviation() const {
    check();
    return sensitivity * exact_gaussian_sigma(epsilon, delta);
  }

  /// The grid that holds all values of a privatized message of `dimension` values. Its `scale` is σ in steps.
  [[nodiscard]] detail::NoiseGrid grid(std::size_t dimension) const {
    check();
    double const slack = detail::gaussian_grid_slack(dimension, 0x1p23);
    require(epsilon >= 4.0 * slack, "GaussianNoise",
            "an epsilon of at least " + std::to_string(4.0 * slack) + " for " + std::to_string(dimension) + " values",
            epsilon);
    // For ε > 50 the noise of ε = 50 is drawn: the probability e^-200 must stay far below δ.
    double const left = std::min(epsilon, 50.0) - 2.0 * slack;
    return detail::NoiseGrid(sensitivity * exact_gaussian_sigma(left, delta * math::exp(-slack) * (1.0 - 1e-9)));
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const&) const {
    check();
    // The drawn noise has at least this σ, whatever the dimension.
    double const sigma = exact_gaussian_sigma(std::min(epsilon, 50.0), delta);
    return {.epsilon_nominal = epsilon, .epsilon_accounted = epsilon, .delta = delta, .rho = gaussian_zcdp(1.0, sigma)};
  }

 private:
  /// The largest L2 norm of what is randomised: two such vectors differ by at most Δ.
  [[nodiscard]] double longest() const { return sensitivity / 2.0; }
  void check() const {
    require(epsilon > 0.0, "GaussianNoise", "an epsilon > 0", epsilon);
    require(delta >= 1e-30 && delta < 1.0, "GaussianNoise", "a delta in [1e-30, 1)", delta);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GaussianNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<GaussianNoise>);
template <>
inline constexpr bool composition::built_in_loss<GaussianNoise> = true;

}  // namespace fltr
