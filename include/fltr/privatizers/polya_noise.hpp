#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include <fltr/accounting/laplace_renyi.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/clip_of.hpp>
#include <fltr/privatizers/detail/known_noise.hpp>
#include <fltr/privatizers/detail/polya_loss.hpp>
#include <fltr/privatizers/detail/polya_steps.hpp>
#include <fltr/privatizers/detail/update_grid.hpp>

namespace fltr {

/// GammaNoise for sealed sums (SecureSum), in whole steps. The client clips its update (its weights minus the broadcast
/// ones) to the norm S, rounds it toward zero to whole steps of a power of two, which does not lengthen it, and adds the
/// difference of two Polya numbers of shape 1/(t − c) to each coordinate. t is the fewest reports with which the sum is
/// opened (RunOptions::minimum_reports), and c the number of reporting clients that may collude with the server or leave
/// out their noise; c = 1 covers every other client, which knows its own noise and sees the model. The noise of t − c
/// clients, or of the one client if t = 1, adds up to the discrete Laplace distribution with the scale b = 2S/ε, rounded up
/// to a whole number of steps: P(k) ∝ e^(−|k|/b). The integers are drawn without rounding errors.
///
/// **Guarantee** of one round, with ν = (reports − c) / (t − c); neighbours replace the data of one client:
///
///   ν ≥ 1, norm l1:  ε, and the Rényi divergences of discrete Laplace noise (one coordinate is the worst)
///   ν ≥ 1, norm l2:  √d ε, and ρ = ε²/2 of zCDP
///   ν < 1:           d · g(2S/d) for l1, d · g(2S/√d) for l2; g(s) = ln f(0)/f(s), f the distribution of the noise of
///                    one coordinate, s in steps; finite for every ν > 0 (detail::polya_step_loss has the proof)
///
/// If messages are not sealed, ν = 1/(t − c), for every single message. A sealed round that is discarded costs
/// nothing if no client was asked to open it.
/// All messages have the weight 1. The sum needs FixedPoint{.step = step, .clamp = false}; see DistributedGaussian for
/// the reason, for the bound on broadcast parameters and for what another grid costs.
///
/// The step must be at least b/2^15 and S/2^18. Integers are clamped to 2^21 steps. This happens with a probability below
/// 2e^−56 per value, which the figures above do not include.
///
/// **Not covered**: the time that the client needs to draw its noise.
struct PolyaNoise {
  double epsilon = 1.0;  ///< 2S/b: with the norm l1 the ε of one round
  double clip = 0.1;     ///< S
  ClipNorm norm = ClipNorm::l1;
  std::uint64_t fewest_reports = 1;  ///< t
  std::uint64_t colluding = 1;       ///< c; 0: against the server alone
  double step = 0x1p-16;             ///< a power of two

  /// The mechanism with the smallest noise scale whose loss over so many rounds of at least t reports is at most (ε, δ),
  /// as the ledger adds it up. For δ = 0 it is the sum of ε. `like` has the other parameters; its step is the finest,
  /// and is doubled as long as it is too fine for the noise.
  [[nodiscard]] static PolyaNoise for_total(double epsilon, double delta, std::uint32_t rounds, std::size_t dimension,
                                            PolyaNoise like) {
    require(epsilon > 0.0 && std::isfinite(epsilon), "PolyaNoise", "a finite total epsilon > 0", epsilon);
    require(rounds > 0, "PolyaNoise", "at least one round", rounds);
    like.epsilon = 1.0;
    like.check_all_but_the_grid();
    like.require_clip_of_a_step();
    BoundsAt const at(delta);
    double const times = rounds * (1.0 + (rounds - 1.0) * 0x1p-52);  // the ledger rounds each sum
    auto const holds = [&](std::uint64_t steps) {
      like.set_scale(steps);
      PrivacySum all = PrivacySum::of(like.loss({.reported = like.fewest_reports,
                                                 .dimension = dimension,
                                                 .view = ServerView::sealed_sum,
                                                 .sum_step = like.step}));
      all.epsilon *= times;
      all.rho *= times;
      for (double& divergence : all.rdp) divergence *= times;
      return all.bound(at).epsilon <= epsilon;
    };
    auto high = static_cast<std::uint64_t>(most_scale);
    while (like.clip / like.step > most_clip) like.step *= 2.0;
    while (!holds(high)) {
      like.step *= 2.0;
      like.require_a_step_in_the_clip(epsilon);
    }
    std::uint64_t low = 0;
    while (high - low > 1) {
      std::uint64_t const middle = (low + high) / 2;
      (holds(middle) ? high : low) = middle;
    }
    like.set_scale(high);
    return like;
  }

  /// The same mechanism; the step is doubled as long as it is too fine for the noise.
  [[nodiscard]] PolyaNoise on_coarser_step() const {
    check_all_but_the_grid();
    require_clip_of_a_step();
    PolyaNoise out = *this;
    while (!out.grid_fits()) out.step *= 2.0;
    out.require_a_step_in_the_clip(epsilon);
    return out;
  }

