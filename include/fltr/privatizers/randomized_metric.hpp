#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/response_renyi.hpp>
#include <fltr/accounting/shuffle_renyi.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/messages/evolution_message.hpp>

namespace fltr {

/// Randomised response on a metric of n levels (FOLtR-ES). Each measurement is kept with probability p. Otherwise it is
/// replaced by one of the other n − 1 levels, all equally likely. A measurement between two levels is first rounded to
/// one of them at random, without bias, so that the expected value of the sent metric is a linear function of the
/// measurement. p = 1 sends the measurements unchanged.
///
/// **Guarantee**: one measurement is ε-differentially private with ε = ln(p (n − 1) / (1 − p)), for a server that sees
/// every single message. The unit is one client, and neighbours replace the data of one client. A message of B
/// measurements costs B·ε, and every round spends it again. `loss` gives ε of one measurement as nominal (the paper's
/// figure) and B·ε as accounted. For p = 1 both are ∞. Over several rounds it also states ρ = B ε²/2 of zCDP, and B times
/// the Rényi divergence of a measurement; the random rounding to a level does not increase it.
///
/// **Under a seal** (SecureSum or IdealSum around EsGradient) the server sees the sum of weight · perturbation. This is a
/// function of the set of messages, so that the bound for shuffled messages holds (shuffled_renyi_curve) with the honest
/// reports minus `colluding` and ε₀ = B·ε. Each Rényi divergence is the smaller one of both bounds; δ is chosen once for
/// all rounds, in the conversion. The bound assumes that seeds are not sent and do not depend on the data, and it needs
/// the same number of interactions for all clients: messages of another length are not exchangeable. A sealed round that
/// is discarded costs nothing if no client was asked to open it.
///
/// For p < 1 a client without data sends B randomised zeros, so that the message does not show that it has no data.
struct RandomizedMetric {
  double keep = 0.9;            ///< p, above 1/n
  std::vector<float> levels;    ///< in rising order, from 0 to at most 1
  std::uint64_t colluding = 1;  ///< c: reporting clients that know or tell what they sent; 0: against the server alone

  /// The levels of MaxRR with a cutoff k: 0, 1/k, …, 1/2, 1.
  static RandomizedMetric max_rr(double keep, std::size_t cutoff = 10) {
    RandomizedMetric out{.keep = keep, .levels = {0.0F}};
    for (std::size_t rank = cutoff; rank > 0; --rank) out.levels.push_back(1.0F / static_cast<float>(rank));
    return out;
  }
  /// n levels at equal distances from 0 to 1, for metrics with any value in [0, 1].
  static RandomizedMetric even(double keep, std::size_t n) {
    require(n >= 2, "RandomizedMetric", "at least two levels", n);
    RandomizedMetric out{.keep = keep, .levels = {}};
    for (std::size_t i = 0; i < n; ++i) out.levels.push_back(static_cast<float>(i) / static_cast<float>(n - 1));
    return out;
  }

  [[nodiscard]] EvolutionMessage privatize(EvolutionMessage message, PrivacyContext const& context) const {
    check();
    if (keep == 1.0) return message;
    complete(message, context.interactions);
    Stream stream = context.streams.of(Purpose::privacy);
    auto const n = static_cast<std::uint32_t>(levels.size());
    for (float& metric : message.metrics) {
      std::uint32_t level = level_of(metric, stream);
      if (!(stream.uniform() < keep)) {
        std::uint32_t const other = stream.below(n - 1);
        level = other + (other >= level ? 1 : 0);
      }
      metric = levels[level];
    }
    return message;
  }

  /// ε of one measurement. ∞ for p = 1.
  [[nodiscard]] double epsilon() const {
    check();
    return math::log(keep * static_cast<double>(levels.size() - 1) / (1.0 - keep));
  }

  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    PrivacyLoss loss{.epsilon_nominal = epsilon()};
    if (release.interactions == 0) return loss;                                    // no measurement; ∞ · 0 would be NaN
    if (release.view == ServerView::sealed_sum && release.discarded) return loss;  // the seal was not opened
    auto const measurements = static_cast<double>(release.interactions);
    loss.epsilon_accounted = epsilon() * measurements;
    loss.rho = measurements * epsilon() * epsilon() / 2.0;
    if (keep == 1.0) {
      loss.reason = "measurements are sent as they are";
      return loss;
    }
    for (double const order : renyi_orders)
      loss.rdp.push_back(measurements * response_renyi(order, keep, levels.size()));
    if (!shuffled(release)) return loss;
    auto const curve = shuffled_renyi_curve(loss.epsilon_accounted, release.reported - release.noiseless - colluding);
    for (std::size_t i = 0; i < curve.size(); ++i) loss.rdp[i] = std::min(loss.rdp[i], curve[i]);
    loss.assumption = "assumes that the seeds of perturbations are not sent and do not depend on the data";
    if (colluding == 0)
      loss.assumption += "; against the server alone: assumes that no client uses its knowledge of what it sent";
    else
      loss.assumption += ", and that at most " + std::to_string(colluding) + " of the reporting clients " +
                         (colluding == 1 ? "colludes" : "collude");
    return loss;
  }

  /// What the answers depend on: `colluding` counts in the loss alone.
  auto members(auto&& visit) const { return visit(keep, levels, std::uint64_t{0}); }

 private:
  /// Whether the server sees nothing but a function of the set of messages, to which several honest clients contribute.
  [[nodiscard]] bool shuffled(RoundRelease const& release) const {
    return release.view == ServerView::sealed_sum && release.sum_step > 0.0 && !release.altered &&
           release.fewest_interactions == release.interactions && release.reported > release.noiseless + colluding + 1;
  }
  [[nodiscard]] std::uint32_t level_of(float metric, Stream& stream) const {
    constexpr double rounding = 1e-6;  // relative to the distance of two levels: closer values count as on the level
    auto const above = std::ranges::lower_bound(levels, metric);
    if (above == levels.begin()) return 0;
    auto const i = static_cast<std::uint32_t>(above - levels.begin());
    if (above == levels.end()) return i - 1;
    double const share = static_cast<double>(metric - levels[i - 1]) / static_cast<double>(levels[i] - levels[i - 1]);
    if (share > 1.0 - rounding) return i;
    return share < rounding || !stream.bernoulli(share) ? i - 1 : i;
  }
  void check() const {
    require(levels.size() >= 2 && std::ranges::adjacent_find(levels, std::ranges::greater_equal{}) == levels.end() &&
                levels.front() == 0.0F && levels.back() <= 1.0F,
            "RandomizedMetric", "at least two levels in rising order within [0, 1], the first one 0", levels.size());
    require(keep * static_cast<double>(levels.size()) > 1.0 && keep <= 1.0, "RandomizedMetric",
            "a keep (p) above 1/levels and at most 1", keep);
  }
};
static_assert(Privatizer<RandomizedMetric, EvolutionMessage>);
template <>
inline constexpr bool composition::built_in_loss<RandomizedMetric> = true;

}  // namespace fltr
