#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/finite_result.hpp>
#include <fltr/federation/detail/seal_phases.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// The server's half of a sealed round, over bytes. It holds sealed messages and their sum. No function takes an
/// unsealed message. It corresponds to serve_round, and is a class because a seal has phases:
///
///     fltr::SealedRound<SecureSum, fltr::LocalWeights> server(aggregator, round);
///     while (!server.finished()) {
///       for (fltr::ClientId id : server.waiting()) server.receive(id, ask(id, server.question(id)));
///       server.next_phase();
///     }
///     auto const statistics = server.aggregate(ranker, state);
///
/// The result has the same bits as in a Federation whose client i has the id i.
template <class A, class M>
class SealedRound {
  using Wire = Sealed<A, M>;
  static_assert(Sealing<A>, "fltr: SealedRound needs an Aggregator with a seal");
  static_assert(HasFields<Wire> && std::default_initializable<Wire>,
                "fltr: what 'seal' returns must be default constructible and have fields(visitor)");

 public:
  /// The arrays to which `round` refers must outlive this object.
  SealedRound(A aggregator, SealRound round) : aggregator_(std::move(aggregator)), round_(round) {
    require(!round.asked.empty(), "SealedRound", "at least one client", round.asked.size());
    for (ClientId id : round.asked) clients_.push_back({id, Status::asked});
    std::ranges::sort(clients_, {}, &OneClient::id);
    if (auto const twice = std::ranges::adjacent_find(clients_, {}, &OneClient::id); twice != clients_.end())
      throw_requirement("SealedRound", "clients with different ids", "id " + std::to_string(twice->id) + " twice");
  }

  /// Whether all phases are over.
  [[nodiscard]] bool finished() const noexcept { return phase_ == detail::SealPhases<A>::count; }
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
  /// All clients for which the server waits, by id.
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

  /// Takes the answer of a client. Returns false if the answer is refused. A client whose answer is malformed is not
  /// asked again. A letter of a client for which the server does not wait changes nothing.
  bool receive(ClientId from, Letter const& letter) {
    auto const client = find(from);
    if (finished() || client == clients_.end() || client->status != Status::asked) return false;
    bool good = false;
    try {
      good = take(from, letter);
    } catch (FormatError const&) {
      // A malformed letter is a refused one.
    }
    if (!good && phase_ <= detail::SealPhases<A>::message) ++rejected_;
    client->status = good ? Status::answered : Status::refused;
    return good;
  }

  /// Ends a phase. A client that did not answer is not asked again.
  void next_phase() {
    require(!finished(), "SealedRound::next_phase", "a phase that is not over", phase_);
    bool const of_message = phase_ == detail::SealPhases<A>::message;
    std::vector<ClientId> ids;
    for (OneClient& client : clients_) {
      if (client.status == Status::asked) client.status = Status::gone;
      if (client.status == Status::answered) client.status = Status::asked;
      if (client.status == Status::asked) ids.push_back(client.id);
    }
    if (of_message) {
      std::ranges::sort(wires_, {}, &ClientMessage<Wire>::position);
      messages_ = ids.size();
      if constexpr (SealProtocol<A>) aggregator_.reported(record_, std::span<ClientId const>(ids), round_);
      // Nothing more is asked: with the answers the server could open the sum.
      if (!enough())
        for (OneClient& client : clients_)
          if (client.status == Status::asked) client.status = Status::gone;
    } else if constexpr (composition::NamesHook_answered<A>) {
      static_assert(
          requires { aggregator_.answered(phase_, record_, std::span<ClientId const>(ids), round_); },
          "fltr: the Aggregator's hook 'answered' must be callable as answered(std::size_t phase, Record&, "
          "std::span<ClientId const>, SealRound const&) const");
      aggregator_.answered(phase_, record_, std::span<ClientId const>(ids), round_);
    }
    ++phase_;
  }

  /// Adds the messages up, opens the sum, and aggregates it. With too few messages, or if the sum cannot be opened, the
  /// ranker is unchanged. If it throws, `ranker` and `state` are as before; a result that is not finite is a
  /// NotFiniteError.
  template <class R>
  RoundStatistics aggregate(R& ranker, State<A>& state) {
    require(finished(), "SealedRound::aggregate", "a round whose phases are over", phase_);
    RoundStatistics statistics;
    statistics.reported = wires_.size();
    statistics.rejected = rejected_;
    statistics.dropped = round_.asked.size() - wires_.size() - rejected_;
    statistics.discarded = true;
    if (!enough()) return statistics;
    statistics.unsealing = true;
    auto sum = sum_messages(aggregator_, std::span<ClientMessage<Wire> const>(wires_), std::as_const(ranker));
    if (!open(sum)) return statistics;
    R next = ranker;
    State<A> next_state = state;
    fltr::aggregate(aggregator_, std::move(sum), next, next_state);
    detail::require_finite_result("round " + std::to_string(round_.number), next, next_state);
    ranker = std::move(next);
    state = std::move(next_state);
    statistics.discarded = false;
    return statistics;
  }

  // ---- for a Federation, which adds the sealed messages up itself

  /// Ends the phase of the message. `ids`: the clients that sent a sealed message.
  void reported(std::span<ClientId const> ids) {
    require(phase_ == detail::SealPhases<A>::message, "SealedRound::reported", "the phase of the message", phase_);
    for (ClientId id : ids)
      if (auto const client = find(id); client != clients_.end()) client->status = Status::answered;
    next_phase();
  }
  /// Whether enough messages arrived to open the sum.
  [[nodiscard]] bool enough() const {
    return messages_ >= std::max(round_.minimum_reports, minimum_messages(aggregator_));
  }
  /// Opens the sum by the aggregator's hook `open`. Returns false if the sum cannot be opened.
  template <class Sum>
  [[nodiscard]] bool open(Sum& sum) const {
    if constexpr (composition::NamesHook_open<A>) {
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

  [[nodiscard]] bool accepts(Wire const& wire, ClientId from) const {
    if constexpr (composition::NamesHook_accepts<A>) {
      static_assert(
          requires {
            { aggregator_.accepts(wire, record_, from, round_) } -> std::same_as<bool>;
          },
          "fltr: the Aggregator's hook 'accepts' must be callable as bool accepts(what 'seal' returns, Record const&, "
          "ClientId, SealRound const&) const");
      return aggregator_.accepts(wire, record_, from, round_);
    } else {
      return true;
    }
  }

  [[nodiscard]] bool take(ClientId from, Letter const& letter) {
    if (phase_ == detail::SealPhases<A>::message) {
      FieldReader reader{std::span<std::byte const>(letter)};
      Wire wire{};
      reader.read(wire);
      reader.expect_end();
      if (!accepts(wire, from)) return false;
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
  std::vector<ClientMessage<Wire>> wires_;
  std::size_t phase_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace fltr
