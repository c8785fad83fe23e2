#pragma once

#include <concepts>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

FLTR_HOOK(trains);
FLTR_HOOK(personal);

/// Whether a learner says that it can train a ranker: `template <class R> static constexpr bool trains`. One that says
/// nothing is believed to train anything.
template <class L, class R>
concept Trains = !NamesHook_trains<L> || requires {
  requires static_cast<bool>(L::template trains<R>);
};

/// A **Learner** is a client's local work in one round.
///
/// | required                              | meaning                                                                |
/// | ------------------------------------- | ---------------------------------------------------------------------- |
/// | `L::Message`                          | what it sends (see Message)                                            |
/// | `l.learn(ranker, client, session)`    | const; works on the broadcast ranker, returns a Message                |
///
/// | optional                              | meaning                                                                |
/// | ------------------------------------- | ---------------------------------------------------------------------- |
/// | `L::State`                            | what it keeps at each client between rounds: `session.state`           |
/// | `template <class R> static constexpr bool trains` | which rankers it can train                                 |
/// | `l.personal(ranker, state)`           | const; the ranker that this client uses, where it differs              |
///
/// The session is all that it may touch: `show(query, order)` (the only place where a user sees a list; returns
/// clicks), `streams`, `state`, `constrain(weights)`, `workspace`, `report(value)`.
///
///     struct SendsTheModelBack {
///       using Message = fltr::LocalWeights;
///       fltr::LocalWeights learn(fltr::ParametricRanker auto const& ranker, auto const& client, auto&) const {
///         auto const w = ranker.parameters();
///         return {{w.begin(), w.end()}, client.interactions};
///       }
///     };
///     static_assert(fltr::Learner<SendsTheModelBack>);
///
/// Models: Pdgd, EvolutionStrategy, Ips, NaiveClicks, PropensityEm, LambdaRank, LambdaMart.
template <class L, class R = archetypes::DifferentiableRanker, class C = Client,
          class S = archetypes::Session<State<L>>>
concept Learner = Trains<L, R> && MessageFor<typename L::Message, R> &&
    requires(L const& l, R const& ranker, C const& client, S& session) {
  { l.learn(ranker, client, session) } -> std::same_as<typename L::Message>;
};

}  // namespace fltr
