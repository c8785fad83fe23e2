#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <fltr/core/state.hpp>
#include <fltr/federation/policies.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/collected.hpp>

namespace fltr {

/// What a round changes in the state of one client.
template <class L, class U>
struct StateChange {
  std::uint64_t position = 0;
  State<L> learner{};
  std::optional<State<U>> kept{};  ///< where the unlearner recorded something

  auto fields(auto&& visit) { return visit(position, learner, kept); }
};

/// The changes of many clients; nothing where no policy keeps a state at the clients.
template <class L, class U>
using StateChanges = std::conditional_t<ClientState<L, U>::any, Collected<StateChange<L, U>>, NoState>;

/// What a block of clients contributes to a round: messages, summed up or gathered, what was counted, and the new
/// states of its clients. A leaf returns all of it by value, since it may have run in another process.
template <class Payload, class Changes>
struct Contribution {
  Payload payload{};
  Tally tally{};
  Changes changes{};

  void merge(Contribution&& other) {
    payload.merge(std::move(other.payload));
    tally.merge(other.tally);
    changes.merge(std::move(other.changes));
  }
  auto fields(auto&& visit) { return visit(payload, tally, changes); }
};

}  // namespace fltr
