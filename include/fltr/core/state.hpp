#pragma once

#include <type_traits>

#include <fltr/core/hooks.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(State);
}  // namespace composition

/// The state of a policy without a nested `State`.
struct NoState {
  void merge(NoState const&) {}
  auto fields(auto&& visit) { return visit(); }
};

namespace composition {

template <class Policy>
struct state_of {
  static_assert(!NamesHook_State<Policy>, "fltr: a policy's 'State' must be a public nested type");
  using type = NoState;
};
template <class Policy>
requires requires { typename Policy::State; }
struct state_of<Policy> {
  using type = typename Policy::State;
};

}  // namespace composition

/// The data that a policy keeps between rounds: its nested type `State`, or NoState. An aggregator has one State at the
/// server; a learner and an unlearner have one per client. The policies themselves do not change during a training.
template <class Policy>
using State = typename composition::state_of<Policy>::type;

}  // namespace fltr
