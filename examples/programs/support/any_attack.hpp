#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/attacks/dyn_opt.hpp>
#include <fltr/attacks/fang.hpp>
#include <fltr/attacks/inner_product.hpp>
#include <fltr/attacks/inversion.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/little_is_enough.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/mimic.hpp>
#include <fltr/attacks/min_max.hpp>
#include <fltr/attacks/min_sum.hpp>
#include <fltr/attacks/promote.hpp>
#include <fltr/attacks/sign_flip.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/data/displayed_list.hpp>
#include <fltr/data/feature_pattern.hpp>

#include "any_aggregator.hpp"
#include "poisoning_kinds.hpp"

namespace fltr::examples {

/// Users of one type, honest or malicious: cascade users, or the users of Promote if there are targets.
struct AnyClicks {
  CascadeModel cascade;
  FeaturePattern targets{};

  void click(DisplayedList const& list, std::span<std::uint8_t> clicks, Stream& stream) const {
    if (targets.ranges.empty())
      cascade.click(list.grades(), clicks, stream);
    else
      Promote::Users{targets}.click(list, clicks, stream);
  }
};
static_assert(ClickModel<AnyClicks>);

/// An attack that the program chooses at run time, once per round. An attack that has no full knowledge never gets the
/// messages of the others. Without malicious clients the bits are those without an attack.
struct AnyAttack {
  MaliciousClients malicious{};
  AttackKind kind = AttackKind::none;
  KnowledgeKind knowledge = KnowledgeKind::full;
  AnyClicks users{};        ///< of malicious clients, for click-poisoning and promote
  AnyAggregator defence{};  ///< that fang and dyn-opt simulate

  [[nodiscard]] AnyClicks const& clicks(AnyClicks const& honest) const noexcept {
    return kind == AttackKind::click_poisoning || kind == AttackKind::promote ? users : honest;
  }

  template <FlatMessage M, ParametricRanker R>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const& context) const {
    switch (kind) {
      case AttackKind::none:
      case AttackKind::click_poisoning:
      case AttackKind::promote:
        return;
      case AttackKind::little_is_enough:
        return LittleIsEnough{}.poison(mine, global, context);
      case AttackKind::inversion:
        return Inversion{}.poison(mine, global, context);
      default:
        break;
    }
    if (knowledge == KnowledgeKind::full)
      known<FullKnowledge>([&](auto const& attack) { attack.poison(mine, others, global, context); });
    else
      known<PartialKnowledge>([&](auto const& attack) { attack.poison(mine, global, context); });
  }

 private:
  /// Calls use(attack) for an attack that exists for both kinds of knowledge.
  template <Knowledge K, class Use>
  void known(Use const& use) const {
    switch (kind) {
      case AttackKind::fang:
        if (selects(defence.rule.kind)) return use(Fang<SimulatedDefence<AnySelectingRule>, K>{.rule = simulated()});
        return use(Fang<SimulatedDefence<AnyRule>, K>{.rule = simulated_rule()});
      case AttackKind::dyn_opt:
        if (selects(defence.rule.kind)) return use(DynOpt<SimulatedDefence<AnySelectingRule>, K>{.rule = simulated()});
        return use(DynOpt<SimulatedDefence<AnyRule>, K>{.rule = simulated_rule()});
      case AttackKind::sign_flip:
        return use(SignFlip<K>{});
      case AttackKind::min_max:
        return use(MinMax<K>{});
      case AttackKind::min_sum:
        return use(MinSum<K>{});
      case AttackKind::inner_product:
        return use(InnerProduct<K>{});
      case AttackKind::mimic:
        return use(Mimic<K>{});
      default:
        break;
    }
  }

  [[nodiscard]] SimulatedDefence<AnySelectingRule> simulated() const {
    return {{defence.rule}, defence.mix, defence.bound, defence.rule.malicious};
  }
  [[nodiscard]] SimulatedDefence<AnyRule> simulated_rule() const {
    return {defence.rule, defence.mix, defence.bound, defence.rule.malicious};
  }
};
static_assert(Attack<AnyAttack>);

}  // namespace fltr::examples
