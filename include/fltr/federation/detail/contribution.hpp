#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/collected.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/policies.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr::detail {

/// The new state of one client after a round.
template <class L, class U>
struct StateChange {
  std::uint64_t position = 0;  ///< of the client in the population
  State<L> learner{};
  std::optional<State<U>> kept{};  ///< if the unlearner recorded the round

  auto fields(auto&& visit) { return visit(position, learner, kept); }
};

/// The new states of many clients; NoState if no policy keeps a state at the clients.
template <class L, class U>
using StateChanges = std::conditional_t<ClientState<L, U>::any, Collected<StateChange<L, U>>, NoState>;

/// The result of a block of clients in a round: its messages (added up or gathered), its statistics, and the new states
/// of its clients. It is returned by value, because the block may have run in another process.
template <class Payload, class Changes>
struct Contribution {
  Payload payload{};
  RoundStatistics statistics{};
  Changes changes{};
  std::uint64_t sent = 0;  ///< the sum of the hashes of the privatized messages, if there is a privacy account

  void merge(Contribution&& other) {
    payload.merge(std::move(other.payload));
    statistics.merge(other.statistics);
    changes.merge(std::move(other.changes));
    sent += other.sent;
  }
  auto fields(auto&& visit) { return visit(payload, statistics, changes, sent); }
};

/// Replaces the states of the clients that a round changed.
template <class L, class U>
void apply_changes(Collected<StateChange<L, U>>&& changes, std::vector<ClientState<L, U>>& states) {
  for (auto& block : changes.blocks)
    for (auto& change : block) {
      auto& state = states[change.position];
      state.learner = std::move(change.learner);
      if (change.kept) state.kept = std::move(*change.kept);
    }
}
template <class L, class U>
void apply_changes(NoState&&, std::vector<ClientState<L, U>>&) {}

}  // namespace fltr::detail
