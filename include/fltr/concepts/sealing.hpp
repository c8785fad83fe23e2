#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

FLTR_HOOK(seal);
FLTR_HOOK(open);
FLTR_HOOK(accepts);

/// Bytes that a client and the server exchange.
using Letter = std::vector<std::byte>;

/// What everybody knows of a round with a seal.
struct SealRound {
  std::uint32_t number = 1;            ///< of the round
  std::span<ClientId const> asked{};   ///< the ids of all clients that were asked, in the order of the population
  std::span<float const> broadcast{};  ///< the shared parameters of the broadcast ranker
  std::uint64_t minimum_reports = 1;   ///< with fewer, the round is discarded before anything is opened
};

/// What a client knows beside that.
struct SealContext {
  SealRound round{};
  ClientId client = 0;
  std::uint32_t interactions = 0;  ///< asked of this client
  Streams streams{};               ///< the client's own
};

/// **Sealing** is what an Aggregator may do so that the server sees only the sum. A seal is a protocol in numbered
/// phases: `exchanges_before` exchanges, the sealed message, `exchanges_after` exchanges. In each phase the server asks
/// every client that is still there, and a client that does not answer is gone for the rest of the round.
///
/// | client                                        | meaning                                                        |
/// | --------------------------------------------- | -------------------------------------------------------------- |
/// | `A::Secret`                                   | what a client keeps from phase to phase, with fields           |
/// | `a.answer(phase, secret, question, context)`  | const; a Letter; may change the secret                         |
/// | `a.seal(message, secret, question, context)`  | const; what the client puts on the wire: a type of its own;    |
/// |                                               | may change the secret                                          |
///
/// | server                                        | meaning                                                        |
/// | --------------------------------------------- | -------------------------------------------------------------- |
/// | `A::Record`                                   | what the server keeps from phase to phase, with fields         |
/// | `a.ask(phase, record, to, round)`             | const; the Letter that goes to a client                        |
/// | `a.receive(phase, record, from, letter, round)` | const; false (or FormatError): the letter is refused, and the |
/// |                                               | record must be as before                                       |
/// | `a.accepts(wire, round)`                      | const, optional; whether a sealed message has the right form   |
/// | `a.reported(record, ids, round)`              | const; these clients sent a sealed message                     |
/// | `a.open(sum, record, round)`                  | const; takes the masks off the Sum; false: it cannot be opened |
///
/// | constant                                      | meaning                                                        |
/// | --------------------------------------------- | -------------------------------------------------------------- |
/// | `A::exchanges_before`, `A::exchanges_after`   | static constexpr std::size_t                                   |
///
/// A seal without a protocol needs only `a.seal(message, context)`. In both forms `Sum::add` takes what `seal` returns
/// and does not take the Message itself: the server half never holds a message that is not sealed.
///
/// The server cannot screen what it cannot read: messages are screened at the client, before they are sealed. What the
/// server can check is the form of a sealed message (`accepts`): its size must be that of `round.broadcast`.
template <class A>
concept Sealing = NamesHook_seal<A>;

/// A seal with phases.
template <class A>
concept SealProtocol = Sealing<A> &&
    requires(A const& a, typename A::Secret& secret, typename A::Record& record, Letter const& letter,
             SealContext const& context, std::size_t phase, ClientId client, std::span<ClientId const> ids) {
  { A::exchanges_before } -> std::convertible_to<std::size_t>;
  { A::exchanges_after } -> std::convertible_to<std::size_t>;
  { a.answer(phase, secret, letter, context) } -> std::same_as<Letter>;
  { a.ask(phase, std::as_const(record), client, context.round) } -> std::same_as<Letter>;
  { a.receive(phase, record, client, letter, context.round) } -> std::same_as<bool>;
  a.reported(record, ids, context.round);
  requires HasFields<typename A::Secret> && HasFields<typename A::Record>;
  requires std::default_initializable<typename A::Secret> && std::default_initializable<typename A::Record>;
};

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

/// What a client keeps during a round for this aggregator, and what the server keeps.
template <class A>
using SealSecret = typename seal_types<A>::Secret;
template <class A>
using SealRecord = typename seal_types<A>::Record;

/// What a client puts on the wire for this aggregator: its message, or, sealed, something that only adds up.
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
        "a "
        "protocol with Secret, Record, exchanges_before, exchanges_after, answer, ask, receive, reported and open (see "
        "concepts/sealing.hpp)");
    return aggregator.seal(std::move(message), context);
  }
}

/// The type of a sealed message: the Message itself for an Aggregator without a seal.
template <class A, class M>
using Sealed = decltype(seal(std::declval<A const&>(), std::declval<M>(), std::declval<SealSecret<A>&>(),
                             std::declval<Letter const&>(), std::declval<SealContext const&>()));

}  // namespace fltr
