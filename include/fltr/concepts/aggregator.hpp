#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/tree.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

FLTR_HOOK(personalize);
FLTR_HOOK(minimum_messages);

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

/// An aggregator that names a State and whose `aggregate` does not take it.
template <class A, class Input, class R>
concept IgnoresState =
    !std::same_as<State<A>, NoState> && !Aggregates<A, Input, R> && requires(A const& a, Input input, R& ranker) {
  a.aggregate(std::move(input), ranker);
};

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
/// | `a.seal(message, …)`                | const, streaming; what the client puts on the wire (see Sealing)         |
/// | `A::Sum::linear`                    | static constexpr bool, streaming; true: `add` adds every message as it   |
/// |                                     | is, times its weight. Mechanisms that protect sums need it               |
/// | `a.minimum_messages()`              | const; with fewer messages the round leaves the ranker as it is          |
/// | `a.personalize(messages, client)`   | const, gathering; the Ranker that this client ends up with               |
///
/// It is never called with too few messages; it need not check them, they were screened. A gathering wrapper around a
/// streaming aggregator adds messages up by `sum_messages`.
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

/// The least number of messages with which `aggregate` may be called: at least 1.
template <class A>
[[nodiscard]] std::uint64_t minimum_messages(A const& aggregator) {
  if constexpr (NamesHook_minimum_messages<A>) {
    static_assert(
        requires {
          { aggregator.minimum_messages() } -> std::convertible_to<std::uint64_t>;
        },
        "fltr: the Aggregator's hook 'minimum_messages' must be callable as std::size_t minimum_messages() const");
    return std::max<std::uint64_t>(1, aggregator.minimum_messages());
  } else {
    return 1;
  }
}

/// Whether the aggregator adds up messages as they are. A sum that clips, skips or sorts them does not, and then the noise
/// of many messages is not the sum of their noise.
template <class A>
[[nodiscard]] consteval bool adds_linearly() {
  if constexpr (requires { requires static_cast<bool>(A::Sum::linear); })
    return true;
  else
    return false;
}

/// What the server sees of single messages.
template <class A>
inline constexpr ServerView server_view = Sealing<A>     ? ServerView::sealed_sum
                                          : Streaming<A> ? ServerView::assumed_sum
                                                         : ServerView::messages;

/// A Sum that is made when its first message arrives: most blocks of a sampled round have none.
template <class S>
struct LazySum {
  std::optional<S> sum;

  template <class M, class Make>
  void add(M const& message, Make const& make) {
    if (!sum) sum.emplace(make());
    sum->add(message);
  }
  void merge(LazySum&& other) {
    if (!other.sum) return;
    if (sum)
      sum->merge(std::move(*other.sum));
    else
      sum = std::move(other.sum);
  }
  auto fields(auto&& visit) { return visit(sum); }
};

/// Adds gathered messages up in the blocks and the tree in which they would have been streamed: the same bits.
/// `messages` stand in the order of their positions, as `aggregate` gets them.
template <class A, class M, class R>
requires Streaming<A>
[[nodiscard]] typename A::Sum sum_messages(A const& aggregator, std::span<Sent<M> const> messages, R const& ranker) {
  auto const make = [&] { return aggregator.sum(ranker); };
  using Sum = LazySum<typename A::Sum>;
  // The cuts of the tree are powers of two, so the joins of two blocks do not depend on how many blocks follow.
  auto const add = [&](auto const& self, std::span<Sent<M> const> part, std::size_t low, std::size_t high) -> Sum {
    Sum sum;
    if (part.empty()) return sum;
    if (high - low <= 1) {
      for (Sent<M> const& sent : part) sum.add(sent.message, make);
      return sum;
    }
    std::size_t const middle = tree_cut(low, high);
    auto const right = std::ranges::lower_bound(part, middle * clients_per_block, {}, &Sent<M>::position);
    auto const split = static_cast<std::size_t>(right - part.begin());
    sum = self(self, part.first(split), low, middle);
    sum.merge(self(self, part.subspan(split), middle, high));
    return sum;
  };
  if (messages.empty()) return make();
  auto const blocks = static_cast<std::size_t>(messages.back().position) / clients_per_block + 1;
  return std::move(*add(add, messages, 0, blocks).sum);
}
template <class A, class M, class R>
requires Streaming<A>
[[nodiscard]] typename A::Sum sum_messages(A const& aggregator, std::vector<Sent<M>> const& messages, R const& ranker) {
  return sum_messages(aggregator, std::span<Sent<M> const>(messages), ranker);
}

}  // namespace fltr
