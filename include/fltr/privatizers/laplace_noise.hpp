#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include <fltr/accounting/laplace_renyi.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip_of.hpp>
#include <fltr/privatizers/detail/noise_grid.hpp>

namespace fltr {

/// The local Laplace mechanism. At the client, the L1 norm of the weights is clipped to Δ / 2, the weights are rounded
/// toward zero to a grid of 2^-24 to 2^-23 noise scales, and every coordinate gets discrete Laplace noise of scale Δ/ε.
///
/// **Guarantee**: each message is ε-differentially private. The unit is one client, and neighbours replace the data of
/// one client. It holds for a server that sees every single message. The accounted ε is `epsilon` in every round. Every
/// round spends it again.
///
/// `of = ClipOf::update` clips and randomises the difference from the broadcast parameters instead of the weights, with
/// the same guarantee: the server knows these parameters and can subtract them itself.
///
/// Over several rounds, `loss` also states ρ = ε²/2 of zCDP and the Rényi divergences of discrete Laplace noise: of all
/// differences of L1 norm Δ, one coordinate is the worst (laplace_renyi).
///
/// The guarantee is exact, rounding included: the clip is computed in whole steps of the grid, two clipped vectors
/// differ by at most Δ in the L1 norm, and the noise is an integer that is drawn exactly.
///
/// **Not covered**: the time that the client needs. Rejection sampling takes a time that depends on the noise, so an
/// observer who measures each draw learns something about the noise.
struct LaplaceNoise {
  double epsilon = 1.0;
  double sensitivity = 1.0;  ///< Δ: of the L1 norm
  ClipOf of = ClipOf::weights;

  /// Clips the weights after every local step. An update is clipped once, before it is sent.
  void constrain(std::span<float> weights) const {
    check();
    if (of == ClipOf::weights) clip(weights);
  }
  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    complete(message, context.interactions);
    check();
    if (of == ClipOf::update) detail::to_update(message.values, context.broadcast);
    clip(message.values);
    auto const grid = this->grid();
    auto steps = grid.to_steps(message.values);
    detail::NoiseGrid::clip_l1(steps, grid.whole_steps(longest()));
    Stream stream = context.streams.of(Purpose::privacy);
    for (std::size_t i = 0; i < steps.size(); ++i)
      message.values[i] = grid.to_float(steps[i] + discrete_laplace(stream, grid.scale()));
    if (of == ClipOf::update)
      for (std::size_t i = 0; i < steps.size(); ++i) message.values[i] += context.broadcast[i];
    return message;
  }

  /// The grid that holds all values of a privatized message.
  [[nodiscard]] detail::NoiseGrid grid() const {
    check();
    return detail::NoiseGrid(sensitivity / epsilon);
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const&) const {
    check();
    return {.epsilon_nominal = epsilon,
            .epsilon_accounted = epsilon,
            .rho = epsilon * epsilon / 2.0,
            .rdp = laplace_renyi_curve(epsilon, 0x1p-23)};  // the scale is at least 2^23 steps
  }

 private:
  /// The largest L1 norm of what is randomised: two such vectors differ by at most Δ.
  [[nodiscard]] double longest() const { return sensitivity / 2.0; }
  void clip(std::span<float> weights) const {
    double norm = 0.0;
    for (float v : weights) norm += std::abs(static_cast<double>(v));
    if (!(norm > longest()) || !std::isfinite(norm)) return;
    // The factor is rounded down, so that the norm of the rounded weights stays within the bound.
    auto const factor = std::nextafter(static_cast<float>(longest() / norm * (1.0 - 1e-6)), 0.0F);
    for (float& v : weights) v *= factor;
  }
  void check() const {
    require(epsilon > 0.0, "LaplaceNoise", "an epsilon > 0", epsilon);
    require(epsilon <= 0x1p28, "LaplaceNoise", "an epsilon <= 2^28", epsilon);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "LaplaceNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<LaplaceNoise>);
template <>
inline constexpr bool composition::built_in_loss<LaplaceNoise> = true;

}  // namespace fltr
