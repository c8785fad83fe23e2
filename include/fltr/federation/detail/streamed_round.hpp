#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/lazy_sum.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/attackers.hpp>
#include <fltr/federation/detail/local_work.hpp>
#include <fltr/federation/detail/round_input.hpp>
#include <fltr/federation/detail/visit_clients.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// The sum of the messages of a block of clients, and, if they are sealed, the list of the senders.
template <class Sum, class Senders>
struct SentSum {
  LazySum<Sum> sum{};
  Senders senders{};

  void merge(SentSum&& other) {
    sum.merge(std::move(other.sum));
    senders.merge(std::move(other.senders));
  }
  auto fields(auto&& visit) { return visit(sum, senders); }
};

/// Opens the sum of all messages and aggregates it. A round with too few messages is discarded before the sum is
/// opened.
template <class Input, class Seal, class Sent>
void aggregate_sum(Input const& input, Seal& seal, Sent sent, typename Input::Ranker& ranker,
                   State<typename Input::Aggregator>& state, RoundStatistics& statistics) {
  auto& sum = sent.sum.sum;
  statistics.discarded = !input.enough(statistics) || !sum;
  if (statistics.discarded || !sum) return;
  statistics.unsealing = Sealing<typename Input::Aggregator>;
  statistics.discarded = !seal.open(*sum, std::move(sent.senders));
  if (statistics.discarded) return;
  aggregate(input.policies.aggregator, std::move(*sum), ranker, state);
}

/// A round in which messages are added up as they arrive. Memory does not grow with the number of clients, except for
/// attackers' messages and for seals.
template <class Input, class Seal>
[[nodiscard]] RoundOutcome<Input> streamed_round(Input const& input, Seal& seal, typename Input::Ranker& ranker,
                                                 State<typename Input::Aggregator>& state) {
  using A = typename Input::Aggregator;
  using M = typename Input::Message;
  RoundOutcome<Input> outcome;

  // Attackers first: each needs the messages of the others.
  std::vector<ClientMessage<M>> attackers;
  std::vector<RoundStatistics> statistics_of_attackers;
  if constexpr (Input::poisons) {
    using Gathered = GatheredMessages<M>;
    auto mine = visit_clients<Gathered>(input, ranker, seal, [&](Visit<Input> const& visit, Gathered& all) {
      if (input.malicious(visit.client)) gather_attacker(input, visit, all);
    });
    attackers = std::move(mine.payload.messages).take();
    statistics_of_attackers = std::move(mine.payload.statistics_of_attackers).take();
    outcome.changes = std::move(mine.changes);
    poison(input, std::span(attackers), std::span<ClientMessage<M> const>{}, ranker);
  }

  using Sent = SentSum<typename A::Sum, typename Seal::Senders>;
  auto round = visit_clients<Sent>(input, ranker, seal, [&](Visit<Input> const& visit, Sent& sent) {
    auto const empty_sum = [&] { return input.policies.aggregator.sum(visit.global); };
    auto const add = [&](M message) {
      sent.sum.add(seal.seal(visit.client, visit.position, std::move(message), sent.senders), empty_sum);
    };
    if (!input.malicious(visit.client)) {
      std::optional<M> message = honest_message(input, visit);
      if (message && screen(*message, visit.global, visit.client, false, visit.statistics)) add(std::move(*message));
      return;
    }
    auto const mine = std::ranges::lower_bound(attackers, visit.position, {}, &ClientMessage<M>::position);
    if (mine == attackers.end() || mine->position != visit.position) {
      ++visit.statistics.withdrawn;
      return;
    }
    if (!screen(mine->message, visit.global, visit.client, true, visit.statistics)) return;
    visit.statistics.merge(statistics_of_attackers[static_cast<std::size_t>(mine - attackers.begin())]);
    add(mine->message);
  });
  outcome.statistics = round.statistics;
  outcome.sent = round.sent;
  input.made(round.sent);
  outcome.changes.merge(std::move(round.changes));
  aggregate_sum(input, seal, std::move(round.payload), ranker, state, outcome.statistics);
  return outcome;
}

}  // namespace fltr::detail
