#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/contribution.hpp>
#include <fltr/federation/policies.hpp>
#include <fltr/federation/roster.hpp>
#include <fltr/federation/tally.hpp>

namespace fltr {

/// How a round is run. Forgetting replays rounds without some clients, with less local work, and corrects their
/// messages.
template <class TakesPart, class Correct>
struct RoundRules {
  TakesPart takes_part;            ///< takes_part(client_id): whoever does not leaves a hole
  Correct correct;                 ///< correct(kept, round, global, message) at the client, before it is privatized
  std::uint32_t interactions = 0;  ///< per client instead of its own number, unless 0
  bool record = true;              ///< whether the unlearner keeps something of the round
  std::uint64_t minimum_reports = 1;
};

/// One round of a federation. Reads from top to bottom like the way of a message: the client learns, records,
/// privatizes; attackers confer; messages are screened, sealed, added up or gathered; the server aggregates.
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

  Step(Policies const& policies, Clients const& clients, ClientStates& states, RoundInfo info, Roster const& roster,
       Rules const& rules)
      : policies_(policies), clients_(clients), states_(states), info_(info), roster_(roster), rules_(rules) {}

  /// Runs the round, moves the ranker, and says what was counted.
  Tally run(R& ranker, State<A>& state) {
    if constexpr (gathers)
      return run_gathered(ranker, state);
    else
      return run_streamed(ranker, state);
  }

  /// The messages that were aggregated, where they were gathered.
  [[nodiscard]] std::span<Sent<M> const> messages() const noexcept { return gathered_.messages; }

 private:
  /// A client at work: itself, its place, and what its block lends it.
  struct Visit {
    C const& client;
    std::size_t position;
    Workspace& workspace;
    Tally& tally;
  };

  /// The gathered messages, and the statistics of each attacker among them, in the same order. The statistics of an
  /// attacker become part of the round only if its message is accepted.
  struct Conferring {
    Gathered<M> messages;
    std::vector<Tally> tallies;

    void merge(Conferring&& other) {
      messages.merge(std::move(other.messages));
      tallies.insert(tallies.end(), other.tallies.begin(), other.tallies.end());
    }
  };

  /// Nothing here grows with the number of clients (but what attackers confer about).
  Tally run_streamed(R& ranker, State<A>& state) {
    std::vector<Tally> tallies;  // of the attackers
    if constexpr (poisons) {
      auto attackers = collect(Conferring{}, [&](Visit const& visit, Conferring& mine) {
        if (malicious(visit.client)) confide(visit, ranker, mine);
      });
      gathered_ = std::move(attackers.payload.messages);
      tallies = std::move(attackers.payload.tallies);
      poison(gathered_.messages, {}, ranker);
    }
    auto round = collect(policies_.aggregator.sum(ranker), [&](Visit const& visit, typename A::Sum& sum) {
      if (!malicious(visit.client)) {
        M message = honest(visit, ranker);
        if (screen(visit, message, ranker)) sum.add(sealed(visit.client.id, std::move(message)));
        return;
      }
      std::size_t const attacker = attacker_at(visit.position);
      M message = gathered_.messages[attacker].message;
      if (!screen(visit, message, ranker)) return;
      visit.tally.merge(tallies[attacker]);
      sum.add(sealed(visit.client.id, std::move(message)));
    });
    if (enough(round.tally)) aggregate(policies_.aggregator, std::move(round.payload), ranker, state);
    gathered_ = {};
    return round.tally;
  }

  Tally run_gathered(R& ranker, State<A>& state) {
    auto round = collect(Conferring{}, [&](Visit const& visit, Conferring& all) {
      // What attackers send is known, and screened, only after they have conferred.
      if (malicious(visit.client)) return confide(visit, ranker, all);
      M message = honest(visit, ranker);
      if (screen(visit, message, ranker)) all.messages.add(visit.position, {visit.client.id, std::move(message)});
    });
    gathered_ = std::move(round.payload.messages);
    if constexpr (poisons) confer(ranker, round.payload.tallies, round.tally);
    if (!enough(round.tally)) {
      gathered_ = {};
    } else if constexpr (Streaming<A>) {
      auto sum = sum_in_blocks(gathered_, clients_.size(), policies_.aggregator.sum(ranker),
                               [&](Sent<M> const& sent) { return sealed(sent.client, sent.message); });
      aggregate(policies_.aggregator, std::move(sum), ranker, state);
    } else {
      aggregate(policies_.aggregator, messages(), ranker, state);
    }
    return round.tally;
  }

  /// Visits everyone who takes part, block by block, wherever the Execution runs the blocks.
  template <class Payload, class Work>
  auto collect(Payload const& nothing, Work const& work) {
    return policies_.execution.reduce(roster_.blocks(), [&](std::size_t block) {
      Contribution<Payload> out{nothing, {}};
      Workspace workspace;
      roster_.for_each_in(block, [&](std::size_t position) {
        C client = clients_[position];
        if (!rules_.takes_part(client.id)) return;
        if (rules_.interactions != 0) client.interactions = rules_.interactions;
        if (!reports(position, client.id)) {
          ++out.tally.dropped;
          return;
        }
        Tally const before = out.tally;
        work(Visit{client, position, workspace, out.tally}, out.payload);
        if (out.tally.rejected == before.rejected) return;
        out.tally = before;  // the lists and objectives of a rejected client do not count
        ++out.tally.rejected;
      });
      return out;
    });
  }

