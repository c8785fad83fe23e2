#pragma once

#include <concepts>
#include <cstdint>

#include <fltr/core/hooks.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(record);
FLTR_HOOK(unlearn);
}  // namespace composition

/// What a replay did with the message of a client. RoundStatistics counts each of them.
enum class Correction : std::uint8_t {
  corrected,   ///< the message is sent
  unrecorded,  ///< the client has no record of the round; the message is sent as the client made it
  zero,        ///< an update of length 0 has no direction; the message is the broadcast model
  withdrawn,   ///< the message is not sent
};

/// An **Unlearner** makes a federation forget clients.
///
/// | required                                    | meaning                                                          |
/// | ------------------------------------------- | ---------------------------------------------------------------- |
/// | `u.keeps(round)`                            | const; returns bool: whether clients record this round           |
///
/// | optional                                    | meaning                                                          |
/// | ------------------------------------------- | ---------------------------------------------------------------- |
/// | `U::State`                                  | type with fields; the records of one client; requires `record`   |
/// | `u.record(state, round, global, message)`   | const; called at the client in each round that it keeps, before  |
/// |                                             | the message is privatized; changes the state                     |
/// | `u.unlearn(replay)`                         | const; called by Training::forget; runs rounds again without the |
/// |                                             | forgotten clients                                                |
///
/// | member of the replay                        | meaning                                                          |
/// | ------------------------------------------- | ---------------------------------------------------------------- |
/// | `replay.rounds()`                           | the number of rounds of the training                             |
/// | `replay.forgotten()`                        | the ids of all forgotten clients, rising                         |
/// | `replay.step(round, interactions, correct)` | runs a round again; returns its RoundStatistics; `interactions`  |
/// |                                             | per client (0: as in the training);                              |
/// |                                             | `correct(state, round, global, message)` may change a message    |
/// |                                             | before it is privatized; it returns nothing, a Correction, or    |
/// |                                             | a bool (false: the message is withdrawn)                         |
/// | `replay.ranker`, `replay.server_state`      | the result so far; they become the training's                    |
///
/// A replay begins with the start model and with empty states of learners and server. Its random numbers are a function
/// of the run's seed and of the set of forgotten clients. `round` must rise from call to call.
///
///     struct TrainAgain {
///       bool keeps(std::uint32_t) const { return false; }
///       void unlearn(auto& replay) const {
///         for (std::uint32_t round = 1; round <= replay.rounds(); ++round)
///           replay.step(round, 0, [](auto const&...) {});
///       }
///     };
///     static_assert(fltr::Unlearner<TrainAgain>);
///
/// Models: NoUnlearning, Retrain, FedEraser.
template <class U>
concept Unlearner = requires(U const& u, std::uint32_t round) {
  { u.keeps(round) } -> std::same_as<bool>;
};

}  // namespace fltr
