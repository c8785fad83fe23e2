#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/detail/gamma_differences.hpp>
#include <fltr/privatizers/detail/missing_noise_loss.hpp>
#include <fltr/privatizers/detail/noise_grid.hpp>

namespace fltr {

/// The L2 norm at which GammaNoise clips the weights.
enum class ClipAt : std::uint8_t {
  half,   ///< Δ / 2: the paper (FPDGD)
  delta,  ///< Δ: the paper's reference code, and pham2022
};

/// The mechanism of FPDGD (algorithm 3). The L2 norm of the weights is clipped after every local step. Then each of the
/// n clients that were asked adds γ − γ' to each coordinate, with γ, γ' ~ Gamma(1/n, Δ/ε). The noise of all n clients
/// together is Laplace(Δ/ε) per coordinate.
///
/// **The guarantee is weaker than the paper's ε.** The unit is one client, and neighbours replace the data of one
/// client. `loss` gives the paper's ε as nominal. It gives the ε that holds for one round as accounted:
/// - The noise protects only the sum of the messages. A single message carries almost no noise.
/// - Laplace noise per coordinate needs the L1 sensitivity. The clip bounds the L2 norm. The L1 sensitivity
///   is up to √d Δ (2√d Δ with the clip at Δ).
/// - Every round spends its ε again.
/// - The noise of a client that does not report is missing in the sum.
///
/// The accounted ε, where ν = (reported − noiseless) / asked is the share of the noise that is in the sum, and k is 1
/// (clip at Δ / 2) or 2 (clip at Δ):
///
///   ν = 1:        k √d ε
///   ½ < ν < 1:    d · g(k ε / √d),  g(s) = ln [Γ(ν−½) 2^(ν−3/2) / (s^(ν−½) K_(ν−½)(s))]
///   ν ≤ ½:        ∞, because the density of the noise has a pole at 0
///
/// It is also ∞, with a reason, in these cases:
/// - The server or the attackers see single messages. (Not if one client was asked: its message has all the noise.)
/// - Messages change after their noise was added (RoundRelease::altered).
/// - Messages have different weights.
///
/// If the server sees single messages and is only assumed to keep their sum, `loss` states this assumption. A round
/// that was discarded before its seal was opened costs nothing.
///
/// The weights are rounded toward zero to a grid of 2^-24 to 2^-23 noise scales, and the noise is rounded to the grid.
/// But the noise is drawn in floating-point arithmetic. So there is no exact proof as for LaplaceNoise, and no
/// protection against attacks on floating-point noise.
///
/// With n ≥ 2, γ = U^n · Gamma(1 + 1/n) noise scales with a uniform U. If U^n is below 10^-30, γ counts as 0. This
/// changes the noise of a coordinate by less than 10^-20 grid steps before rounding.
///
/// **Not covered**: the time that the client needs. How many numbers are drawn depends on the noise, so an observer who
/// measures the time of a message learns something about the noise.
struct GammaNoise {
  double epsilon = 4.5;
  double sensitivity = 5.0;
  ClipAt clip_at = ClipAt::half;

  void constrain(std::span<float> weights) const {
    check();
    clip_norm(weights, clip_at == ClipAt::half ? sensitivity / 2.0 : sensitivity);
  }

  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    complete(message, context.interactions);
    constrain(message.values);  // some learners take no local steps
    require(context.participants > 0, "GammaNoise", "at least one participant", context.participants);
    Stream stream = context.streams.of(Purpose::privacy);
    double const shape = 1.0 / static_cast<double>(context.participants);
    double const scale = sensitivity / epsilon;
    detail::NoiseGrid const grid(scale);
    auto steps = grid.to_steps(message.values);
    // Not grid.scale(), which is rounded up to a whole number for discrete noise: this noise is real until it is
    // rounded, and its scale is exactly Δ/ε. The division by a power of two is exact.
    double const scale_in_steps = scale / grid.step();
    detail::gamma_differences(stream, shape, steps.size(), [&](std::size_t i, double difference) {
      steps[i] += std::llrint(difference * scale_in_steps);
    });
    for (std::size_t i = 0; i < steps.size(); ++i) message.values[i] = grid.to_float(steps[i]);
    return message;
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    check();
    PrivacyLoss out{.epsilon_nominal = epsilon};
    auto const unbounded = [&](char const* reason) {
      out.epsilon_accounted = std::numeric_limits<double>::infinity();
      out.reason = reason;
      return out;
    };
    if (release.view == ServerView::sealed_sum && release.discarded) return out;  // the seal was not opened
    if (release.view == ServerView::messages && release.asked > 1)
      return unbounded("the server or attackers see single messages, which carry a small share of the noise");
    if (release.altered)
      return unbounded(
          "messages are changed after their noise was added (by a later link of the chain, or by an aggregator that is "
          "not linear), so their noise does not add up to Laplace noise");
    if (release.smallest_weight != release.largest_weight)
      return unbounded("messages have different weights, so their noise does not add up to Laplace noise");
    double const noisy = static_cast<double>(release.reported) - static_cast<double>(release.noiseless);
    double const share = noisy / static_cast<double>(release.asked);
    if (!(share > 0.5)) return unbounded("half of the noise or more is missing: clients did not report or added none");
    double const d = static_cast<double>(release.dimension);
    double const l2_in_scales = epsilon * (clip_at == ClipAt::half ? 1.0 : 2.0);
    out.epsilon_accounted =
        share >= 1.0 ? l2_in_scales * std::sqrt(d) : d * detail::missing_noise_loss(share, l2_in_scales / std::sqrt(d));
    if (release.view == ServerView::assumed_sum) out.assumption = "assumes a server that keeps only sums";
    return out;
  }

 private:
  void check() const {
    require(epsilon > 0.0, "GammaNoise", "an epsilon > 0", epsilon);
    require(epsilon <= 0x1p28, "GammaNoise", "an epsilon <= 2^28", epsilon);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GammaNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<GammaNoise>);

}  // namespace fltr
