#pragma once

#include <type_traits>

#include <fltr/core/state.hpp>

namespace fltr::detail {

/// The policies of a federation, in the order of the data flow.
template <class R, class C, class L, class A, class P, class At, class U, class E>
struct Policies {
  using Ranker = R;
  using ClickModel = C;
  using Learner = L;
  using Aggregator = A;
  using Privatizer = P;
  using Attack = At;
  using Unlearner = U;
  using Execution = E;
  using Message = typename L::Message;

  R ranker;
  C click_model;
  L learner;
  A aggregator;
  P privatizer;
  At attack;
  U unlearner;
  E execution;
};

/// The state that one client keeps between rounds.
template <class L, class U>
struct ClientState {
  State<L> learner;
  State<U> kept;  ///< by the unlearner

  /// Whether a client keeps any value. A State without members keeps none.
  static constexpr bool any = !std::is_empty_v<State<L>> || !std::is_empty_v<State<U>>;
  auto fields(auto&& visit) { return visit(learner, kept); }
};

}  // namespace fltr::detail
