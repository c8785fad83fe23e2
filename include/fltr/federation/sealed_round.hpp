#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

/// The phases of a round: exchanges, the message, exchanges. Without a seal there is the message alone.
template <class A>
struct SealPhases {
  static constexpr std::size_t message = seal_types<A>::before;
  static constexpr std::size_t count = message + 1 + seal_types<A>::after;

  /// The moment of a phase, for the population's hook `reports`.
  [[nodiscard]] static constexpr RoundPhase at(std::uint32_t round, std::size_t phase) noexcept {
    if (phase == message) return {round, Phase::message, 0};
    if (phase < message) return {round, Phase::exchange_before, static_cast<std::uint32_t>(phase)};
    return {round, Phase::exchange_after, static_cast<std::uint32_t>(phase - message - 1)};
  }
};

/// A client's half of a sealed round, over bytes. The client answers the server's letters one after the other:
///
///     fltr::SealedClient client(aggregator, context);
///     reply = client.answer(question);                  // in each exchange before the message
///     reply = client.seal(std::move(message), question);
///     reply = client.answer(question);                  // in each exchange after it
template <class A>
class SealedClient {
 public:
  SealedClient(A aggregator, SealContext context) : aggregator_(std::move(aggregator)), context_(std::move(context)) {}

  [[nodiscard]] std::size_t phase() const noexcept { return phase_; }

  /// The answer to the server's letter of an exchange.
  [[nodiscard]] Letter answer(Letter const& question) {
    require(phase_ != SealPhases<A>::message && phase_ < SealPhases<A>::count, "SealedClient::answer",
            "a phase with an exchange", phase_);
    if constexpr (SealProtocol<A>) {
      return aggregator_.answer(phase_++, secret_, question, context_);
    } else {
      return {};
    }
  }

  /// The sealed message as bytes.
  template <class M>
  [[nodiscard]] Letter seal(M message, Letter const& question) {
    require(phase_ == SealPhases<A>::message, "SealedClient::seal", "the phase of the message", phase_);
    ++phase_;
    return field_bytes(fltr::seal(aggregator_, std::move(message), secret_, question, context_));
  }

 private:
  A aggregator_;
  SealContext context_;
  SealSecret<A> secret_{};
  std::size_t phase_ = 0;
};

/// The server's half of a sealed round. It holds sealed messages and sums of them: no function of it takes a message
/// that is not sealed. It does for sealed messages what serve_round does for others; it is a class because a seal has
/// phases. It serves clients in other processes, over bytes:
///
///     fltr::SealedRound<SecureSum, fltr::LocalWeights> server(aggregator, round);
///     while (!server.finished()) {
///       for (fltr::ClientId id : server.waiting()) server.receive(id, ask(id, server.question(id)));
///       server.next_phase();
///     }
///     auto const tally = server.aggregate(ranker, state);
///
/// The same bits as in a Federation whose client i has the id i.
template <class A, class M>
class SealedRound {
  using Wire = Sealed<A, M>;
  static_assert(Sealing<A>, "fltr: SealedRound needs an Aggregator with a seal");
  static_assert(HasFields<Wire> && std::default_initializable<Wire>,
                "fltr: what 'seal' returns must be default constructible and have fields(visitor)");

 public:
  /// What `round` refers to must outlive this.
  SealedRound(A aggregator, SealRound round) : aggregator_(std::move(aggregator)), round_(round) {
    require(!round.asked.empty(), "SealedRound", "at least one client", round.asked.size());
    for (ClientId id : round.asked) clients_.push_back({id, Status::asked});
    std::ranges::sort(clients_, {}, &OneClient::id);
    if (auto const twice = std::ranges::adjacent_find(clients_, {}, &OneClient::id); twice != clients_.end())
      throw_requirement("SealedRound", "clients with different ids", "id " + std::to_string(twice->id) + " twice");
  }

  /// Whether all phases are over.
  [[nodiscard]] bool finished() const noexcept { return phase_ == SealPhases<A>::count; }
  [[nodiscard]] std::size_t phase() const noexcept { return phase_; }

  /// Whether this client is asked in this phase and has not answered.
  [[nodiscard]] bool waits_for(ClientId id) const {
    auto const found = find(id);
    return found != clients_.end() && found->status == Status::asked;
  }
  /// Whether a letter of this client was refused.
  [[nodiscard]] bool refused(ClientId id) const {
    auto const found = find(id);
    return found != clients_.end() && found->status == Status::refused;
  }
  /// All clients that are waited for, by id.
  [[nodiscard]] std::vector<ClientId> waiting() const {
    std::vector<ClientId> ids;
    for (OneClient const& client : clients_)
      if (client.status == Status::asked) ids.push_back(client.id);
    return ids;
  }

  /// The letter to a client in this phase.
  [[nodiscard]] Letter question(ClientId to) const {
    if constexpr (SealProtocol<A>)
      return aggregator_.ask(phase_, record_, to, round_);
    else
      return {};
  }

