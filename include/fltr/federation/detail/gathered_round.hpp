#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/attackers.hpp>
#include <fltr/federation/detail/local_work.hpp>
#include <fltr/federation/detail/round_input.hpp>
#include <fltr/federation/detail/streamed_round.hpp>
#include <fltr/federation/detail/visit_clients.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// A round in which all messages are in memory at once: for a gathering aggregator, or for an attack that reads the
/// honest messages.
template <class Input, class Seal>
[[nodiscard]] RoundOutcome<Input> gathered_round(Input const& input, Seal& seal, typename Input::Ranker& ranker,
                                                 State<typename Input::Aggregator>& state) {
  using A = typename Input::Aggregator;
  using M = typename Input::Message;
  using Gathered = GatheredMessages<M>;
  RoundOutcome<Input> outcome;
  auto round = visit_clients<Gathered>(input, ranker, seal, [&](Visit<Input> const& visit, Gathered& all) {
    if (input.malicious(visit.client)) return gather_attacker(input, visit, all);  // screened after `poison`
    std::optional<M> message = honest_message(input, visit);
    if (message && screen(*message, visit.global, visit.client, false, visit.statistics))
      all.messages.add({visit.client.id, std::move(*message), visit.position});
  });
  outcome.statistics = round.statistics;
  outcome.sent = round.sent;
  input.made(round.sent);
  outcome.changes = std::move(round.changes);
  auto messages = std::move(round.payload.messages).take();
  if constexpr (Input::poisons)
    poison_gathered(input, messages, std::move(round.payload.statistics_of_attackers).take(), ranker,
                    outcome.statistics);

  if constexpr (Streaming<A>) {
    // The messages are added up as if they had been streamed.
    SentSum<typename A::Sum, typename Seal::Senders> sent;
    std::vector<ClientMessage<Sealed<A, M>>> wires;
    for (ClientMessage<M>& one : messages)
      wires.push_back({one.client,
                       seal.seal(input.client_at(one.position), one.position, std::move(one.message), sent.senders),
                       one.position});
    if (!wires.empty())
      sent.sum.sum = sum_messages(input.policies.aggregator, std::as_const(wires), std::as_const(ranker));
    aggregate_sum(input, seal, std::move(sent), ranker, state, outcome.statistics);
  } else {
    outcome.statistics.discarded = !input.enough(outcome.statistics);
    if (outcome.statistics.discarded) return outcome;
    aggregate(input.policies.aggregator, std::span<ClientMessage<M> const>(messages), ranker, state);
    outcome.messages = std::move(messages);
  }
  return outcome;
}

}  // namespace fltr::detail