  template <std::derived_from<LocalWeights> M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    check();
    detail::UpdateGrid const grid("PolyaNoise", step, context.broadcast);
    auto steps = grid.clipped(message.values, clip, norm);
    Stream stream = context.streams.of(Purpose::privacy);
    detail::polya_steps(stream, scale(), shares(), 2 * steps.size(),
                        [&](std::uint64_t i, std::int64_t j) { steps[i / 2] += i % 2 == 0 ? j : -j; });
    grid.write(steps, message.values);
    message.interactions = std::min(1U, context.interactions);
    return message;
  }

  /// b in whole steps, rounded up.
  [[nodiscard]] std::uint64_t scale() const {
    return static_cast<std::uint64_t>(std::ceil(2.0 * (clip / step) / epsilon));
  }

  /// A bound on the probability that the sum of so many messages is not below 2^(bits−1) steps in a coordinate.
  [[nodiscard]] double overflow_probability(std::uint64_t clients, std::size_t dimension, int bits) const {
    check();
    auto const n = static_cast<double>(clients);
    double const room = std::ldexp(1.0, bits - 1) - n * std::floor(clip / step);
    if (!(room > 0.0)) return 1.0;
    // The positive Polya numbers of n clients add up to X of shape ν = n/(t − c). Chernoff's bound at 1/(2b):
    // P(X ≥ x) ≤ (1 + e^(−1/(2b)))^ν e^(−x/(2b)) ≤ 2^ν e^(−x/(2b)). The clamp at 2^21 steps does not add to the sum.
    double const exponent =
        n / static_cast<double>(shares()) * std::numbers::ln2 - room / (2.0 * static_cast<double>(scale()));
    return exponent < 0.0 ? std::min(1.0, 2.0 * static_cast<double>(dimension) * math::exp(exponent)) : 1.0;
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    check();
    PrivacyLoss out{.epsilon_nominal = epsilon};
    if (release.view == ServerView::sealed_sum && release.discarded) return out;  // the seal was not opened
    out.epsilon_accounted = std::numeric_limits<double>::infinity();
    if (!(release.smallest_weight > 0.0)) {
      out.reason = "a client that was asked for 0 interactions sends no noise";
      return out;
    }
    std::uint64_t const noises = detail::unknown_noises(release, colluding);
    bool const together = detail::adds_steps_of(release, step);
    if (together && noises == 0) {
      out.reason = "no reporting client is known to add noise";
      return out;
    }
    auto const d = static_cast<double>(std::max<std::size_t>(release.dimension, 1));
    double const distance = 2.0 * std::floor(clip / step);  // in steps
    double const share = static_cast<double>(together ? noises : 1) / static_cast<double>(shares());
    bool const l1 = norm == ClipNorm::l1;
    if (share < 1.0) {
      out.epsilon_accounted = d * detail::polya_loss(share, scale(), distance / (l1 ? d : std::sqrt(d)));
    } else {
      double const shift = distance / static_cast<double>(scale());
      out.epsilon_accounted = l1 ? shift : shift * std::sqrt(d);
      out.rho = shift * shift / 2.0;
      if (l1) out.rdp = laplace_renyi_curve(shift, 1.0 / static_cast<double>(scale()));
    }
    if (together && release.reported - release.noiseless > 1 && shares() > 1)
      out.assumption = detail::colluding_assumption(colluding);
    return out;
  }

 private:
  static constexpr double most_scale = 0x1p15;
  static constexpr double most_clip = 0x1p18;

  /// t − c: the clients whose noise adds up to discrete Laplace noise.
  [[nodiscard]] std::uint64_t shares() const { return detail::noise_shares(fewest_reports, colluding); }
  /// Sets ε such that b is this number of steps.
  void set_scale(std::uint64_t steps) {
    epsilon = 2.0 * (clip / step) / static_cast<double>(steps);
    while (scale() > steps) epsilon = std::nextafter(epsilon, std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] bool grid_fits() const {
    return 2.0 * (clip / step) / epsilon <= most_scale && clip / step <= most_clip;
  }
  /// After the step was chosen for `asked`, ε of a round or of all rounds.
  void require_a_step_in_the_clip(double asked) const {
    require(clip >= step, "PolyaNoise",
            "a larger epsilon (2^-13 in each round is enough): the step is 2^-15 noise scales, " + number_text(step) +
                ", and must be at most the clip, " + number_text(clip),
            asked);
  }
  void require_clip_of_a_step() const {
    require(clip >= step, "PolyaNoise", "a clip of at least the finest step, " + number_text(step), clip);
  }
  void check() const {
    check_all_but_the_grid();
    require(grid_fits(), "PolyaNoise", "a step of at least 2^-15 noise scales and 2^-18 times the clip", step);
  }
  void check_all_but_the_grid() const {
    require(epsilon > 0.0 && std::isfinite(epsilon), "PolyaNoise", "a finite epsilon > 0", epsilon);
    require(clip > 0.0 && std::isfinite(clip), "PolyaNoise", "a finite clip > 0", clip);
    detail::check_colluding("PolyaNoise", fewest_reports, colluding);
    require(fewest_reports <= std::uint64_t{1} << 32U, "PolyaNoise", "at most 2^32 fewest_reports", fewest_reports);
    require(step > 0.0 && std::isfinite(step) && std::ldexp(1.0, std::ilogb(step)) == step, "PolyaNoise",
            "a step that is a power of two", step);
  }
};
static_assert(Privatizer<PolyaNoise>);
template <>
inline constexpr bool composition::built_in_loss<PolyaNoise> = true;

}  // namespace fltr
