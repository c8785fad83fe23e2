#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ask_sometimes.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/federation/sealed_round.hpp>

namespace fltr::detail {

/// The seal of a round inside a Federation: both halves of the protocol (see Sealing). This is the version for an
/// aggregator without a seal: messages travel as they are.
template <class Input>
class RoundSeal {
  using Message = typename Input::Message;

 public:
  using Senders = NoState;

  RoundSeal(Input const&, typename Input::Ranker const&) {}

  void exchange_before_messages() const {}
  [[nodiscard]] bool waits_for(ClientId) const { return true; }
  [[nodiscard]] bool refused(ClientId) const { return false; }
  [[nodiscard]] Message seal(typename Input::Client const&, std::size_t, Message message, Senders&) const {
    return message;
  }
  template <class Sum>
  [[nodiscard]] bool open(Sum&, Senders&&) const {
    return true;
  }
};

/// The version for a sealing aggregator. It holds the list of the clients that are asked, their secrets, and the
/// server's half. Memory grows with the number of clients that are asked.
template <class Input>
requires Sealing<typename Input::Aggregator>
class RoundSeal<Input> {
  using A = typename Input::Aggregator;
  using Message = typename Input::Message;
  using Client = typename Input::Client;

  /// A client that sent a sealed message.
  struct Sender {
    std::uint64_t place = 0;  ///< in the list of the clients that are asked
    SealSecret<A> secret{};

    auto fields(auto&& visit) { return visit(place, secret); }
  };

  /// A client's answer in an exchange.
  struct Answer {
    std::uint64_t place = 0;  ///< in the list of the clients that are asked
    SealSecret<A> secret{};
    Letter letter{};

    auto fields(auto&& visit) { return visit(place, secret, letter); }
  };

 public:
  using Senders = Collected<Sender>;

  RoundSeal(Input const& input, typename Input::Ranker const& ranker) : input_(input) {
    for (std::size_t block = 0; block < input.roster.blocks(); ++block)
      input.roster.for_each_in(block, [&](std::size_t position) {
        ask_sometimes(input.policies.execution, position);
        ClientId const id = input.clients[position].id;
        if (!input.rules.takes_part(id)) return;
        asked_.push_back(id);
        positions_.push_back(position);
      });
    secrets_.resize(asked_.size());
    auto const parameters = broadcast_parameters(ranker);
    broadcast_.assign(parameters.begin(), parameters.end());  // a copy: the ranker changes before the round is over
    if (!asked_.empty()) server_.emplace(input.policies.aggregator, round());
  }
  RoundSeal(RoundSeal const&) = delete;  // the server's half refers to the lists of this object
  RoundSeal& operator=(RoundSeal const&) = delete;
  ~RoundSeal() = default;

  void exchange_before_messages() {
    for (std::size_t phase = 0; phase < SealPhases<A>::message; ++phase) exchange(phase);
  }

  /// Whether the server waits for an answer of this client.
  [[nodiscard]] bool waits_for(ClientId id) const { return server_->waits_for(id); }
  /// Whether the server refused a letter of this client.
  [[nodiscard]] bool refused(ClientId id) const { return server_->refused(id); }

  /// Seals the message of a client and adds the client to the senders.
  [[nodiscard]] Sealed<A, Message> seal(Client const& client, std::size_t position, Message message,
                                        Senders& senders) const {
    Sender sender{place_of(position), secrets_[place_of(position)]};
    auto wire = fltr::seal(input_.policies.aggregator, std::move(message), sender.secret, server_->question(client.id),
                           context(client));
    senders.add(std::move(sender));
    return wire;
  }

  /// Runs the exchanges after the messages and opens the sum. False: the sum cannot be opened.
  template <class Sum>
  [[nodiscard]] bool open(Sum& sum, Senders&& senders) {
    std::vector<ClientId> ids;
    for (Sender& sender : std::move(senders).take()) {
      ask_sometimes(input_.policies.execution, ids.size());
      ids.push_back(asked_[sender.place]);
      secrets_[sender.place] = std::move(sender.secret);
    }
    server_->reported(ids);
    for (std::size_t phase = SealPhases<A>::message + 1; phase < SealPhases<A>::count; ++phase) exchange(phase);
    return server_->open(sum);
  }

 private:
  [[nodiscard]] SealRound round() const {
    return {input_.info.number, asked_, broadcast_, input_.rules.minimum_reports, input_.info.seed, 0};
  }
  [[nodiscard]] SealContext context(Client const& client) const {
    return {round(), client.id, client.interactions, input_.info.streams(client.id)};
  }
  /// The place of a client in the list of the clients that are asked.
  [[nodiscard]] std::size_t place_of(std::size_t position) const {
    return static_cast<std::size_t>(std::lower_bound(positions_.begin(), positions_.end(), position) -
                                    positions_.begin());
  }

  /// One exchange of letters with every client that the server waits for.
  void exchange(std::size_t phase) {
    if constexpr (SealProtocol<A>) {
      if (asked_.empty()) return;
      RoundPhase const at = SealPhases<A>::at(input_.info.number, phase);
      auto answers = input_.policies.execution.reduce(input_.roster.blocks(), [&](std::size_t block) {
        Collected<Answer> out;
        input_.roster.for_each_in(block, [&](std::size_t position) {
          Client const client = input_.client_at(position);
          if (!input_.rules.takes_part(client.id) || !server_->waits_for(client.id)) return;
          if (!input_.answers(at, position, client.id)) return;
          interruption_point_in_block(input_.policies.execution);
          Answer answer{place_of(position), secrets_[place_of(position)], {}};
          answer.letter =
              input_.policies.aggregator.answer(phase, answer.secret, server_->question(client.id), context(client));
          out.add(std::move(answer));
        });
        return out;
      });
      for (Answer& answer : std::move(answers).take()) {
        interruption_point(input_.policies.execution);
        server_->receive(asked_[answer.place], answer.letter);
        secrets_[answer.place] = std::move(answer.secret);
      }
      server_->next_phase();
    }
  }

  Input const& input_;
  std::vector<ClientId> asked_;           // in the order of the population
  std::vector<std::uint64_t> positions_;  // of the clients in asked_
  std::vector<SealSecret<A>> secrets_;    // of the clients in asked_
  std::vector<float> broadcast_;
  std::optional<SealedRound<A, Message>> server_;  // none if no client is asked
};

}  // namespace fltr::detail
