#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/contribution.hpp>
#include <fltr/federation/policies.hpp>
#include <fltr/federation/roster.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/collected.hpp>

namespace fltr {

/// How a round is run. Forgetting replays rounds without some clients, with less local work, and corrects their
/// messages.
template <class TakesPart, class Correct>
struct RoundRules {
  TakesPart takes_part;            ///< takes_part(client_id): whoever does not leaves a hole
  Correct correct;                 ///< bool correct(kept, round, global, message) at the client; false: withdrawn
  std::uint32_t interactions = 0;  ///< per client, but never more than its own number; 0: its own number
  bool record = true;              ///< whether the unlearner keeps something of the round
  std::uint64_t minimum_reports = 1;
};

/// One round of a federation. Reads from top to bottom like the way of a message: the client learns, records,
/// privatizes; attackers confer; messages are screened, sealed, added up or gathered; the server aggregates.
///
/// `run` changes only `ranker` and `state`. New states of clients are part of what it returns.
template <class Policies, Population Clients, class Rules>
class Step {
  using R = typename Policies::Ranker;
  using L = typename Policies::Learner;
  using A = typename Policies::Aggregator;
  using At = typename Policies::Attack;
  using U = typename Policies::Unlearner;
  using M = typename Policies::Message;
  using C = ClientOf<Clients>;

  static constexpr bool omniscient = OmniscientAttack<At, M, R>;
  static constexpr bool poisons = omniscient || ColludingAttack<At, M, R>;
  /// Whether n messages are kept at once: for an aggregator that gathers, or attackers that see all of them.
  static constexpr bool gathers = !Streaming<A> || omniscient;

 public:
  using ClientStates = std::vector<ClientState<L, U>>;
  using Changes = StateChanges<L, U>;

  /// What came out of a round.
  struct Outcome {
    Tally tally{};
    Changes changes{};
    std::vector<Sent<M>> messages{};  ///< that were aggregated, where they were gathered
  };

  /// `states`: learner states. `history`: what the unlearner keeps. Both are the same vector, except in a replay.
  Step(Policies const& policies, Clients const& clients, ClientStates const& states, ClientStates const& history,
       RoundInfo info, Roster const& roster, Rules const& rules)
      : policies_(policies),
        clients_(clients),
        states_(states),
        history_(history),
        info_(info),
        roster_(roster),
        rules_(rules) {}

  /// Runs the round, moves the ranker, and says what was counted.
  [[nodiscard]] Outcome run(R& ranker, State<A>& state) {
    Outcome outcome;
    Server server = open_server(ranker);
    for (std::size_t phase = 0; phase < SealPhases<A>::message; ++phase) exchange(phase, server);
    if constexpr (gathers)
      run_gathered(ranker, state, server, outcome);
    else
      run_streamed(ranker, state, server, outcome);
    return outcome;
  }

 private:
  /// What a client works on: its ranker, its round. Each visit has its own, since clients may be late.
  struct Assignment {
    R const& global;
    RoundInfo info;
  };

  /// One client's visit: client, position, assignment, and the buffers of its block.
  struct Visit {
    C const& client;
    std::size_t position;
    Assignment work;
    Workspace& workspace;
    Tally& tally;
    Changes& changes;

    /// This visit with another Tally.
    [[nodiscard]] Visit with_tally(Tally& other) const { return {client, position, work, workspace, other, changes}; }
  };

  // ---- what blocks of clients return

  /// The gathered messages, and the statistics of each attacker among them, in the same order. The statistics of an
  /// attacker become part of the round only if its message is accepted.
  struct GatheredMessages {
    Collected<Sent<M>> messages{};
    Collected<Tally> tallies{};

    void merge(GatheredMessages&& other) {
      messages.merge(std::move(other.messages));
      tallies.merge(std::move(other.tallies));
    }
    auto fields(auto&& visit) { return visit(messages, tallies); }
  };

  /// A client that put a sealed message on the wire.
  struct Sender {
    std::uint64_t place = 0;  ///< among those asked
    SealSecret<A> secret{};

    auto fields(auto&& visit) { return visit(place, secret); }
  };

  /// A sum of messages and, where they are sealed, who sent them.
  template <class Sum>
  struct Summed {
    LazySum<Sum> sum{};
    Collected<Sender> senders{};

