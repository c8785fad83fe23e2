#pragma once

#include <concepts>
#include <cstdint>

#include <fltr/core/hooks.hpp>

namespace fltr {

FLTR_HOOK(record);
FLTR_HOOK(unlearn);

/// An **Unlearner** makes a federation forget clients.
///
/// | required                                  | meaning                                                            |
/// | ----------------------------------------- | ------------------------------------------------------------------ |
/// | `u.keeps(round)`                          | const; whether clients keep something of this round                |
///
/// | optional                                  | meaning                                                            |
/// | ----------------------------------------- | ------------------------------------------------------------------ |
/// | `U::State`                                | what each client keeps, with fields; needs `record`                |
/// | `u.record(state, round, global, message)` | const; at the client, before the message is privatized             |
/// | `u.unlearn(replay)`                       | const; drives rounds again without some clients (see Replay)       |
///
/// A replay starts clean: learners' states are empty, and its random numbers are a function of the run's seed and the
/// set of forgotten clients.
///
/// Models: NoUnlearning.
template <class U>
concept Unlearner = requires(U const& u, std::uint32_t round) {
  { u.keeps(round) } -> std::same_as<bool>;
};

}  // namespace fltr
