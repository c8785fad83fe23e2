#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/noise_grid.hpp>

namespace fltr {

/// At which norm FPDGD clips the weights.
enum class ClipAt : std::uint8_t {
  half,   ///< Δ / 2: the paper
  delta,  ///< Δ: its reference code, and pham2022
};

/// FPDGD's privacy (algorithm 3): clips the weights after every local step; then each of n clients adds
/// γ − γ' to each coordinate, γ and γ' ~ Gamma(1/n, Δ/ε), so that the noise of all of them together is Laplace(Δ/ε).
///
/// As published it gives less than it says. The clip bounds the L2 norm, but Laplace noise per coordinate needs the L1
/// sensitivity, which is up to √d times larger (2√d with the clip at Δ). ε is spent in every round. A single message
/// carries next to no noise, so the server must only see sums. A client that does not report takes its noise along.
///
/// `loss` returns the ε of the actual round. ν is the share of the noise that is in the sum, (reported − noiseless) / asked,
/// and k is 1 (clip at Δ / 2) or 2 (clip at Δ):
///
///   ν = 1:        k √d ε
///   ½ < ν < 1:    d · g(k ε / √d),  g(s) = ln [Γ(ν−½) 2^(ν−3/2) / (s^(ν−½) K_(ν−½)(s))]
///   ν ≤ ½:        ∞, the density of the noise has a pole at 0
///
/// It is ∞ in three more cases: the server or attackers see single messages (unless one client was asked, whose message
/// has all the noise); messages change after their noise was added (RoundRelease::altered); messages have different
/// weights. g is the logarithm of the ratio of two densities of the noise, s scales apart (missing_noise_loss).
///
/// The weights are rounded toward zero to a grid of 2^-24 to 2^-23 noise scales, and the noise is rounded to it (see
/// NoiseGrid). The noise itself is drawn with floating-point numbers, so that no exact proof holds as it does for
/// LaplaceNoise: this is the paper's mechanism, not protected against attacks on floating-point noise.
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
    constrain(message.values);  // for learners that take no local steps
    require(context.participants > 0, "GammaNoise", "at least one participant", context.participants);
    Stream stream = context.streams.of(Purpose::privacy);
    double const shape = 1.0 / static_cast<double>(context.participants);
    double const scale = sensitivity / epsilon;
    NoiseGrid const grid(scale);
    auto const steps = grid.to_steps(message.values);
    double const scale_in_steps = scale / grid.step();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      double const plus = stream.gamma(shape);
      double const minus = stream.gamma(shape);
      message.values[i] = grid.to_float(steps[i] + std::llrint((plus - minus) * scale_in_steps));
    }
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
    if (release.view == ServerView::sealed_sum && release.discarded) return out;  // nothing was opened
    if (release.view == ServerView::messages && release.asked > 1)
      return unbounded("the server or attackers see single messages, which carry a small share of the noise");
    if (release.altered) return unbounded(
          "messages are changed after their noise was added (by a later link of the chain, or by an aggregator that is not "
          "linear), so their noise does not add up to Laplace noise");
    if (release.smallest_weight != release.largest_weight)
      return unbounded("messages have different weights, so their noise does not add up to Laplace noise");
    double const noisy = static_cast<double>(release.reported) - static_cast<double>(release.noiseless);
    double const share = noisy / static_cast<double>(release.asked);
    if (!(share > 0.5)) return unbounded("half of the noise or more is missing: clients did not report or added none");
    double const d = static_cast<double>(release.dimension);
    double const l2_in_scales = epsilon * (clip_at == ClipAt::half ? 1.0 : 2.0);
    out.epsilon_accounted =
        share >= 1.0 ? l2_in_scales * std::sqrt(d) : d * missing_noise_loss(share, l2_in_scales / std::sqrt(d));
    if (release.view == ServerView::assumed_sum) out.assumption = "assumes a server that keeps only sums";
    return out;
  }

  /// g(s): the largest logarithm of the ratio of two densities that lie `shift` scales apart, of the noise of a share ν
  /// of the clients, ½ < ν < 1. That noise is the difference of two Gamma(ν) and has the density c |x|^(ν−½)
  /// K_(ν−½)(|x|). The ratio is largest at the peak of one of them.
  [[nodiscard]] static double missing_noise_loss(double share, double shift) {
    require(share > 0.5 && share < 1.0, "GammaNoise", "a share of the noise above 1/2 and below 1", share);
    if (!(shift > 0.0)) return 0.0;
    double const order = share - 0.5;
    double const peak = std::log(std::tgamma(order)) + (order - 1.0) * std::numbers::ln2;
    return std::max(0.0, peak - order * std::log(shift) - log_bessel_k(order, shift));
  }

 private:
  void check() const {
    require(epsilon > 0.0, "GammaNoise", "an epsilon > 0", epsilon);
    require(epsilon <= 0x1p28, "GammaNoise", "an epsilon <= 2^28", epsilon);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GammaNoise", "a finite sensitivity > 0", sensitivity);
  }

  /// ln K_ν(x) for 0 < ν < ½. Beyond 300, where K soon underflows, the first two terms of the asymptotic series, whose
  /// terms alternate: a lower bound, so that the loss is an upper one.
  [[nodiscard]] static double log_bessel_k(double order, double x) {
    if (x < 300.0) return std::log(std::cyl_bessel_k(order, x));
    double const correction = (4.0 * order * order - 1.0) / (8.0 * x);
    return 0.5 * std::log(std::numbers::pi / (2.0 * x)) - x + std::log1p(correction);
  }
};
static_assert(Privatizer<GammaNoise>);

}  // namespace fltr