    void merge(Summed&& other) {
      sum.merge(std::move(other.sum));
      senders.merge(std::move(other.senders));
    }
    auto fields(auto&& visit) { return visit(sum, senders); }
  };

  /// A client's answer in an exchange of a seal.
  struct Answer {
    std::uint64_t place = 0;  ///< among those asked
    SealSecret<A> secret{};
    Letter letter{};

    auto fields(auto&& visit) { return visit(place, secret, letter); }
  };

  struct NoServer {};
  using Server = std::conditional_t<Sealing<A>, std::optional<SealedRound<A, M>>, NoServer>;

  // ---- the round

  /// Nothing here grows with the number of clients (but what attackers confer about, and seals).
  void run_streamed(R& ranker, State<A>& state, Server& server, Outcome& outcome) {
    std::vector<Sent<M>> attackers;
    std::vector<Tally> tallies;
    if constexpr (poisons) {
      auto mine = collect<GatheredMessages>(ranker, server, [&](Visit const& visit, GatheredMessages& all) {
        if (malicious(visit.client)) collect_attacker_message(visit, all);
      });
      attackers = std::move(mine.payload.messages).take();
      tallies = std::move(mine.payload.tallies).take();
      outcome.changes = std::move(mine.changes);
      poison(attackers, {}, ranker);
    }
    using Payload = Summed<typename A::Sum>;
    auto round = collect<Payload>(ranker, server, [&](Visit const& visit, Payload& payload) {
      if (!malicious(visit.client)) {
        std::optional<M> message = honest(visit);
        if (message && screen(visit, *message, false)) add(visit, std::move(*message), server, payload);
        return;
      }
      auto const mine = std::ranges::lower_bound(attackers, visit.position, {}, &Sent<M>::position);
      if (mine == attackers.end() || mine->position != visit.position) {
        ++visit.tally.withdrawn;
        return;
      }
      if (!screen(visit, mine->message, true)) return;
      visit.tally.merge(tallies[static_cast<std::size_t>(mine - attackers.begin())]);
      add(visit, mine->message, server, payload);
    });
    outcome.tally = round.tally;
    outcome.changes.merge(std::move(round.changes));
    finish(std::move(round.payload.sum), std::move(round.payload.senders).take(), ranker, state, server, outcome);
  }

  void run_gathered(R& ranker, State<A>& state, Server& server, Outcome& outcome) {
    auto round = collect<GatheredMessages>(ranker, server, [&](Visit const& visit, GatheredMessages& all) {
      // Attackers' messages are screened after `poison`.
      if (malicious(visit.client)) return collect_attacker_message(visit, all);
      std::optional<M> message = honest(visit);
      if (message && screen(visit, *message, false))
        all.messages.add({visit.client.id, std::move(*message), visit.position});
    });
    outcome.tally = round.tally;
    outcome.changes = std::move(round.changes);
    auto messages = std::move(round.payload.messages).take();
    if constexpr (poisons) poison_gathered(messages, std::move(round.payload.tallies).take(), ranker, outcome.tally);
    if constexpr (Streaming<A>) {
      // Sealed or not, they are added up as if they had been streamed.
      Summed<typename A::Sum> all;
      std::vector<Sent<Sealed<A, M>>> wires;
      for (Sent<M>& sent : messages)
        wires.push_back({sent.client,
                         sealed(clients_[sent.position], sent.position, std::move(sent.message), server, all.senders),
                         sent.position});
      if (!wires.empty()) all.sum.sum = sum_messages(policies_.aggregator, wires, std::as_const(ranker));
      finish(std::move(all.sum), std::move(all.senders).take(), ranker, state, server, outcome);
    } else {
      outcome.tally.discarded = !enough(outcome.tally);
      if (outcome.tally.discarded) return;
      aggregate(policies_.aggregator, std::span<Sent<M> const>(messages), ranker, state);
      outcome.messages = std::move(messages);
    }
  }

