#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fltr/attacks/detail/fang_interval.hpp>
#include <fltr/attacks/detail/fang_selected.hpp>
#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/simulated_rule.hpp>
#include <fltr/attacks/deviation.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// The model whose difference to the global model is the direction without attack.
enum class FangDirection : std::uint8_t {
  mean,  ///< the mean of all models before the attack that the attackers know
  rule,  ///< the rule's model of all models before the attack that the attackers know
};

/// The value that attackers of a trimmed mean or a median send, of the interval of each parameter.
enum class FangValue : std::uint8_t {
  uniform,  ///< each attacker draws its own
  middle,   ///< the middle
  far_end,  ///< the end that is further from the honest values
};

/// Fang's attack on one rule (Fang et al. 2020; Wang 2024, section 5.2.3). s is the sign of the direction without
/// attack, see `direction`.
///
/// **On a SelectingRule** (Krum, MultiKrum): all attackers send θ_g − λs. λ begins with the paper's upper bound and is
/// halved until the simulated rule selects a crafted model. With FullKnowledge the rule is simulated on the crafted
/// models and the honest ones, with PartialKnowledge on the attackers' own models before the attack and 1, 2, … copies
/// of the crafted one, until one is selected; `rule.malicious` is then the number of copies. Where Krum would have less
/// than one neighbour it has one. If no λ is selected, the attackers send their honest models.
///
/// **On another RobustRule** (TrimmedMean, Median): each attacker draws each parameter from an interval beyond the
/// honest values, against s: with FullKnowledge from max to 2·max or max/2 (s < 0), or from min to 2·min or min/2
/// (s > 0); with PartialKnowledge from μ + 3σ to μ + 4σ, or from μ − 4σ to μ − 3σ, over the attackers' own models. Where
/// s = 0 an attacker sends its honest value.
///
/// Cost on a SelectingRule: one run of the rule for each λ, 17 from λ = 1 to 1e-5, and n² d / 2 for the bound; with
/// PartialKnowledge for each number of copies.
template <RobustRule Rule, Knowledge K>
struct Fang {
  MaliciousClients malicious{};
  Rule rule{};
  FangDirection direction = FangDirection::mean;
  std::optional<double> lambda{};  ///< the first λ; none: the upper bound
  double smallest_lambda = 1e-5;   ///< the search ends below it
  std::size_t copies = 0;          ///< in a simulation with PartialKnowledge; 0: 1, 2, …
  double stretch = 2.0;            ///< b > 1, the factor 2 of the intervals
  FangValue value = FangValue::uniform;
  Deviation deviation = Deviation::population;  ///< of the intervals with PartialKnowledge

  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, PartialKnowledge>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const& context) const {
    craft(mine, {}, shared_parameters(global), context);
  }
  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, FullKnowledge>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const& context) const {
    craft(mine, others, shared_parameters(global), context);
  }

 private:
  template <class M>
  void craft(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, std::span<float const> global,
             AttackContext const& context) const {
    require(!lambda || (std::isfinite(*lambda) && *lambda > 0.0), "Fang", "a finite lambda > 0", lambda.value_or(0.0));
    require(std::isfinite(smallest_lambda) && smallest_lambda > 0.0, "Fang", "a finite smallest_lambda > 0",
            smallest_lambda);
    require(std::isfinite(stretch) && stretch > 1.0, "Fang", "a finite stretch > 1", stretch);
    auto const known = detail::known_models("Fang", mine, others, global.size());
    if (known.empty()) return;
    std::vector<double> const sign = signs(known, global);
    if constexpr (SelectingRule<Rule>) {
      auto const model = known.others.senders.empty() ? selected_among_own(known.own.rows, sign, global)
                                                      : selected_among(known.others.rows, mine.size(), sign, global);
      if (model) detail::send_all(mine, std::span<double const>(*model));
    } else {
      auto const intervals = known.others.senders.empty() ? detail::fang_intervals(known.own.rows, sign, deviation)
                                                          : detail::fang_intervals(known.others.rows, sign, stretch);
      for (ClientMessage<M>& sent : mine)
        for (std::size_t k = 0; k < sign.size(); ++k)
          if (sign[k] != 0.0) sent.message.values[k] = detail::finite_float(draw(intervals[k], sign[k], context));
    }
  }

  /// The sign of the direction without attack: −1, 0 or 1 for each parameter.
  [[nodiscard]] std::vector<double> signs(detail::KnownModels const& known, std::span<float const> global) const {
    MessageRows const all = detail::all_rows(known);
    std::vector<double> out = detail::model_mean(all);
    if (direction == FangDirection::rule)
      if (auto const simulated = detail::simulated_rule(rule, all.clients()))
        std::ranges::copy(simulated->combine(all, global), out.begin());
    for (std::size_t k = 0; k < out.size(); ++k) {
      double const difference = out[k] - static_cast<double>(global[k]);
      out[k] = static_cast<double>((difference > 0.0) - (difference < 0.0));
    }
    return out;
  }

  /// FullKnowledge: the rule sees as many crafted models as there are attackers, then the honest models.
  [[nodiscard]] std::optional<std::vector<double>> selected_among(MessageRows const& honest, std::size_t attackers,
                                                                  std::span<double const> sign,
                                                                  std::span<float const> global) const
  requires SelectingRule<Rule>
  {
    using detail::SimulatedRound;
    return detail::fang_selected(rule, SimulatedRound(honest, attackers, SimulatedRound::Crafted::first), global, sign,
                                 lambda ? *lambda : detail::fang_bound(honest, attackers, global), smallest_lambda);
  }

  /// PartialKnowledge: the rule sees the attackers' own models, then copies of the crafted one. As many copies as
  /// models, and at least two, are enough: a copy then has only other copies as its neighbours.
  [[nodiscard]] std::optional<std::vector<double>> selected_among_own(MessageRows const& own,
                                                                      std::span<double const> sign,
                                                                      std::span<float const> global) const
  requires SelectingRule<Rule>
  {
    using detail::SimulatedRound;
    std::size_t const most = copies > 0 ? copies : std::max<std::size_t>(2, own.clients());
    for (std::size_t c = copies > 0 ? copies : 1; c <= most; ++c) {
      auto model =
          detail::fang_selected(detail::expecting(rule, c), SimulatedRound(own, c, SimulatedRound::Crafted::last),
                                global, sign, lambda ? *lambda : detail::fang_bound(own, c, global), smallest_lambda);
      if (model) return model;
    }
    return std::nullopt;
  }

  [[nodiscard]] double draw(detail::FangInterval interval, double sign, AttackContext const& context) const {
    switch (value) {
      case FangValue::middle:
        return 0.5 * (interval.low + interval.high);
      case FangValue::far_end:
        return sign < 0.0 ? interval.high : interval.low;
      case FangValue::uniform:
        break;
    }
    double const u = context.stream.uniform();
    return interval.low + u * (interval.high - interval.low);
  }
};

}  // namespace fltr
