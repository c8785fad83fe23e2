#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

FLTR_HOOK(seal);
FLTR_HOOK(personalize);

/// An aggregator that names a `Sum` streams: messages are added up one by one and none is kept. One that names none
/// gathers: it sees all messages of a round at once, in memory that grows with the clients.
template <class A>
concept Streaming = requires {
  typename A::Sum;
};

/// What a streaming aggregator adds up: messages one by one, and sums of parts.
template <class S, class M>
concept SumOf = HasFields<S> && requires(S& sum, S part, M const& message) {
  sum.add(message);
  sum.merge(std::move(part));
};

template <class A, class Input, class R>
concept Aggregates = requires(A const& a, Input input, R& ranker, State<A>& state) {
  a.aggregate(std::move(input), ranker, state);
}
|| (std::same_as<State<A>, NoState> &&
    requires(A const& a, Input input, R& ranker) { a.aggregate(std::move(input), ranker); });

template <class A, class M, class R>
concept SumAggregator = SumOf<typename A::Sum, M> && Aggregates<A, typename A::Sum, R> &&
    requires(A const& a, R const& ranker) {
  { a.sum(ranker) } -> std::same_as<typename A::Sum>;
};

template <class A, class M, class R>
concept GatherAggregator = Aggregates < A,
        std::span < Sent<M>
const >, R > ;

/// An **Aggregator** is the server: messages and the global ranker in, the next global ranker out.
///
/// | required, streaming                 | meaning                                                                  |
/// | ----------------------------------- | ------------------------------------------------------------------------ |
/// | `A::Sum`                            | with `add(message)`, `merge(other)` and fields                           |
/// | `a.sum(ranker)`                     | const; an empty Sum                                                      |
/// | `a.aggregate(sum, ranker)`          | const; changes the ranker                                                |
///
/// | required, gathering                 | meaning                                                                  |
/// | ----------------------------------- | ------------------------------------------------------------------------ |
/// | `a.aggregate(messages, ranker)`     | const; `messages` is a span<Sent<M> const> in the order of the clients   |
///
/// | optional                            | meaning                                                                  |
/// | ----------------------------------- | ------------------------------------------------------------------------ |
/// | `A::State`                          | kept at the server between rounds: the last argument of `aggregate`      |
/// | `a.seal(message, context)`          | const, streaming; what the client puts on the wire; then Sum adds that   |
/// | `a.personalize(messages, client)`   | const, gathering; the Ranker that this client ends up with               |
///
/// It is never called with too few messages; it need not check them, they were screened.
///
///     struct LastOneWins {
///       void aggregate(std::span<fltr::Sent<fltr::LocalWeights> const> all, fltr::ParametricRanker auto& ranker) const
///       {
///         std::ranges::copy(all.back().message.values, ranker.parameters().begin());
///       }
///     };
///     static_assert(fltr::Aggregator<LastOneWins>);
///
/// Models: FedAvg, FedOpt, EsGradient, LinearCombination, Stacking.
template <class A, class M = LocalWeights, class R = archetypes::DifferentiableRanker>
concept Aggregator = (Streaming<A> && SumAggregator<A, M, R>) || (!Streaming<A> && GatherAggregator<A, M, R>);

/// Calls `aggregate` with or without the state.
template <class A, class Input, class R>
void aggregate(A const& aggregator, Input&& input, R& ranker, State<A>& state) {
  if constexpr (requires { aggregator.aggregate(std::forward<Input>(input), ranker, state); })
    aggregator.aggregate(std::forward<Input>(input), ranker, state);
  else
    aggregator.aggregate(std::forward<Input>(input), ranker);
}

/// What a client puts on the wire for this aggregator: its message, or, sealed, something that only adds up.
template <class A, class M>
[[nodiscard]] auto seal(A const& aggregator, M message, PrivacyContext const& context) {
  if constexpr (NamesHook_seal<A>) {
    static_assert(
        requires { aggregator.seal(std::move(message), context); },
        "fltr: the Aggregator's hook 'seal' must be callable as seal(Message, PrivacyContext const&) const");
    return aggregator.seal(std::move(message), context);
  } else {
    return message;
  }
}

template <class A, class M>
using Sealed = decltype(seal(std::declval<A const&>(), std::declval<M>(), std::declval<PrivacyContext const&>()));

}  // namespace fltr
