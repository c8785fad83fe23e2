#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/perturbed_mean.hpp>
#include <fltr/attacks/detail/simulated_rule.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/perturbation.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// The attack of Shejwalkar and Houmansadr (2021) on one rule (DYN-OPT in Wang 2024, section 7.3.4): all attackers send
/// μ − γp, where μ is the mean of the honest models and p a perturbation. They simulate the rule to find γ, with the
/// search of MinMax:
///
/// - A **SelectingRule** accepts γ if it selects all crafted models, or, if it selects fewer models, only crafted ones.
///   γ is the largest that the search finds.
/// - **Another RobustRule** uses every model. γ is then the one of the search that moves the rule's model furthest from
///   μ: a step is accepted if it moves the rule's model further than all steps before it and than γ = 0. (The published
///   code accepts the first step in any case, and then never finds a γ below gamma_init.)
///
/// With FullKnowledge the simulated round has the crafted models and the honest ones. With PartialKnowledge the m
/// attackers among n clients take their own models for the honest ones, with `copies` crafted models among them, and
/// `rule.malicious` is that number. Where Krum would have less than one neighbour it has one.
///
/// Without an accepted γ the attackers send μ. If the rule cannot compute with so few models, or if a SelectingRule
/// leaves out none of them, the attackers send their honest models.
///
/// Cost: one run of the rule per step, 20 with the defaults.
template <RobustRule Rule, Knowledge K>
struct DynOpt {
  MaliciousClients malicious{};
  Rule rule{};
  Perturbation perturbation = Perturbation::unit_vector;
  double gamma_init = 10.0;
  double threshold = 1e-5;
  std::size_t copies = 0;  ///< with PartialKnowledge; 0: the same share as in the round, max(1, ⌊m² / n⌋)

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
    auto const known = detail::known_models("DynOpt", mine, others, global.size());
    if (known.empty()) return;
    bool const partial = known.others.senders.empty();
    std::size_t const crafted = partial ? crafted_copies(mine.size(), context.participants) : mine.size();
    MessageRows const& honest = known.honest().rows;
    // Of equal scores the lowest row wins. Attackers do not know their place among clients that they do not see, so they
    // assume the last one.
    using Place = detail::SimulatedRound::Crafted;
    detail::SimulatedRound round(honest, crafted, partial ? Place::last : Place::first);
    auto const simulated =
        detail::simulated_rule(partial ? detail::expecting(rule, crafted) : rule, round.rows().clients());
    if (!simulated || !rejects(*simulated, round, global)) return;
    auto const model = detail::perturbed_mean(honest, global, perturbation);
    auto const rows_with = [&](double gamma) -> MessageRows const& {
      round.craft(model.at(gamma));
      return round.rows();
    };
    double gamma = 0.0;
    if constexpr (SelectingRule<Rule>) {
      gamma = detail::largest_accepted("DynOpt", gamma_init, threshold, [&](double tried) {
        auto const selected = simulated->select(rows_with(tried), global);
        return round.crafted_among(selected) == std::min(selected.size(), round.copies());
      });
    } else {
      auto const moved = [&](double tried) {
        std::vector<float> const combined = simulated->combine(rows_with(tried), global);
        return detail::squared_model_distance(std::span<float const>(combined), std::span<double const>(model.mean));
      };
      double furthest = moved(0.0);
      gamma = detail::largest_accepted("DynOpt", gamma_init, threshold, [&](double tried) {
        double const distance = moved(tried);
        bool const further = distance > furthest;
        furthest = std::max(furthest, distance);
        return further;
      });
    }
    detail::send_all(mine, std::span<double const>(model.at(gamma)));
  }

  /// Whether a SelectingRule leaves out any row of such a round. If not, it accepts every γ, which tells nothing.
  [[nodiscard]] static bool rejects(Rule const& simulated, detail::SimulatedRound const& round,
                                    std::span<float const> global) {
    if constexpr (SelectingRule<Rule>)
      return simulated.select(round.rows(), global).size() < round.rows().clients();
    else
      return true;
  }

  [[nodiscard]] std::size_t crafted_copies(std::size_t attackers, std::uint64_t clients) const {
    if (copies > 0) return copies;
    return std::max<std::size_t>(1, attackers * attackers / std::max<std::size_t>(clients, attackers));
  }
};

}  // namespace fltr