  /// The sum is complete: opens its seal and aggregates.
  template <class Sum>
  void finish(LazySum<Sum> sum, std::vector<Sender> senders, R& ranker, State<A>& state, Server& server,
              Outcome& outcome) {
    outcome.tally.discarded = !enough(outcome.tally) || !sum.sum;
    if (outcome.tally.discarded || !sum.sum) return;  // before anything is opened
    if constexpr (Sealing<A>) {
      std::vector<ClientId> ids;
      for (Sender& sender : senders) {
        ids.push_back(asked_[sender.place]);
        secrets_[sender.place] = std::move(sender.secret);
      }
      server->reported(ids);
      for (std::size_t phase = SealPhases<A>::message + 1; phase < SealPhases<A>::count; ++phase)
        exchange(phase, server);
      outcome.tally.discarded = !server->open(*sum.sum);
      if (outcome.tally.discarded) return;
    }
    aggregate(policies_.aggregator, std::move(*sum.sum), ranker, state);
  }

  /// Visits everyone who takes part, block by block, wherever the Execution runs the blocks. New states of clients stay
  /// in the process of their block if it can keep them; otherwise they travel with the block's result.
  template <class Payload, class Work>
  Contribution<Payload, Changes> collect(R const& ranker, Server const& server, Work const& work) const {
    using E = typename Policies::Execution;
    constexpr bool stay = ClientState<L, U>::any && (SharedMemoryExecution<E> || BlockKeepingExecution<E>);
    std::vector<Changes> changes(stay ? roster_.blocks() : 0);
    auto all = policies_.execution.reduce(roster_.blocks(), [&](std::size_t block) {
      Contribution<Payload, Changes> out;
      std::optional<Workspace> workspace;  // most blocks of a sampled round are empty
      roster_.for_each_in(block, [&](std::size_t position) {
        C client = clients_[position];
        if (!rules_.takes_part(client.id)) return;
        client.interactions = asked_of(client);
        if (refused(server, client.id)) {
          ++out.tally.rejected;
          return;
        }
        if (!waits_for(server, client.id) ||
            !reports_at(RoundPhase{info_.number, Phase::message, 0}, position, client.id)) {
          ++out.tally.dropped;
          return;
        }
        if (!workspace) workspace.emplace();
        Tally const before = out.tally;
        work(Visit{client, position, Assignment{ranker, info_}, *workspace, out.tally, out.changes}, out.payload);
        if (out.tally.rejected == before.rejected) return;
        out.tally = before;  // the lists and objectives of a rejected client do not count
        ++out.tally.rejected;
      });
      if constexpr (stay) changes[block] = std::exchange(out.changes, {});
      return out;
    });
    for (Changes& of_block : changes) all.changes.merge(std::move(of_block));
    return all;
  }

  [[nodiscard]] bool reports_at(RoundPhase const& at, std::size_t position, ClientId id) const {
    if constexpr (NamesHook_reports<Clients>) {
      Stream stream = info_.streams(id).of(at.purpose());
      return reports(clients_, at, position, stream);
    } else {
      return true;
    }
  }

  /// The interactions that a client is asked for: never more than in an ordinary round.
  [[nodiscard]] std::uint32_t asked_of(C const& client) const {
    return rules_.interactions == 0 ? client.interactions : std::min(client.interactions, rules_.interactions);
  }

  /// True for attackers with `poison`. Attackers with `clicks` only are privatized like honest clients.
  [[nodiscard]] bool malicious(C const& client) const {
    if constexpr (poisons)
      return policies_.attack.malicious.contains(client.id);
    else
      return false;
  }

  // ---- at the client

  /// The message of a client before it is privatized; none if an unlearner withdraws it.
  [[nodiscard]] std::optional<M> learn_message(Visit const& visit) const {
    decltype(auto) behaviour = clicks_of(policies_.click_model, visit.client.id);
    if constexpr (ClickAttack<At, std::remove_cvref_t<decltype(behaviour)>>) {
      if (policies_.attack.malicious.contains(visit.client.id))
        return learn_with(policies_.attack.clicks(behaviour), visit);
    }
    return learn_with(behaviour, visit);
  }

