#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/attack.hpp>
#include <fltr/core/random.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/rankers/linear_ranker.hpp>

namespace fltr::testing {

using Models = std::vector<std::vector<float>>;
using Messages = std::vector<ClientMessage<LocalWeights>>;

/// The messages of clients `first`, `first` + 1, … with these models.
inline Messages messages_of(Models const& models, ClientId first = 0) {
  Messages out;
  for (auto const& model : models) {
    auto const id = static_cast<ClientId>(first + out.size());
    out.push_back({id, {model, 4}, id});
  }
  return out;
}

/// A linear ranker with these weights.
inline LinearRanker ranker_of(std::vector<float> const& weights) {
  LinearRanker out(weights.size());
  std::ranges::copy(weights, out.parameters().begin());
  return out;
}

/// The models that attackers send. The attackers are the first clients. `participants` 0: mine and others.
template <class A>
Models poisoned(A const& attack, Models const& mine, Models const& others, std::vector<float> const& global,
                std::uint64_t participants = 0, std::uint64_t seed = 1) {
  auto sent = messages_of(mine);
  auto const honest = messages_of(others, static_cast<ClientId>(mine.size()));
  auto const ranker = ranker_of(global);
  Stream stream(seed);
  AttackContext const context{1, participants > 0 ? participants : mine.size() + others.size(), stream};
  if constexpr (composition::OmniscientAttack<A, LocalWeights, LinearRanker>)
    attack.poison(std::span(sent), std::span(honest), ranker, context);
  else
    attack.poison(std::span(sent), ranker, context);
  Models out;
  for (auto const& one : sent) out.push_back(one.message.values);
  return out;
}

}  // namespace fltr::testing
