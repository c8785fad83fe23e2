#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(personalize);
FLTR_HOOK(minimum_messages);
FLTR_HOOK(linear);
}  // namespace composition

/// A **Streaming** aggregator names a `Sum`: messages are added up one by one, and none is kept. An aggregator without
/// a `Sum` gathers: it gets all messages of a round at once, in memory that grows with the number of clients.
template <class A>
concept Streaming = requires { typename A::Sum; };

/// A **SumOf** messages: `sum.add(message)`, `sum.merge(other_sum)`, and fields (see HasFields).
template <class S, class M>
concept SumOf = HasFields<S> && requires(S& sum, S part, M const& message) {
  sum.add(message);
  sum.merge(std::move(part));
};

namespace composition {

template <class A, class Input, class R>
concept Aggregates =
    requires(A const& a, Input input, R& ranker, State<A>& state) { a.aggregate(std::move(input), ranker, state); } ||
    (std::same_as<State<A>, NoState> &&
     requires(A const& a, Input input, R& ranker) { a.aggregate(std::move(input), ranker); });

/// An aggregator that names a State and whose `aggregate` does not take it.
template <class A, class Input, class R>
concept IgnoresState = !std::same_as<State<A>, NoState> && !Aggregates<A, Input, R> &&
                       requires(A const& a, Input input, R& ranker) { a.aggregate(std::move(input), ranker); };

template <class A, class M, class R>
concept SumAggregator =
    SumOf<typename A::Sum, M> && Aggregates<A, typename A::Sum, R> && requires(A const& a, R const& ranker) {
      { a.sum(ranker) } -> std::same_as<typename A::Sum>;
    };

template <class A, class M, class R>
concept GatherAggregator = Aggregates<A, std::span<ClientMessage<M> const>, R>;

}  // namespace composition