  [[nodiscard]] bool reports(std::size_t position, ClientId id) const {
    if constexpr (NamesHook_reports<Clients>) {
      Stream stream = info_.streams(id).of(Purpose::reporting);
      static_assert(
          requires { static_cast<bool>(clients_.reports(info_.number, position, stream)); },
          "fltr: the Population's hook 'reports' must be callable as bool reports(std::uint32_t round, "
          "std::size_t client, Stream&) const");
      return clients_.reports(info_.number, position, stream);
    } else {
      return true;
    }
  }

  /// Only attackers that rewrite messages count here: those that merely click maliciously run honest software.
  [[nodiscard]] bool malicious(C const& client) const {
    if constexpr (poisons)
      return policies_.attack.malicious.contains(client.id);
    else
      return false;
  }

  // ---- at the client

  [[nodiscard]] M learn(Visit const& visit, R const& global) {
    decltype(auto) behaviour = clicks_of(policies_.click_model, visit.client.id);
    if constexpr (ClickAttack<At, std::remove_cvref_t<decltype(behaviour)>>) {
      if (policies_.attack.malicious.contains(visit.client.id))
        return learn_with(policies_.attack.clicks(behaviour), visit, global);
    }
    return learn_with(behaviour, visit, global);
  }

  template <class Clicks>
  [[nodiscard]] M learn_with(Clicks const& clicks, Visit const& visit, R const& global) {
    ClientState<L, U> none;
    ClientState<L, U>& state = ClientState<L, U>::any ? states_[visit.position] : none;
    M message = learn_at_client(policies_.learner, clicks, policies_.privatizer, global, visit.client, info_,
                                state.learner, visit.workspace, visit.tally);
    rules_.correct(state.kept, info_.number, global, message);
    if constexpr (NamesHook_record<U>) {
      static_assert(
          requires { policies_.unlearner.record(state.kept, info_.number, global, std::as_const(message)); },
          "fltr: the Unlearner's hook 'record' must be callable as record(State&, std::uint32_t round, "
          "Ranker const& global, Message const&) const");
      if (rules_.record && policies_.unlearner.keeps(info_.number))
        policies_.unlearner.record(state.kept, info_.number, global, std::as_const(message));
    }
    return message;
  }

  [[nodiscard]] M honest(Visit const& visit, R const& global) {
    return policies_.privatizer.privatize(learn(visit, global),
                                          info_.context(visit.client.id, visit.client.interactions));
  }

  [[nodiscard]] auto sealed(ClientId client, M message) const {
    return seal(policies_.aggregator, std::move(message), info_.context(client, 0));
  }

  // ---- among attackers

  void poison(std::span<Sent<M>> mine, std::span<Sent<M> const> others, R const& global) const {
    if (mine.empty()) return;
    Stream stream = Streams{info_.seed, info_.number, 0, info_.replay}.of(Purpose::attack);
    if constexpr (omniscient)
      policies_.attack.poison(mine, others, global, stream);
    else if constexpr (poisons)
      policies_.attack.poison(mine, global, stream);
  }

  /// The honest work of an attacker, which the other attackers see.
  void confide(Visit const& visit, R const& global, Conferring& all) {
    Tally own;
    all.messages.add(visit.position,
                     {visit.client.id, learn(Visit{visit.client, visit.position, visit.workspace, own}, global)});
    all.tallies.push_back(own);
  }

  /// The index among the gathered attackers of the attacker at this position.
  [[nodiscard]] std::size_t attacker_at(std::size_t position) const {
    auto const found = std::ranges::lower_bound(gathered_.positions, position);
    return static_cast<std::size_t>(found - gathered_.positions.begin());
  }

  /// Poisons the attackers' messages among all that were gathered, screens them, and restores the order.
  void confer(R const& global, std::span<Tally const> tallies, Tally& tally) {
    Gathered<M> mine;
    Gathered<M> others;
    for (std::size_t i = 0; i < gathered_.messages.size(); ++i) {
      auto& sent = gathered_.messages[i];
      auto& side = policies_.attack.malicious.contains(sent.client) ? mine : others;
      side.add(gathered_.positions[i], std::move(sent));
    }
    poison(mine.messages, others.messages, global);
    gathered_ = {};
    std::size_t m = 0;
    std::size_t o = 0;
    while (m < mine.messages.size() || o < others.messages.size()) {
      bool const attacker =
          o == others.messages.size() || (m < mine.messages.size() && mine.positions[m] < others.positions[o]);
      if (!attacker) {
        gathered_.add(others.positions[o], std::move(others.messages[o]));
        ++o;
        continue;
      }
      C const client = clients_[mine.positions[m]];
      mine.messages[m].client = client.id;  // attackers may say anything, but not who they are
      if (fits(client, mine.messages[m].message, global, tally)) {
        tally.merge(tallies[m]);
        gathered_.add(mine.positions[m], std::move(mine.messages[m]));
      }
      ++m;
    }
  }

  // ---- at the server

  [[nodiscard]] bool screen(Visit const& visit, M const& message, R const& global) const {
    return fits(visit.client, message, global, visit.tally);
  }

  [[nodiscard]] bool fits(C const& client, M const& message, R const& global, Tally& tally) const {
    std::uint32_t const asked = rules_.interactions != 0 ? rules_.interactions : client.interactions;
    bool const good = message.fits(global, asked);
    ++(good ? tally.reported : tally.rejected);
    return good;
  }

  [[nodiscard]] bool enough(Tally const& tally) const { return tally.reported >= rules_.minimum_reports; }

  Policies const& policies_;
  Clients const& clients_;
  ClientStates& states_;
  RoundInfo info_;
  Roster const& roster_;
  Rules const& rules_;
  Gathered<M> gathered_;
};

}  // namespace fltr