  template <class Clicks>
  [[nodiscard]] std::optional<M> learn_with(Clicks const& clicks, Visit const& visit) const {
    R const& global = visit.work.global;
    std::uint32_t const round = visit.work.info.number;
    StateChange<L, U> change{.position = visit.position};
    ClientState<L, U> const none{};
    State<U> const& kept = ClientState<L, U>::any ? history_[visit.position].kept : none.kept;
    if constexpr (ClientState<L, U>::any) change.learner = states_[visit.position].learner;
    std::optional<M> message = learn_at_client(policies_.learner, clicks, policies_.privatizer, global, visit.client,
                                               visit.work.info, change.learner, visit.workspace, visit.tally);
    bool const stays = rules_.correct(kept, round, global, *message);
    if constexpr (NamesHook_record<U>) {
      static_assert(
          requires(State<U> & mine) { policies_.unlearner.record(mine, round, global, std::as_const(*message)); },
          "fltr: the Unlearner's hook 'record' must be callable as record(State&, std::uint32_t round, "
          "Ranker const& global, Message const&) const");
      if (rules_.record && policies_.unlearner.keeps(round)) {
        change.kept = kept;
        policies_.unlearner.record(*change.kept, round, global, std::as_const(*message));
      }
    }
    if constexpr (ClientState<L, U>::any) visit.changes.add(std::move(change));
    if (!stays) message.reset();
    return message;
  }

  /// What an honest client sends, not yet sealed.
  [[nodiscard]] std::optional<M> honest(Visit const& visit) const {
    std::optional<M> message = learn_message(visit);
    if (!message) {
      ++visit.tally.withdrawn;
      return message;
    }
    return policies_.privatizer.privatize(
        std::move(*message),
        visit.work.info.context(visit.client.id, visit.client.interactions, broadcast_parameters(visit.work.global)));
  }

  /// Whether a message may be used; counts it. Where messages are sealed, the client does this before it seals.
  [[nodiscard]] bool screen(Visit const& visit, M const& message, bool attacker) const {
    return fits(visit.client, message, visit.work.global, attacker, visit.tally);
  }
  [[nodiscard]] bool fits(C const& client, M const& message, R const& global, bool attacker, Tally& tally) const {
    bool const good = message.fits(global, client.interactions);
    if (good)
      tally.use(weight_of(message), value_count(message), attacker);
    else
      ++tally.rejected;
    return good;
  }

  template <class Payload>
  void add(Visit const& visit, M message, Server const& server, Payload& payload) const {
    auto const make = [&] { return policies_.aggregator.sum(visit.work.global); };
    payload.sum.add(sealed(visit.client, visit.position, std::move(message), server, payload.senders), make);
  }

  // ---- the seal

  /// The server's half of the seal, and the list of those who are asked.
  [[nodiscard]] Server open_server(R const& ranker) {
    if constexpr (Sealing<A>) {
      for (std::size_t block = 0; block < roster_.blocks(); ++block)
        roster_.for_each_in(block, [&](std::size_t position) {
          ClientId const id = clients_[position].id;
          if (!rules_.takes_part(id)) return;
          asked_.push_back(id);
          positions_.push_back(position);
        });
      secrets_.resize(asked_.size());
      auto const parameters = broadcast_parameters(ranker);
      broadcast_.assign(parameters.begin(), parameters.end());  // the ranker changes before the round is over
      Server server;
      if (!asked_.empty()) server.emplace(policies_.aggregator, seal_round());
      return server;
    } else {
      return {};
    }
  }

