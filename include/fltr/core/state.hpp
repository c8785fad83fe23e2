#pragma once

#include <type_traits>

#include <fltr/core/hooks.hpp>

namespace fltr {

FLTR_HOOK(State);

/// The state of a policy that keeps none.
struct NoState {
  void merge(NoState const&) {}
  auto fields(auto&& visit) { return visit(); }
};

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

/// What a policy keeps between rounds: its nested `State`, or nothing. An aggregator has one at the server; a learner
/// and an unlearner have one per client. Policies themselves are values that never change.
template <class Policy>
using State = typename state_of<Policy>::type;

}  // namespace fltr
