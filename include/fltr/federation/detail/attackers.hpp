#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fltr/concepts/attack.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/local_work.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// Gathered messages, and the statistics of each attacker among the senders, in the same order. The statistics of an
/// attacker become part of the round only if its message is accepted.
template <class M>
struct GatheredMessages {
  Collected<ClientMessage<M>> messages{};
  Collected<RoundStatistics> statistics_of_attackers{};

  void merge(GatheredMessages&& other) {
    messages.merge(std::move(other.messages));
    statistics_of_attackers.merge(std::move(other.statistics_of_attackers));
  }
  auto fields(auto&& visit) { return visit(messages, statistics_of_attackers); }
};

/// Adds the honest message of an attacker, which `poison` will rewrite. It is not privatized.
template <class Input>
void gather_attacker(Input const& input, Visit<Input> const& visit, GatheredMessages<typename Input::Message>& all) {
  RoundStatistics own;
  auto message = learned_message(input, visit.with_statistics(own));
  if (!message) {
    ++visit.statistics.withdrawn;
    return;
  }
  all.messages.add({visit.client.id, std::move(*message), visit.position});
  all.statistics_of_attackers.add(own);
}

/// Calls the attack's `poison`. The attackers may change their messages, but not the ids of the senders.
template <class Input>
void poison(Input const& input, std::span<ClientMessage<typename Input::Message>> mine,
            std::span<ClientMessage<typename Input::Message> const> others, typename Input::Ranker const& global) {
  if (mine.empty()) return;
  std::vector<std::pair<ClientId, std::uint64_t>> senders;
  for (auto const& sent : mine) senders.emplace_back(sent.client, sent.position);
  RoundInfo const& info = input.info;
  Stream stream = Streams{info.seed, info.number, 0, info.replay}.of(Purpose::attack);
  AttackContext const context{info.number, info.participants, stream};
  if constexpr (Input::omniscient)
    input.policies.attack.poison(mine, others, global, context);
  else if constexpr (Input::poisons)
    input.policies.attack.poison(mine, global, context);
  for (std::size_t i = 0; i < mine.size(); ++i) std::tie(mine[i].client, mine[i].position) = senders[i];
}

/// Poisons the attackers' messages among all gathered messages and screens them. Keeps the order of the population.
template <class Input>
void poison_gathered(Input const& input, std::vector<ClientMessage<typename Input::Message>>& messages,
                     std::vector<RoundStatistics> const& statistics_of_attackers, typename Input::Ranker const& global,
                     RoundStatistics& statistics) {
  std::vector<ClientMessage<typename Input::Message>> mine;
  std::vector<ClientMessage<typename Input::Message>> others;
  for (auto& sent : messages)
    (input.policies.attack.malicious.contains(sent.client) ? mine : others).push_back(std::move(sent));
  poison(input, std::span(mine), std::span(std::as_const(others)), global);
  messages.clear();
  std::size_t m = 0;
  std::size_t o = 0;
  while (m < mine.size() || o < others.size()) {
    bool const attacker = o == others.size() || (m < mine.size() && mine[m].position < others[o].position);
    if (!attacker) {
      messages.push_back(std::move(others[o++]));
      continue;
    }
    if (screen(mine[m].message, global, input.client_at(mine[m].position), true, statistics)) {
      statistics.merge(statistics_of_attackers[m]);
      messages.push_back(std::move(mine[m]));
    }
    ++m;
  }
}

}  // namespace fltr::detail
