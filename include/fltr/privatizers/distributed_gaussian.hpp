#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/detail/known_noise.hpp>
#include <fltr/privatizers/detail/update_grid.hpp>

namespace fltr {

/// ρ of zCDP of the sum of h discrete Gaussians, each of standard deviation s on the grid γ, for vectors of d values at
/// distance Δ (Kairouz, Liu and Steinke 2021):
///
///     ρ = ½ min{Δ²/(h s²) + τd/2, (Δ/(√h s) + τ√d)²},  τ = 10 Σ_{k<h} exp(−2π² (s/γ)² k/(k+1))
[[nodiscard]] inline double discrete_gaussian_sum_zcdp(double distance, double s, double step, std::uint64_t h,
                                                       std::size_t dimension) {
  double const ratio = s / step;
  double const rate = 2.0 * std::numbers::pi * std::numbers::pi * ratio * ratio;
  double tau = 0.0;
  std::uint64_t k = 1;
  for (; k < h && k < 64; ++k) tau += math::exp(-rate * static_cast<double>(k) / static_cast<double>(k + 1));
  if (k < h) tau += static_cast<double>(h - k) * math::exp(-rate * static_cast<double>(k) / static_cast<double>(k + 1));
  tau *= 10.0;
  auto const d = static_cast<double>(dimension);
  double const shift = distance / (std::sqrt(static_cast<double>(h)) * s);
  double const root = shift + tau * std::sqrt(d);
  return 0.5 * std::min(shift * shift + tau * d / 2.0, root * root);
}

/// Gaussian noise of which each client adds a share, for sums that the server alone cannot take apart (SecureSum). The
/// client clips its update (its weights minus the broadcast ones) to the L2 norm S, rounds it toward zero to whole steps
/// of a power of two, which does not lengthen it, and adds an exact discrete Gaussian of variance σ²/(t − c). t is the
/// fewest reports with which the sum is opened (RunOptions::minimum_reports), and c the number of reporting clients
/// that may collude with the server or leave out their noise; c = 1 covers every other client, which knows its own noise and
/// sees the model. The sum then has noise of at least the standard deviation σ that c clients do not know. If t = 1, a
/// client's noise is complete.
///
/// **Guarantee**: one round is ρ-zCDP (see discrete_gaussian_sum_zcdp, with Δ = 2S: neighbours replace the data of one
/// client) with h = reports − c noise terms if messages are sealed. If they are not, h = 1: every single message has
/// this guarantee, with a large ρ. A sealed round that is discarded costs nothing if no client was asked to open it.
/// There is no pure ε; the ledger composes ρ over rounds. The grid must be at most half the standard deviation of a
/// client's noise.
///
/// The figure for sealed messages holds for the server against which the seal protects: SecureServer::curious follows the
/// protocol; SecureServer::malicious may lie, and then h = 1 unless the graph is complete (see SecureSum).
///
/// Every message has the weight 1, or with `weight_cap` = w its clipped update is multiplied by min(n_c, w)/w, where n_c
/// is the number of interactions. n_c itself is not sent.
///
/// The integers reach the sum exactly: a message holds broadcast + step · k as floats, from which SecureSum and IdealSum
/// with FixedPoint{.step = step, .clamp = false, .clip = clip} get k back. That needs broadcast parameters of at most
/// 2^21 steps, which is checked.
///
/// On another grid, the noise of a single message counts alone, h = 1: a finer grid shows the rounding errors of the
/// floats, which depend on each k.
///
/// k is clamped to 2^21 steps. This is at least 16 standard deviations, so that it happens with a probability below e^-127
/// per value.
///
/// **Not covered**: the time that the client needs to draw its noise.
struct DistributedGaussian {
  double clip = 0.1;                 ///< S
  double sigma = 1.0;                ///< σ of the sum's noise
  std::uint64_t fewest_reports = 1;  ///< t
  std::uint64_t colluding = 1;       ///< c; 0: against the server alone
  double step = 0x1p-16;             ///< γ, a power of two
  std::uint32_t weight_cap = 0;      ///< w; 0: all messages have the same weight

