#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <fltr/accounting/laplace_renyi.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/detail/gamma_differences.hpp>
#include <fltr/privatizers/detail/known_noise.hpp>
#include <fltr/privatizers/detail/missing_noise_curve.hpp>
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
/// - A client knows its own noise and sees the model: against another client, its noise is missing too.
///
/// The accounted ε, where ν = (reported − noiseless − c) / asked is the share of the noise that is in the sum and is not
/// known, c = `colluding`, and k is 1 (clip at Δ / 2) or 2 (clip at Δ):
///
///   ν ≥ 1:        k √d ε; over several rounds also ρ = (kε)²/2 of zCDP and the Rényi divergence d · D_α(kε / √d)
///   ½ < ν < 1:    d · g(k ε / √d),  g(s) = ln [Γ(ν−½) 2^(ν−3/2) / (s^(ν−½) K_(ν−½)(s))]; over several rounds also
///                 ρ = d · g²/2 of zCDP and bounds on the Rényi divergences (missing_noise_curve.hpp has the proof)
///   ν ≤ ½:        ∞, because the density of the noise has a pole at 0
///
/// `colluding` = 1, the default, is the figure against another client, with or without the server; 0 is the figure against
/// the server alone, and the loss says so. If a single client reports, nobody else has noise to know.
///
/// It is also ∞, with a reason, in these cases:
/// - The server or the attackers see single messages. (Not if one client was asked: its message has all the noise.)
/// - Messages change after their noise was added (RoundRelease::altered).
/// - Messages have different weights.
/// - They are sealed, and each client clamps its numbers (FixedPoint::clamp).
/// - They are sealed, and the seal rounds them to steps above half a step of the noise's own grid (see below). Weights and
///   noise are then rounded together. The noise of one of many clients is nearly always smaller than such a step, so that
///   most of it would be rounded away. Finer steps move all messages by the same amount, the rounding error of the
///   broadcast parameters, which are public. Where doubles cannot hold the difference, a message may move by another step:
///   the L2 sensitivity grows by √d steps.
///
/// Two options restore the guarantee of complete noise:
/// - `fewest_reports` = t: the shape of the noise is 1/(t − c), so that t clients of which c collude add Laplace(Δ/ε) noise
///   that is not known, and ν = (reported − noiseless − c) / (t − c). More reports add more noise. With
///   RunOptions::minimum_reports = t (plus the number of attackers) the noise is always complete. If all n clients
///   report, its variance is n/(t − c) times larger. Without this option the noise is the paper's, whatever c is.
/// - `largest_weight` = w_max: a client of weight w_c scales its noise by w_max / w_c, so that in the weighted sum every
///   client adds the same noise, which covers the weight w_max. The weight is the number of interactions that the
///   client was asked for, which is public.
///
/// If the server sees single messages and is only assumed to keep their sum, `loss` states this assumption. A round
/// that was discarded before its seal was opened costs nothing.
///
/// The weights are rounded toward zero to a grid of 2^-24 to 2^-23 noise scales, and the noise is rounded to the grid.
/// But the noise is drawn in floating-point arithmetic. So there is no exact proof as for LaplaceNoise, and no
/// protection against attacks on floating-point noise. A sealed sum also shows the rounding of each message to floats.
/// PolyaNoise has neither fault.
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
  std::uint64_t fewest_reports = 0;  ///< t: the shape of the noise is 1/(t − c); 0: 1/n
  double largest_weight = 0.0;       ///< w_max: noise is scaled by w_max / w_c; 0: it is not scaled
  std::uint64_t colluding = 1;       ///< c: reporting clients that may use, reveal or leave out their noise

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
    double const shape = 1.0 / shares(context.participants);
    double const scale = sensitivity / epsilon * noise_factor(weight_of(message));
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
    auto const unbounded = [&](std::string reason) {
      out.epsilon_accounted = std::numeric_limits<double>::infinity();
      out.reason = std::move(reason);
      return out;
    };
    if (release.view == ServerView::sealed_sum && release.discarded) return out;  // the seal was not opened
    if (release.view == ServerView::messages && release.asked > 1)
      return unbounded("the server or attackers see single messages, which carry a small share of the noise");
    if (release.altered)
      return unbounded(
          "messages are changed after their noise was added (by a later link of the chain, or by an aggregator that is "
          "not linear), so their noise does not add up to Laplace noise");
    if (release.view == ServerView::sealed_sum && release.sum_clamps)
      return unbounded(
          "clients clamp their noise, so it does not add up to Laplace noise: the seal needs FixedPoint{.clamp = "
          "false}");
    if (largest_weight > 0.0 && !(release.smallest_weight > 0.0 && release.largest_weight <= largest_weight))
      return unbounded("a message may have a weight of 0 or above largest_weight, for which its noise is not scaled");
    if (largest_weight == 0.0 && release.smallest_weight != release.largest_weight)
      return unbounded("messages have different weights, so their noise does not add up to Laplace noise");
    std::uint64_t const noises = detail::unknown_noises(release, colluding);
    double const share = static_cast<double>(noises) / shares(release.asked);
    if (!(share > 0.5))
      return unbounded(
          "half of the noise or more is missing or known: clients did not report, added none, or may use what they "
          "know "
          "of their own");
    double const d = static_cast<double>(std::max<std::size_t>(release.dimension, 1));
    double l2_in_scales = epsilon * (clip_at == ClipAt::half ? 1.0 : 2.0);
    bool const sealed = release.view == ServerView::sealed_sum;
    bool const shared = shares(release.asked) > 1.0;  // a message alone does not have the whole noise
    if (sealed && shared && release.sum_step > 0.0) {
      double const scale = sensitivity / epsilon;
      double const finest = detail::NoiseGrid(scale).step() / 2.0;
      if (release.sum_step > finest)
        return unbounded(
            "the seal rounds each message to steps of " + number_text(release.sum_step) +
            ", and rounded noise does not add up to Laplace noise: it needs a FixedPoint::step of at most 2^" +
            std::to_string(std::ilogb(finest)));
      l2_in_scales += release.sum_step / scale * std::sqrt(d);
    }
    if (share >= 1.0) {
      out.epsilon_accounted = l2_in_scales * std::sqrt(d);
      out.rho = l2_in_scales * l2_in_scales / 2.0;
      out.rdp = laplace_renyi_l2_curve(l2_in_scales, release.dimension);
    } else {
      double const loss = detail::missing_noise_loss(share, l2_in_scales / std::sqrt(d));
      out.epsilon_accounted = d * loss;
      out.rho = d * loss * loss / 2.0;
      out.rdp = detail::missing_noise_curve(share, l2_in_scales, static_cast<std::size_t>(d));
    }
    if (release.view == ServerView::assumed_sum)
      out.assumption = release.discarded  ? "assumes a server that keeps only sums, and none of a discarded round"
                       : release.late > 0 ? "assumes a server that keeps only sums, and no late message"
                                          : "assumes a server that keeps only sums";
    auto const also = [&](std::string const& text) { out.assumption += (out.assumption.empty() ? "" : "; ") + text; };
    if (shared && release.reported - release.noiseless > 1) also(detail::colluding_assumption(colluding));
    if (sealed && shared && release.sum_step == 0.0) also("assumes a seal that adds messages without rounding them");
    if (release.sum_step > 0.0)
      also("does not cover the rounding of each message to floats, which the sum shows (PolyaNoise has none)");
    return out;
  }

  /// What the noise depends on: `colluding` changes the published noise (t = 0) in the loss alone.
  auto members(auto&& visit) const {
    return visit(epsilon, sensitivity, clip_at, fewest_reports, largest_weight,
                 fewest_reports > 0 ? colluding : std::uint64_t{0});
  }

 private:
  /// The number of clients whose noise adds up to Laplace noise: n, or t − c.
  [[nodiscard]] double shares(std::uint64_t asked) const {
    if (fewest_reports == 0) return static_cast<double>(asked);
    return static_cast<double>(detail::noise_shares(std::min(fewest_reports, asked), colluding));
  }
  /// w_max / w_c, by which a client of weight w_c scales its noise.
  [[nodiscard]] double noise_factor(double weight) const {
    if (largest_weight == 0.0) return 1.0;
    require(weight > 0.0 && weight <= largest_weight, "GammaNoise",
            "a weight above 0 and at most largest_weight = " + number_text(largest_weight), weight);
    return largest_weight / weight;
  }
  void check() const {
    require(epsilon > 0.0, "GammaNoise", "an epsilon > 0", epsilon);
    if (fewest_reports > 0) detail::check_colluding("GammaNoise", fewest_reports, colluding);
    require(epsilon <= 0x1p28, "GammaNoise", "an epsilon <= 2^28", epsilon);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GammaNoise", "a finite sensitivity > 0", sensitivity);
    require(largest_weight >= 0.0 && std::isfinite(largest_weight), "GammaNoise", "a finite largest_weight >= 0",
            largest_weight);
  }
};
static_assert(Privatizer<GammaNoise>);
template <>
inline constexpr bool composition::built_in_loss<GammaNoise> = true;

}  // namespace fltr
