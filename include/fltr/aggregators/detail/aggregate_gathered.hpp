#pragma once

#include <span>

#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// What a wrapper needs to wrap A: messages that are vectors, a ranker that is a vector, and an A that takes both.
template <class A, class M, class R>
concept Wrappable = FlatMessage<M> && ParametricRanker<R> && Aggregator<A, M, R>;

/// The wrapped aggregator's work with messages that a wrapper changed or left out. The messages of a streaming
/// aggregator are added up in the order of their positions, with the bits of a stream. `messages` must be in the order
/// of their positions.
template <class A, class M, class R>
void aggregate_gathered(A const& aggregator, std::span<ClientMessage<M> const> messages, R& ranker, State<A>& state) {
  static_assert(!Sealing<A>,
                "fltr: an aggregator wrapper reads single messages: the aggregator within must not seal them");
  static_assert(!composition::NamesHook_personalize<A>,
                "fltr: an aggregator wrapper does not pass on 'personalize': use the aggregator without the wrapper");
  if constexpr (Streaming<A>)
    fltr::aggregate(aggregator, sum_messages(aggregator, messages, static_cast<R const&>(ranker)), ranker, state);
  else
    fltr::aggregate(aggregator, messages, ranker, state);
}

/// The hook `consistent()` of the wrapped aggregator's State, if it has one; otherwise true.
template <class S>
[[nodiscard]] bool is_consistent_state(S const& state) {
  if constexpr (requires { bool{state.consistent()}; })
    return state.consistent();
  else
    return true;
}

}  // namespace fltr::detail
