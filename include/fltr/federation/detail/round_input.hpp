#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/contribution.hpp>
#include <fltr/federation/detail/policies.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/detail/work_interruption.hpp>
#include <fltr/federation/round_info.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/federation/session.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// The rules of a round. A replay that forgets clients leaves some clients out, asks for less local work, and corrects
/// messages.
template <class TakesPart, class Correct>
struct RoundRules {
  TakesPart takes_part;            ///< bool takes_part(client_id)
  Correct correct;                 ///< Correction correct(kept, round, global, message), at the client
  std::uint32_t interactions = 0;  ///< per client, but never more than the client's own number; 0: its own number
  bool record = true;              ///< whether the unlearner records the round
  std::uint64_t minimum_reports = 1;
};

/// What is known of the messages of a round before it is over.
struct RoundProgress {
  std::atomic<bool> released = false;   ///< whether the first message may have left its client
  std::optional<std::uint64_t> sent{};  ///< see Contribution; none before all messages are made
};

/// Everything that a round reads, the ranker and the server's state excepted. A round changes none of it.
template <class AllPolicies, Population AllClients, class Rules>
struct RoundInput {
  using Policies = AllPolicies;
  using Clients = AllClients;
  using Ranker = typename Policies::Ranker;
  using Learner = typename Policies::Learner;
  using Aggregator = typename Policies::Aggregator;
  using Attack = typename Policies::Attack;
  using Unlearner = typename Policies::Unlearner;
  using Message = typename Policies::Message;
  using Client = ClientOf<Clients>;
  using KeptState = ClientState<Learner, Unlearner>;
  using Changes = StateChanges<Learner, Unlearner>;
  using Buffers = SessionBuffers<WorkspaceOf<Learner>, WorkOf<typename Policies::Execution>>;

  static constexpr bool omniscient = composition::OmniscientAttack<Attack, Message, Ranker>;
  static constexpr bool poisons = omniscient || composition::ColludingAttack<Attack, Message, Ranker>;
  /// Whether all messages of a round are in memory at once: for a gathering aggregator, or an attack that reads them.
  static constexpr bool gathers = !Streaming<Aggregator> || omniscient;

  Policies const& policies;
  Clients const& clients;
  std::vector<KeptState> const& states;   ///< of the learners
  std::vector<KeptState> const& history;  ///< of the unlearner; `states` itself, except in a replay
  RoundInfo info;
  Roster const& roster;
  Rules const& rules;
  RoundProgress* progress = nullptr;

  /// A client made its message. A streaming aggregator reads it before the other clients made theirs. Called by all threads.
  void release() const {
    if (progress != nullptr && !progress->released.load(std::memory_order_relaxed))
      progress->released.store(true, std::memory_order_relaxed);
  }
  /// All messages are made; the sum of their hashes.
  void made(std::uint64_t sent) const {
    if (progress != nullptr) progress->sent = sent;
  }
  /// The client at a position, with the interactions that it is asked for in this round.
  [[nodiscard]] Client client_at(std::size_t position) const {
    Client client = clients[position];
    if (rules.interactions != 0) client.interactions = std::min(client.interactions, rules.interactions);
    return client;
  }

  /// Whether a client that is asked at this moment answers.
  [[nodiscard]] bool answers(RoundPhase const& at, std::size_t position, ClientId id) const {
    if constexpr (composition::NamesHook_reports<Clients>) {
      Stream stream = info.streams(id).of(at.purpose());
      return reports(clients, at, position, stream);
    } else {
      return true;
    }
  }

  /// Whether a client is an attacker whose message `poison` rewrites. Attackers that only click otherwise send their
  /// messages like honest clients.
  [[nodiscard]] bool malicious(Client const& client) const {
    if constexpr (poisons)
      return policies.attack.malicious.contains(client.id);
    else
      return false;
  }

  /// Whether enough messages arrived for the aggregator.
  [[nodiscard]] bool enough(RoundStatistics const& statistics) const {
    return statistics.reported >= std::max(rules.minimum_reports, minimum_messages(policies.aggregator));
  }
};

/// What a round produced, besides the next ranker and the next state of the server.
template <class Input>
struct RoundOutcome {
  RoundStatistics statistics{};
  typename Input::Changes changes{};  ///< new states of the clients
  std::vector<ClientMessage<typename Input::Message>>
      messages{};          ///< those that were aggregated, if they were gathered
  std::uint64_t sent = 0;  ///< see Contribution
};

}  // namespace fltr::detail