  /// Takes the answer of a client. False: the answer is refused. A client that sends something malformed is out; a
  /// letter from a client that is not waited for changes nothing.
  bool receive(ClientId from, Letter const& letter) {
    auto const client = find(from);
    if (finished() || client == clients_.end() || client->status != Status::asked) return false;
    bool good = false;
    try {
      good = take(from, letter);
    } catch (FormatError const&) {
    }
    if (!good && phase_ <= SealPhases<A>::message) ++rejected_;
    client->status = good ? Status::answered : Status::refused;
    return good;
  }

  /// Ends a phase: whoever has not answered is gone.
  void next_phase() {
    require(!finished(), "SealedRound::next_phase", "a phase that is not over", phase_);
    bool const of_message = phase_ == SealPhases<A>::message;
    std::vector<ClientId> ids;
    for (OneClient& client : clients_) {
      if (client.status == Status::asked) client.status = Status::gone;
      if (client.status == Status::answered) client.status = Status::asked;
      if (client.status == Status::asked) ids.push_back(client.id);
    }
    if (of_message) {
      std::ranges::sort(wires_, {}, &Sent<Wire>::position);
      messages_ = ids.size();
      if constexpr (SealProtocol<A>) aggregator_.reported(record_, std::span<ClientId const>(ids), round_);
    }
    ++phase_;
  }

  /// Adds up, opens the sum and lets the aggregator change the ranker. With too few messages, or a sum that cannot be
  /// opened, the ranker stays as it is.
  template <class R>
  Tally aggregate(R& ranker, State<A>& state) {
    require(finished(), "SealedRound::aggregate", "a round whose phases are over", phase_);
    Tally tally;
    tally.reported = wires_.size();
    tally.rejected = rejected_;
    tally.dropped = round_.asked.size() - wires_.size() - rejected_;
    tally.discarded = true;
    if (!enough()) return tally;
    auto sum = sum_messages(aggregator_, std::span<Sent<Wire> const>(wires_), std::as_const(ranker));
    if (!open(sum)) return tally;
    fltr::aggregate(aggregator_, std::move(sum), ranker, state);
    tally.discarded = false;
    return tally;
  }

  // ---- for a Federation, which adds sealed messages up itself

  /// These clients, who were waited for, sent a sealed message: the phase of the message is over.
  void reported(std::span<ClientId const> ids) {
    require(phase_ == SealPhases<A>::message, "SealedRound::reported", "the phase of the message", phase_);
    for (ClientId id : ids)
      if (auto const client = find(id); client != clients_.end()) client->status = Status::answered;
    next_phase();
  }
  /// Whether there are messages enough to open the sum.
  [[nodiscard]] bool enough() const {
    return messages_ >= std::max(round_.minimum_reports, minimum_messages(aggregator_));
  }
  template <class Sum>
  [[nodiscard]] bool open(Sum& sum) const {
    if constexpr (NamesHook_open<A>) {
      static_assert(
          requires {
            { aggregator_.open(sum, record_, round_) } -> std::same_as<bool>;
          },
          "fltr: the Aggregator's hook 'open' must be callable as bool open(Sum&, Record const&, SealRound const&) "
          "const");
      return aggregator_.open(sum, record_, round_);
    } else {
      return true;
    }
  }

 private:
  enum class Status : std::uint8_t { asked, answered, gone, refused };
  struct OneClient {
    ClientId id;
    Status status;
  };

  [[nodiscard]] auto find(ClientId id) const { return find_in(clients_, id); }
  [[nodiscard]] auto find(ClientId id) { return find_in(clients_, id); }
  [[nodiscard]] static auto find_in(auto& clients, ClientId id) {
    auto const found = std::ranges::lower_bound(clients, id, {}, &OneClient::id);
    return found != clients.end() && found->id == id ? found : clients.end();
  }

  [[nodiscard]] bool accepts(Wire const& wire) const {
    if constexpr (NamesHook_accepts<A>) {
      static_assert(
          requires {
            { aggregator_.accepts(wire, round_) } -> std::same_as<bool>;
          },
          "fltr: the Aggregator's hook 'accepts' must be callable as bool accepts(what 'seal' returns, SealRound "
          "const&) "
          "const");
      return aggregator_.accepts(wire, round_);
    } else {
      return true;
    }
  }

  [[nodiscard]] bool take(ClientId from, Letter const& letter) {
    if (phase_ == SealPhases<A>::message) {
      FieldReader reader{std::span<std::byte const>(letter)};
      Wire wire{};
      reader.read(wire);
      reader.expect_end();
      if (!accepts(wire)) return false;
      wires_.push_back({from, std::move(wire), from});
      return true;
    }
    if constexpr (SealProtocol<A>)
      return aggregator_.receive(phase_, record_, from, letter, round_);
    else
      return false;
  }

  A aggregator_;
  SealRound round_;
  SealRecord<A> record_{};
  std::vector<OneClient> clients_;  // by id
  std::vector<Sent<Wire>> wires_;
  std::size_t phase_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace fltr
