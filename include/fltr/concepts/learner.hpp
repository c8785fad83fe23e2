#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

FLTR_HOOK(trains);
FLTR_HOOK(personal);
FLTR_HOOK(learn);
FLTR_HOOK(train);
FLTR_HOOK(shows_lists);

/// Whether a learner says that it can train a ranker: `template <class R> static constexpr bool trains`. One that says
/// nothing is believed to train anything.
template <class L, class R>
concept Trains = !NamesHook_trains<L> || requires {
  requires static_cast<bool>(L::template trains<R>);
};

/// Whether a learner shows lists to users: `static constexpr bool shows_lists`. Default: true.
template <class L>
[[nodiscard]] consteval bool shows_lists() {
  if constexpr (NamesHook_shows_lists<L>) {
    static_assert(
        requires { requires std::same_as<decltype(L::shows_lists), bool const>; },
        "fltr: the Learner's 'shows_lists' must be a static constexpr bool");
    return L::shows_lists;
  } else {
    return true;
  }
}

template <class L, class R, class C, class S>
concept LearnsMessage = requires(L const& l, R const& ranker, C const& client, S& session) {
  { l.learn(ranker, client, session) } -> std::same_as<typename L::Message>;
};
template <class L, class R, class C, class S>
concept TrainsInPlace = std::same_as<typename L::Message, LocalWeights> &&
    requires(L const& l, R& local, C const& client, S& session) {
  { l.train(local, client, session) } -> std::same_as<std::uint32_t>;
  shared_parameters(local);
};

/// Mistakes that would otherwise be silent or blamed on something else.
template <class L, class R, class C, class S>
concept TrainsWithoutWeight = !NamesHook_learn<L> && requires(L const& l, R& local, C const& client, S& session) {
  l.train(local, client, session);
  requires !std::same_as<decltype(l.train(local, client, session)), std::uint32_t>;
};
template <class L, class R, class C, class S>
concept TrainsACopy = !NamesHook_learn<L> && requires(L const& l, R&& temporary, C const& client, S& session) {
  l.train(std::move(temporary), client, session);
};
template <class L, class R, class C, class S>
concept LearnsTwice = LearnsMessage<L, R, C, S> && TrainsInPlace<L, R, C, S>;

/// A **Learner** is a client's local work in one round.
///
/// | required                              | meaning                                                                |
/// | ------------------------------------- | ---------------------------------------------------------------------- |
/// | `L::Message`                          | what it sends (see Message)                                            |
/// | one of the two:                       |                                                                        |
/// | `l.train(local, client, session)`     | const; changes `local`, a copy of the broadcast ranker, in place;      |
/// |                                       | returns the weight of the message, a std::uint32_t (the interactions)  |
/// | `l.learn(ranker, client, session)`    | const; works on the broadcast ranker, returns a Message                |
///
/// | optional                              | meaning                                                                |
/// | ------------------------------------- | ---------------------------------------------------------------------- |
/// | `L::State`                            | what it keeps at each client between rounds, with fields:              |
/// |                                       | `session.state`                                                        |
/// | `template <class R> static constexpr bool trains` | which rankers it can train                                 |
/// | `static constexpr bool shows_lists`   | false: it never calls `session.show`                                   |
/// | `l.personal(ranker, state)`           | const; the ranker that this client uses, where it differs              |
///
/// A learner with `train` sends the ranker's shared parameters (LocalWeights): `fltr::learn` copies, calls `train` and
/// makes the message. It takes each step by `session.step(local, gradient, learning_rate)`, so that a wrapper can
/// change the step and the privatizer can constrain the weights that travel.
///
/// A wrapper inherits the learner that it wraps, so that no hook is lost, and calls `L::train` with a session of its
/// own (see learners/inner_session.hpp). A learner has `train` or `learn`, not both.
///
/// The session is all that it may touch: `show(query, order)` (the only place where a user sees a list; returns
/// clicks), `step(local, gradient, rate)`, `streams`, `state`, `constrain(weights)`, `workspace`, `report(value)`.
///
///     struct SendsTheModelBack {
///       using Message = fltr::LocalWeights;
///       std::uint32_t train(fltr::ParametricRanker auto&, auto const& client, auto&) const {
///         return client.interactions;
///       }
///     };
///     static_assert(fltr::Learner<SendsTheModelBack>);
///
/// Models: Pdgd, EvolutionStrategy, Ips, NaiveClicks, PropensityEm, LambdaRank, LambdaMart.
template <class L, class R = archetypes::DifferentiableRanker, class C = Client,
          class S = archetypes::Session<State<L>>>
concept Learner = Trains<L, R> && MessageFor<typename L::Message, R> &&
    (LearnsMessage<L, R, C, S> || (!NamesHook_learn<L> && TrainsInPlace<L, R, C, S>));

/// A Learner of which wrappers can change the steps: it has `train` and no `learn`.
template <class L>
concept InPlaceLearner = NamesHook_train<L> && !NamesHook_learn<L>;

/// The local work of a client: an honest message, not yet privatized.
template <class L, class R, class C, class S>
[[nodiscard]] typename L::Message learn(L const& learner, R const& global, C const& client, S& session) {
  if constexpr (NamesHook_learn<L>) {
    return learner.learn(global, client, session);
  } else {
    R local = global;
    std::uint32_t const weight = learner.train(local, client, session);
    auto const shared = shared_parameters(local);
    return {{shared.begin(), shared.end()}, weight};
  }
}

}  // namespace fltr
