#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(trains);
FLTR_HOOK(personal);
FLTR_HOOK(learn);
FLTR_HOOK(train);
FLTR_HOOK(shows_lists);
}  // namespace composition

namespace composition {

/// Whether a learner can train a ranker: its `trains`, or true without that hook.
template <class L, class R>
concept Trains = !NamesHook_trains<L> || requires { requires static_cast<bool>(L::template trains<R>); };

/// Whether a learner shows lists to users: its `shows_lists`, or true without that hook.
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

}  // namespace composition

namespace composition {

/// `learn` returns a Message.
template <class L, class R, class C, class S>
concept LearnsMessage = requires(L const& l, R const& ranker, C const& client, S& session) {
  { l.learn(ranker, client, session) } -> std::same_as<typename L::Message>;
};
/// `train` changes a ranker in place and returns the weight of the message.
template <class L, class R, class C, class S>
concept TrainsInPlace =
    std::same_as<typename L::Message, LocalWeights> && requires(L const& l, R& local, C const& client, S& session) {
      { l.train(local, client, session) } -> std::same_as<std::uint32_t>;
      shared_parameters(local);
    };

// Three mistakes that get an error text of their own.
template <class L, class R, class C, class S>
concept TrainsWithoutWeight =
    !composition::NamesHook_learn<L> && requires(L const& l, R& local, C const& client, S& session) {
      l.train(local, client, session);
      requires !std::same_as<decltype(l.train(local, client, session)), std::uint32_t>;
    };
template <class L, class R, class C, class S>
concept TrainsACopy =
    !composition::NamesHook_learn<L> && requires(L const& l, R&& temporary, C const& client, S& session) {
      l.train(std::move(temporary), client, session);
    };
template <class L, class R, class C, class S>
concept LearnsTwice = LearnsMessage<L, R, C, S> && TrainsInPlace<L, R, C, S>;

}  // namespace composition

/// A **Learner** is the local work of one client in one round.
///
/// | required                                          | meaning                                                    |
/// | ------------------------------------------------- | ---------------------------------------------------------- |
/// | `L::Message`                                      | type of its messages (see MessageFor)                      |
/// | `l.train(local, client, session)`                 | const; changes `local`, a copy of the broadcast ranker;    |
/// |                                                   | returns the weight of the message, a std::uint32_t (the    |
/// |                                                   | interactions); Message must be LocalWeights                |
/// | *or* `l.learn(ranker, client, session)`           | const; reads the broadcast ranker, returns a Message       |
///
/// | optional                                          | meaning                                                    |
/// | ------------------------------------------------- | ---------------------------------------------------------- |
/// | `L::State`                                        | type with fields; one object per client,                   |
/// |                                                   | default-constructed before the client's first round and    |
/// |                                                   | kept at the client between rounds: `session.state`         |
/// | `L::Workspace`                                    | default-constructible type; buffers, one object per block  |
/// |                                                   | of clients: `session.workspace`                            |
/// | `template <class R> static constexpr bool trains` | whether it can train a ranker of type R; default: true     |
/// | `static constexpr bool shows_lists`               | whether it calls `session.show`; default: true             |
/// | `l.personal(ranker, state)`                       | const; returns the ranker that a client with this state    |
/// |                                                   | uses; default: the global ranker                           |
///
/// | member of the session                             | meaning                                                    |
/// | ------------------------------------------------- | ---------------------------------------------------------- |
/// | `session.show(query, order)`                      | displays the documents in this order to the client's user; |
/// |                                                   | returns the clicks (0 or 1), valid until the next call     |
/// | `session.step(local, gradient, rate)`             | local += rate * gradient, then the privatizer's            |
/// |                                                   | constraint; `gradient` is a std::span<float> with one      |
/// |                                                   | value per element of local.parameters(); a wrapper's       |
/// |                                                   | `step` may change it in place                              |
/// | `session.constrain(weights)`                      | the privatizer's constraint alone                          |
/// | `session.report(value)`                           | adds a value of the objective to the round's statistics    |
/// | `session.interruption_point()`                    | for long work without `show` and `step`: throws Interrupted|
/// |                                                   | if the caller asked to stop; asks once in 1,024 calls, or  |
/// |                                                   | for (n) once in 1,024 / n calls                            |
/// | `session.streams`                                 | the client's random numbers: `streams.of(Purpose)`         |
/// | `session.state`, `session.workspace`              | see above                                                  |
///
/// Not required: a constructor, thread safety of the State (each client has its own), checks of the client's data size.
/// A Learner has `train` or `learn`, not both. `client` is an object of the Population's client type.
///
/// A wrapper of a learner inherits the learner, so that no hook is lost, and calls `L::train` with a session of its own
/// (learners/inner_session.hpp; concepts/README.md has an example). A wrapper that holds a learner as a member must
/// repeat its hooks, `using Workspace = typename L::Workspace;` included: without it the session has a NoWorkspace, and
/// the inner `train` does not compile ("NoWorkspace has no member named ...").
///
///     struct SendsTheModelBack {
///       using Message = fltr::LocalWeights;
///       std::uint32_t train(fltr::ParametricRanker auto&, auto const& client, auto&) const {
///         return client.interactions;
///       }
///     };
///     static_assert(fltr::Learner<SendsTheModelBack>);
///
/// Models with `train` (InPlaceLearner): Pdgd, Ips<>, NaiveClicks<>, PropensityEm, LambdaRank, Proximal<L>, Personal<L>.
/// Models with `learn`: EvolutionStrategy<>, Clustered<L>, LambdaMart, ParallelLambdaMart<>.
template <class L, class R = archetypes::DifferentiableRanker, class C = Client,
          class S = archetypes::Session<State<L>, WorkspaceOf<L>>>
concept Learner = composition::Trains<L, R> && MessageFor<typename L::Message, R> &&
                  (composition::LearnsMessage<L, R, C, S> ||
                   (!composition::NamesHook_learn<L> && composition::TrainsInPlace<L, R, C, S>));

/// An **InPlaceLearner** has `train` and no `learn`. A wrapper can change its steps.
template <class L>
concept InPlaceLearner = composition::NamesHook_train<L> && !composition::NamesHook_learn<L>;

/// The local work of a client: an honest message, not yet privatized. For a learner with `train`, the message holds the
/// shared parameters of the trained copy.
template <class L, class R, class C, class S>
[[nodiscard]] typename L::Message learn(L const& learner, R const& global, C const& client, S& session) {
  if constexpr (composition::NamesHook_learn<L>) {
    return learner.learn(global, client, session);
  } else {
    R local = global;
    std::uint32_t const weight = learner.train(local, client, session);
    auto const shared = shared_parameters(local);
    return {{shared.begin(), shared.end()}, weight};
  }
}

}  // namespace fltr
