#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(seal);
FLTR_HOOK(open);
FLTR_HOOK(accepts);
FLTR_HOOK(answered);
FLTR_HOOK(sum_grid);
FLTR_HOOK(partial_sums);
}  // namespace composition

/// Bytes that a client and the server exchange.
using Letter = std::vector<std::byte>;

/// What all clients and the server know of a sealed round.
struct SealRound {
  std::uint32_t number = 1;            ///< of the round
  std::span<ClientId const> asked{};   ///< the ids of all clients that were asked, in the order of the population
  std::span<float const> broadcast{};  ///< the shared parameters of the broadcast ranker
  std::uint64_t minimum_reports = 1;   ///< with fewer, the round is discarded before the sum is opened
  std::uint64_t run = 0;               ///< a later run has a larger number; in a Federation, the seed of the training
  std::uint64_t attempt = 0;  ///< at this round; a client takes part in each (run, round, attempt) at most once
};

/// What a client knows in addition.
struct SealContext {
  SealRound round{};
  ClientId client = 0;
  std::uint32_t interactions = 0;  ///< asked of this client
  Streams streams{};               ///< the client's random numbers
};

/// A **Sealing** Aggregator changes messages at the client, so that the server can read only their sum. A seal is a
/// protocol with numbered phases: `exchanges_before` exchanges, the sealed message, `exchanges_after` exchanges. In
/// each phase the server asks every client that answered before. A client that does not answer is not asked again in
/// this round.
///
/// | client                                        | meaning                                                        |
/// | --------------------------------------------- | -------------------------------------------------------------- |
/// | `A::Secret`                                   | type with fields; kept by a client from phase to phase         |
/// | `a.answer(phase, secret, question, context)`  | const; returns a Letter; may change the secret                 |
/// | `a.seal(message, secret, question, context)`  | const; returns what the client sends, in a type of its own;    |
/// |                                               | may change the secret                                          |
///
/// | server                                        | meaning                                                        |
/// | --------------------------------------------- | -------------------------------------------------------------- |
/// | `A::Record`                                   | type with fields; kept by the server from phase to phase       |
/// | `a.ask(phase, record, to, round)`             | const; returns the Letter to a client                          |
/// | `a.receive(phase, record, from, letter, round)` | const; returns bool; false or FormatError: the letter is      |
/// |                                               | refused, and the record must be unchanged                      |
/// | `a.answered(phase, record, ids, round)`       | const, optional; called after an exchange with the clients     |
/// |                                               | whose letters were taken                                       |
/// | `a.accepts(wire, record, from, round)`        | const, optional; returns bool: whether a sealed message has    |
/// |                                               | the right form                                                 |
/// | `a.reported(record, ids, round)`              | const; called with the clients that sent a sealed message      |
/// | `a.open(sum, record, round)`                  | const, optional; returns bool; removes the masks from the Sum; |
/// |                                               | false: the sum cannot be opened                                |
/// | `a.sum_grid()`                                | const, optional; returns the FixedPoint of a seal that adds    |
/// |                                               | nothing but whole numbers of the messages: the ledger asks     |
/// |                                               | whether noise on this grid adds up                             |
/// | `a.partial_sums(asked)`                       | const, optional; returns a std::string: why the server could   |
/// |                                               | open a sum of fewer than `minimum_reports` messages in a round |
/// |                                               | that asks so many clients; empty: it could not. With a text,   |
/// |                                               | the ledger charges every message as if it were not sealed      |
///
/// | constant                                      | meaning                                                        |
/// | --------------------------------------------- | -------------------------------------------------------------- |
/// | `A::exchanges_before`, `A::exchanges_after`   | static constexpr std::size_t                                   |
///
/// A seal without exchanges needs only `a.seal(message, context)`. In both forms `Sum::add` takes the result of `seal`
/// and does not take the Message itself: the server's half never holds an unsealed message.
///
/// The server cannot read sealed messages. Therefore messages are screened at the client, before they are sealed. The
/// server can only check the form of a sealed message (`accepts`): its size must be that of `round.broadcast`.
///
///     struct PlusOne {  // adds 1 to each value: shows the form, hides nothing
///       struct Wire { fltr::LocalWeights plus_one; auto fields(auto&& visit) { return visit(plus_one); } };
///       struct Sum : fltr::WeightSum { void add(Wire const& wire) { WeightSum::add(wire.plus_one); } };
///       Sum sum(fltr::ParametricRanker auto const& ranker) const { return {fltr::weight_sum_for(ranker)}; }
///       Wire seal(fltr::LocalWeights m, fltr::SealContext const&) const { for (auto& v : m.values) ++v; return {m}; }
///       bool open(Sum& s, auto const&, auto const&) const { for (auto& v : s.values) v -= s.weight; return true; }
///       void aggregate(Sum const& s, fltr::ParametricRanker auto& ranker) const {
///         auto const weights = fltr::shared_parameters(ranker);
///         for (std::size_t k = 0; k < weights.size() && s.weight > 0; ++k)
///           weights[k] = static_cast<float>(s.values[k] / s.weight);
///       }
///     };
///     static_assert(fltr::Sealing<PlusOne>);
///
/// Models: SecureSum, IdealSum. Both halves outside a Federation: SealedClient (federation/sealed_client.hpp) and SealedRound
/// (federation/sealed_round.hpp).
template <class A>
concept Sealing = composition::NamesHook_seal<A>;