  [[nodiscard]] SealRound seal_round() const { return {info_.number, asked_, broadcast_, rules_.minimum_reports}; }
  [[nodiscard]] SealContext seal_context(C const& client) const {
    return {seal_round(), client.id, client.interactions, info_.streams(client.id)};
  }
  [[nodiscard]] static bool waits_for(Server const& server, ClientId id) {
    if constexpr (Sealing<A>)
      return server->waits_for(id);
    else
      return true;
  }
  [[nodiscard]] static bool refused(Server const& server, ClientId id) {
    if constexpr (Sealing<A>)
      return server->refused(id);
    else
      return false;
  }
  /// The place of a client among those asked.
  [[nodiscard]] std::size_t place_of(std::size_t position) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(positions_, position) - positions_.begin());
  }

  /// One exchange of letters with every client that is still there.
  void exchange(std::size_t phase, Server& server) {
    if constexpr (SealProtocol<A>) {
      if (asked_.empty()) return;
      RoundPhase const at = SealPhases<A>::at(info_.number, phase);
      auto answers = policies_.execution.reduce(roster_.blocks(), [&](std::size_t block) {
        Collected<Answer> out;
        roster_.for_each_in(block, [&](std::size_t position) {
          C client = clients_[position];
          if (!rules_.takes_part(client.id) || !server->waits_for(client.id)) return;
          client.interactions = asked_of(client);
          if (!reports_at(at, position, client.id)) return;
          Answer answer{place_of(position), secrets_[place_of(position)], {}};
          answer.letter =
              policies_.aggregator.answer(phase, answer.secret, server->question(client.id), seal_context(client));
          out.add(std::move(answer));
        });
        return out;
      });
      for (Answer& answer : std::move(answers).take()) {
        server->receive(asked_[answer.place], answer.letter);
        secrets_[answer.place] = std::move(answer.secret);
      }
      server->next_phase();
    }
  }

  [[nodiscard]] Sealed<A, M> sealed(C client, std::size_t position, M message, Server const& server,
                                    Collected<Sender>& senders) const {
    if constexpr (Sealing<A>) {
      client.interactions = asked_of(client);
      Sender sender{place_of(position), secrets_[place_of(position)]};
      auto wire = seal(policies_.aggregator, std::move(message), sender.secret, server->question(client.id),
                       seal_context(client));
      senders.add(std::move(sender));
      return wire;
    } else {
      return message;
    }
  }

  // ---- among attackers

  /// Lets the attackers rewrite their messages: they may say anything, but not who they are.
  void poison(std::span<Sent<M>> mine, std::span<Sent<M> const> others, R const& global) const {
    if (mine.empty()) return;
    std::vector<std::pair<ClientId, std::uint64_t>> senders;
    for (Sent<M> const& sent : mine) senders.emplace_back(sent.client, sent.position);
    Stream stream = Streams{info_.seed, info_.number, 0, info_.replay}.of(Purpose::attack);
    AttackContext const context{info_.number, info_.participants, stream};
    if constexpr (omniscient)
      policies_.attack.poison(mine, others, global, context);
    else if constexpr (poisons)
      policies_.attack.poison(mine, global, context);
    for (std::size_t i = 0; i < mine.size(); ++i) std::tie(mine[i].client, mine[i].position) = senders[i];
  }

  /// The honest work of an attacker, which the other attackers see.
  void collect_attacker_message(Visit const& visit, GatheredMessages& all) const {
    Tally own;
    std::optional<M> message = learn_message(visit.with_tally(own));
    if (!message) {
      ++visit.tally.withdrawn;
      return;
    }
    all.messages.add({visit.client.id, std::move(*message), visit.position});
    all.tallies.add(own);
  }

  /// Poisons the attackers' messages among all that were gathered, screens them, and restores the order.
  void poison_gathered(std::vector<Sent<M>>& messages, std::vector<Tally> const& tallies, R const& global,
                       Tally& tally) const {
    std::vector<Sent<M>> mine;
    std::vector<Sent<M>> others;
    for (Sent<M>& sent : messages)
      (policies_.attack.malicious.contains(sent.client) ? mine : others).push_back(std::move(sent));
    poison(mine, others, global);
    messages.clear();
    std::size_t m = 0;
    std::size_t o = 0;
    while (m < mine.size() || o < others.size()) {
      bool const attacker = o == others.size() || (m < mine.size() && mine[m].position < others[o].position);
      if (!attacker) {
        messages.push_back(std::move(others[o++]));
        continue;
      }
      C client = clients_[mine[m].position];
      client.interactions = asked_of(client);
      if (fits(client, mine[m].message, global, true, tally)) {
        tally.merge(tallies[m]);
        messages.push_back(std::move(mine[m]));
      }
      ++m;
    }
  }

  // ---- at the server

  [[nodiscard]] bool enough(Tally const& tally) const {
    return tally.reported >= std::max(rules_.minimum_reports, minimum_messages(policies_.aggregator));
  }

  Policies const& policies_;
  Clients const& clients_;
  ClientStates const& states_;
  ClientStates const& history_;
  RoundInfo info_;
  Roster const& roster_;
  Rules const& rules_;
  // Of a seal:
  std::vector<ClientId> asked_;           // in the order of the population
  std::vector<std::uint64_t> positions_;  // of those asked
  std::vector<SealSecret<A>> secrets_;    // of those asked
  std::vector<float> broadcast_;
};

}  // namespace fltr