/// An **Aggregator** is the server's work in one round: it changes the global ranker by the clients' messages.
///
/// | required, streaming               | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `A::Sum`                          | type with `add(message)`, `merge(other)` and fields                          |
/// | `a.sum(ranker)`                   | const; returns an empty Sum                                                  |
/// | `a.aggregate(sum, ranker)`        | const; changes the ranker                                                    |
///
/// | required, gathering               | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `a.aggregate(messages, ranker)`   | const; changes the ranker; `messages` is a std::span<ClientMessage<M> const> |
/// |                                   | in the order of the population                                               |
///
/// | optional                          | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `A::State`                        | type with fields; one object, default-constructed at the start of a training |
/// |                                   | (a vector in it is empty in the first round) and kept at the server between  |
/// |                                   | rounds; then `aggregate` takes a State& as its last argument                 |
/// | `A::Sum::linear`                  | static constexpr bool, streaming; true: `add` adds every message unchanged,  |
/// |                                   | times its weight; mechanisms that protect sums need it; default false        |
/// | `a.minimum_messages()`            | const; returns a number; with fewer messages the round leaves the ranker     |
/// |                                   | unchanged; default 1                                                         |
/// | `a.personalize(messages, client)` | const, gathering; returns the ranker that this client uses                   |
/// | `a.seal(message, ...)`            | const, streaming; what the client sends instead of the message (see Sealing) |
///
/// | member of a ClientMessage         | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `client`                          | the id of the sender, a ClientId                                             |
/// | `message`                         | the message, an M                                                            |
/// | `position`                        | of the sender in the population; `sum_messages` needs it                     |
///
/// | member of LocalWeights            | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `values`                          | std::vector<float>; the trained shared parameters, not a difference          |
/// | `interactions`                    | std::uint32_t; the weight of the message in an average; may be 0 (a client   |
/// |                                   | without queries)                                                             |
///
/// The server writes to `fltr::shared_parameters(ranker)`, a std::span<float>: `ranker.shared()` if the ranker has this
/// hook, otherwise all parameters. Its size is the size of `values`.
///
/// `interactions` may be 0 in all messages of a round. These messages count like others, and `aggregate` is called:
/// do not divide by the sum of the interactions if it is 0.
///
/// All numbers of the ranker and of the State must be finite after `aggregate`: otherwise the round throws
/// NotFiniteError and has no effect. A State that has no value yet holds a std::optional, not an infinity.
///
/// The order of `add` and `merge` is fixed. The messages of 16 neighbouring clients are added in the order of the
/// population, and these sums are merged in a tree that depends only on the size of the population
/// (core/reduction_tree.hpp). Therefore a floating-point Sum gives the same bits for any number of threads.
///
/// For weighted sums of LocalWeights, `using Sum = fltr::WeightSum;`, and `sum(ranker)` returns
/// `fltr::weight_sum_for(ranker)`: zeros, one for each shared parameter.
///
/// | member of a WeightSum             | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `values`                          | std::vector<double>; the sum of interactions * values of the messages        |
/// | `weight`                          | double; the sum of the interactions; may be 0                                |
/// | `count`                           | std::uint64_t; the number of messages                                        |
///
/// Not required: checks of the messages. Messages are screened before (see MessageFor), and `aggregate` is never called
/// with fewer messages than `minimum_messages()`. A gathering aggregator that wraps a streaming one adds messages up by
/// `sum_messages` (aggregators/sum_messages.hpp).
///
///     struct LastMessage {
///       void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const> messages,
///                      fltr::ParametricRanker auto& ranker) const {
///         std::ranges::copy(messages.back().message.values, fltr::shared_parameters(ranker).begin());
///       }
///     };
///     static_assert(fltr::Aggregator<LastMessage>);
///
/// A minimal model with a State: server momentum on the unweighted mean of the messages.
///
///     struct ServerMomentum {
///       struct State {
///         std::vector<float> velocity;
///         auto fields(auto&& visit) { return visit(velocity); }
///       };
///       void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const> messages,
///                      fltr::ParametricRanker auto& ranker, State& state) const {
///         auto const weights = fltr::shared_parameters(ranker);
///         state.velocity.resize(weights.size());  // zeros in the first round
///         for (std::size_t k = 0; k < weights.size(); ++k) {
///           float mean = 0.0F;
///           for (auto const& sent : messages) mean += sent.message.values[k] / static_cast<float>(messages.size());
///           state.velocity[k] = 0.9F * state.velocity[k] + (mean - weights[k]);
///           weights[k] += state.velocity[k];
///         }
///       }
///     };
///     static_assert(fltr::Aggregator<ServerMomentum>);
///
/// Models: FedAvg, FedOpt, PerCluster<A>, EsGradient, LinearCombination, Stacking, and the rules of RobustRule. Wrappers
/// around aggregators of FlatMessages and a ParametricRanker: NormBound<A>, NearestNeighborMixing<A>, Bucketing<A>,
/// FlDetector<A>, OnAlarm<D, A>. Around sums: SecureSum<A>, IdealSum<A>. Stronger: Detector.
template <class A, class M = LocalWeights, class R = archetypes::DifferentiableRanker>
concept Aggregator =
    (Streaming<A> && composition::SumAggregator<A, M, R>) || (!Streaming<A> && composition::GatherAggregator<A, M, R>);

/// Calls `aggregate` with or without the state.
template <class A, class Input, class R>
void aggregate(A const& aggregator, Input&& input, R& ranker, State<A>& state) {
  if constexpr (requires { aggregator.aggregate(std::forward<Input>(input), ranker, state); })
    aggregator.aggregate(std::forward<Input>(input), ranker, state);
  else
    aggregator.aggregate(std::forward<Input>(input), ranker);
}

/// The least number of messages with which `aggregate` may be called: the hook `minimum_messages`, and at least 1.
template <class A>
[[nodiscard]] std::uint64_t minimum_messages(A const& aggregator) {
  if constexpr (composition::NamesHook_minimum_messages<A>) {
    static_assert(
        requires {
          { aggregator.minimum_messages() } -> std::convertible_to<std::uint64_t>;
        }, "fltr: the Aggregator's hook 'minimum_messages' must be callable as std::size_t minimum_messages() const");
    return std::max<std::uint64_t>(1, aggregator.minimum_messages());
  } else {
    return 1;
  }
}

namespace composition {

/// Whether the aggregator's Sum adds messages unchanged. If a Sum clips, skips or sorts messages, the noise of the sum
/// is not the sum of the messages' noise.
template <class A>
[[nodiscard]] consteval bool adds_linearly() {
  if constexpr (requires { requires static_cast<bool>(A::Sum::linear); })
    return true;
  else
    return false;
}

/// What the server sees of single messages, unless the seal states partial sums.
template <class A>
inline constexpr ServerView server_view = Sealing<A>     ? ServerView::sealed_sum
                                          : Streaming<A> ? ServerView::assumed_sum
                                                         : ServerView::messages;

}  // namespace composition

}  // namespace fltr