/// A **SealProtocol** is a seal with exchanges.
template <class A>
concept SealProtocol = Sealing<A> && requires(A const& a, typename A::Secret& secret, typename A::Record& record,
                                              Letter const& letter, SealContext const& context, std::size_t phase,
                                              ClientId client, std::span<ClientId const> ids) {
  { A::exchanges_before } -> std::convertible_to<std::size_t>;
  { A::exchanges_after } -> std::convertible_to<std::size_t>;
  { a.answer(phase, secret, letter, context) } -> std::same_as<Letter>;
  { a.ask(phase, std::as_const(record), client, context.round) } -> std::same_as<Letter>;
  { a.receive(phase, record, client, letter, context.round) } -> std::same_as<bool>;
  a.reported(record, ids, context.round);
  requires HasFields<typename A::Secret> && HasFields<typename A::Record>;
  requires std::default_initializable<typename A::Secret> && std::default_initializable<typename A::Record>;
};

namespace composition {

template <class A>
struct seal_types {
  using Secret = NoState;
  using Record = NoState;
  static constexpr std::size_t before = 0;
  static constexpr std::size_t after = 0;
};
template <SealProtocol A>
struct seal_types<A> {
  using Secret = typename A::Secret;
  using Record = typename A::Record;
  static constexpr std::size_t before = A::exchanges_before;
  static constexpr std::size_t after = A::exchanges_after;
};

}  // namespace composition

/// The type of a client's secret, and the type of the server's record; NoState for a seal without exchanges.
template <class A>
using SealSecret = typename composition::seal_types<A>::Secret;
template <class A>
using SealRecord = typename composition::seal_types<A>::Record;

/// What a client sends for this aggregator: its message, or the sealed message.
template <class A, class M>
[[nodiscard]] auto seal(A const& aggregator, M message, SealSecret<A>& secret, Letter const& question,
                        SealContext const& context) {
  if constexpr (!Sealing<A>) {
    return message;
  } else if constexpr (SealProtocol<A>) {
    static_assert(
        requires { aggregator.seal(std::move(message), secret, question, context); },
        "fltr: the Aggregator's hook 'seal' must be callable as seal(Message, Secret&, Letter const& question, "
        "SealContext const&) const");
    return aggregator.seal(std::move(message), secret, question, context);
  } else {
    static_assert(
        requires { aggregator.seal(std::move(message), context); },
        "fltr: the Aggregator's hook 'seal' must be callable as seal(Message, SealContext const&) const, or belong to "
        "a protocol with Secret, Record, exchanges_before, exchanges_after, answer, ask, receive and reported (see "
        "concepts/sealing.hpp)");
    return aggregator.seal(std::move(message), context);
  }
}

/// The type of a sealed message: the Message itself for an Aggregator without a seal.
template <class A, class M>
using Sealed = decltype(seal(std::declval<A const&>(), std::declval<M>(), std::declval<SealSecret<A>&>(),
                             std::declval<Letter const&>(), std::declval<SealContext const&>()));

}  // namespace fltr