  /// The mechanism with the smallest σ whose loss over so many rounds of at least t reports is at most (ε, δ), by the
  /// Rényi divergences ρα at `renyi_orders` (Canonne, Kamath and Steinke 2020). `like` has the other parameters; its step is the finest, and is doubled
  /// as long as it is too fine for the noise.
  [[nodiscard]] static DistributedGaussian for_total(double epsilon, double delta, std::uint32_t rounds,
                                                     std::size_t dimension, DistributedGaussian like) {
    require(epsilon > 0.0 && std::isfinite(epsilon), "DistributedGaussian", "a finite total epsilon > 0", epsilon);
    require(delta > 0.0 && delta < 1.0, "DistributedGaussian", "a delta in (0, 1)", delta);
    require(rounds > 0, "DistributedGaussian", "at least one round", rounds);
    detail::check_colluding("DistributedGaussian", like.fewest_reports, like.colluding);
    auto const total = [&](double rho) {
      double best = std::numeric_limits<double>::infinity();
      for (double const a : renyi_orders)
        best = std::min(best, rho * a + math::log1p(-1.0 / a) - (math::log(delta) + math::log(a)) / (a - 1.0));
      return best;
    };
    double low = 0.0;
    double high = 1.0;
    while (total(high) <= epsilon) high *= 2.0;
    for (int i = 0; i < 200 && high - low > high * 1e-14; ++i) {
      double const middle = 0.5 * (low + high);
      (total(middle) <= epsilon ? low : high) = middle;
    }
    require(
        low > 0.0, "DistributedGaussian",
        "a total epsilon above " + number_text(total(0.0)) + ", the least at the orders of the ledger for this delta",
        epsilon);
    // ρ = ½ (2S/σ)² a round, if the grid cost nothing.
    like.sigma = 2.0 * like.clip / std::sqrt(2.0 * low / static_cast<double>(rounds));
    double const share = like.own_sigma();
    while (like.step < share && 16.0 * std::ceil(share / like.step) + like.clip / like.step >= most / 2.0)
      like.step *= 2.0;
    require(share >= 2.0 * like.step, "DistributedGaussian",
            "noise of at least " + number_text(2.0 * like.step) +
                " at each client, twice the step (use a larger clip, a smaller total epsilon or fewer reports)",
            share);
    like.check();
    for (double more = 1e-14; like.round_rho(like.shares(), dimension) * static_cast<double>(rounds) > low;
         more *= 2.0) {
      like.sigma *= 1.0 + more;
      require(more < 1.0, "DistributedGaussian", "a step that is small beside the noise", like.step);
    }
    return like;
  }

  template <std::derived_from<LocalWeights> M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    check();
    detail::UpdateGrid const grid("DistributedGaussian", step, context.broadcast);
    auto steps = grid.clipped(message.values, clip, ClipNorm::l2);
    if (weight_cap > 0) {
      auto const n = static_cast<std::int64_t>(std::min(message.interactions, weight_cap));
      for (std::int64_t& k : steps) k = k * n / static_cast<std::int64_t>(weight_cap);  // rounds toward zero
    }
    Stream stream = context.streams.of(Purpose::privacy);
    for (std::int64_t& k : steps) k += discrete_gaussian(stream, scale());
    grid.write(steps, message.values);
    message.interactions = std::min(1U, context.interactions);
    return message;
  }

  /// The standard deviation of a client's noise in whole steps, rounded up.
  [[nodiscard]] std::uint64_t scale() const {
    return static_cast<std::uint64_t>(std::ceil(own_sigma() / step * (1.0 + 0x1p-50)));
  }

  /// ρ of a round in which h clients that do not collude reported.
  [[nodiscard]] double round_rho(std::uint64_t h, std::size_t dimension) const {
    return discrete_gaussian_sum_zcdp(2.0 * clip, static_cast<double>(scale()) * step, step, h, dimension);
  }

  /// A bound on the probability that the sum of so many messages is not below 2^(bits−1) steps in a coordinate.
  [[nodiscard]] double overflow_probability(std::uint64_t clients, std::size_t dimension, int bits) const {
    check();
    auto const n = static_cast<double>(clients);
    double const room = std::ldexp(1.0, bits - 1) - n * clip / step;
    if (!(room > 0.0)) return 1.0;
    auto const s = static_cast<double>(scale());
    // A discrete Gaussian is sub-Gaussian with its parameter s (Canonne, Kamath and Steinke 2020).
    return std::min(1.0, 2.0 * static_cast<double>(dimension) * math::exp(-room * room / (2.0 * n * s * s)));
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    check();
    PrivacyLoss out;
    bool const sealed = release.view == ServerView::sealed_sum;
    if (sealed && release.discarded) return out;  // the seal was not opened
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
    out.rho = round_rho(together ? noises : 1, release.dimension);
    if (together && release.reported - release.noiseless > 1) out.assumption = detail::colluding_assumption(colluding);
    return out;
  }

 private:
  static constexpr double most = detail::UpdateGrid::most;

  /// t − c: the clients whose noise adds up to the standard deviation σ.
  [[nodiscard]] std::uint64_t shares() const { return detail::noise_shares(fewest_reports, colluding); }
  /// The standard deviation of a client's noise.
  [[nodiscard]] double own_sigma() const { return sigma / std::sqrt(static_cast<double>(shares())); }
  void check() const {
    require(clip > 0.0 && std::isfinite(clip), "DistributedGaussian", "a finite clip > 0", clip);
    require(sigma > 0.0 && std::isfinite(sigma), "DistributedGaussian", "a finite sigma > 0", sigma);
    detail::check_colluding("DistributedGaussian", fewest_reports, colluding);
    require(step > 0.0 && std::isfinite(step) && std::ldexp(1.0, std::ilogb(step)) == step, "DistributedGaussian",
            "a step that is a power of two", step);
    double const s = own_sigma();
    require(s >= 2.0 * step, "DistributedGaussian", "a step of at most half the standard deviation of a client's noise",
            step);
    require(16.0 * std::ceil(s / step) + clip / step < most, "DistributedGaussian",
            "a step of at least 2^-17 standard deviations of a client's noise", step);
  }
};
static_assert(Privatizer<DistributedGaussian>);
template <>
inline constexpr bool composition::built_in_loss<DistributedGaussian> = true;

}  // namespace fltr
