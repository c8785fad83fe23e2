#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/reverse.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/reversed.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// Whose model the attackers of SignFlip reverse.
enum class FlippedModel : std::uint8_t {
  mean,  ///< the mean of the honest models (with PartialKnowledge: of the attackers' own); all attackers send the same
  own,   ///< each attacker its own
};

/// Sign flipping (Li et al. 2019): attackers send the opposite of an honest update, θ_g − (θ − θ_g). `own` is the "bit
/// flipping" of Karimireddy et al. (2022).
template <Knowledge K>
struct SignFlip {
  MaliciousClients malicious{};
  FlippedModel flipped = FlippedModel::mean;
  Reversed reversed = Reversed::update;

  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, PartialKnowledge>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const&) const {
    flip(mine, {}, shared_parameters(global));
  }
  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, FullKnowledge>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const&) const {
    flip(mine, others, shared_parameters(global));
  }

 private:
  template <class M>
  void flip(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others,
            std::span<float const> global) const {
    auto const known = detail::known_models("SignFlip", mine, others, global.size());
    if (known.empty()) return;
    if (flipped == FlippedModel::mean) {
      std::vector<double> model = detail::model_mean(known.honest().rows);
      detail::reverse(model, global, 1.0, reversed);
      return detail::send_all(mine, std::span<double const>(model));
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      auto const& values = mine[i].message.values;
      std::vector<double> model(values.begin(), values.end());
      detail::reverse(model, global, 1.0, reversed);
      detail::send_all(mine.subspan(i, 1), std::span<double const>(model));
    }
  }
};
static_assert(Attack<SignFlip<FullKnowledge>> && Attack<SignFlip<PartialKnowledge>>);

}  // namespace fltr
