#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/at_owner.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>
#include <fltr/federation/detail/ledger.hpp>
#include <fltr/federation/detail/misspelt_hooks.hpp>
#include <fltr/federation/detail/personal_rankers.hpp>
#include <fltr/federation/detail/releases.hpp>
#include <fltr/federation/detail/replay.hpp>
#include <fltr/federation/detail/require_options.hpp>
#include <fltr/federation/detail/require_trainable.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/detail/run_round.hpp>
#include <fltr/federation/detail/spending.hpp>
#include <fltr/federation/detail/training_state.hpp>
#include <fltr/federation/replay_report.hpp>
#include <fltr/federation/round.hpp>
#include <fltr/federation/rounds.hpp>

namespace fltr {

/// A run of a federation: policies, clients, options, and all state (global ranker, states of the server and of the
/// clients, privacy spent). It is a value: a copy continues independently of the original, with an account of its own
/// rounds. It refers to nothing but the clients' Dataset.
///
/// Its state has fields. It can be saved between two rounds and restored into a training of the same federation,
/// clients and options (see `restore`). A round that throws or is interrupted changes nothing but the privacy account: its
/// messages may have left the clients. It costs the worst loss that the rules allow, until the same round is run again: that
/// sends the same messages with the same noise. It costs nothing if no client had made its message, which a training can tell
/// if its Execution has shared memory. The Dataset must not change: other data in a round that is run again are charged, but
/// equal noise tells which clients' messages did not change.
template <class AllPolicies, Population AllClients>
class Training {
 public:
  using Policies = AllPolicies;
  using Clients = AllClients;
  using Ranker = typename Policies::Ranker;
  using Learner = typename Policies::Learner;
  using Unlearner = typename Policies::Unlearner;
  using Message = typename Policies::Message;
  using ServerState = State<typename Policies::Aggregator>;
  using OneClientState = detail::ClientState<Learner, Unlearner>;

 private:
  static_assert(detail::require_trainable<Learner, Ranker, ClientOf<Clients>>());
  static_assert(detail::spells_population<Clients>());

 public:
  /// Whether the privatizer states a loss, so that there is a privacy account.
  static constexpr bool accounted = detail::Ledger<Policies>::accounted;

  Training(Policies policies, Clients clients, RunOptions options)
      : policies_(std::move(policies)),
        clients_(std::move(clients)),
        options_(options),
        ledger_(policies_, clients_, options),
        state_(start_state(policies_, clients_.size(), options.seed)) {
    detail::require_options(policies_, clients_, options_);
  }

  /// Runs the next round. If it throws, the training is as before, except for its privacy account. Throws
  /// std::runtime_error if the round could exceed the privacy budget (see `exhausted`), NotFiniteError if the round's
  /// result is NaN or infinite, and Interrupted if the caller asked to stop (see Interruptible).
  void advance() {
    require(state_.round < detail::round_limit, "Training::advance", "fewer than 2^32 - 1 rounds", state_.round);
    std::uint32_t const number = state_.round + 1;
    detail::Roster const roster = spending().roster(number);
    detail::RoundRequest const request = spending().request_of(roster);
    if constexpr (accounted) spending().require_budget(roster, request);

    auto const takes_part = [this](ClientId client) { return !is_forgotten(client); };
    auto const unchanged = [](auto const&...) { return Correction::corrected; };
    using Rules = detail::RoundRules<decltype(takes_part), decltype(unchanged)>;
    Rules const rules{takes_part, unchanged, 0, true, options_.minimum_reports};
    detail::RoundProgress progress;
    detail::RoundInput<Policies, Clients, Rules> const input{
        policies_,
        clients_,
        state_.clients,
        state_.clients,
        {.seed = options_.seed, .number = number, .participants = request.clients, .branch = state_.releases.branch},
        roster,
        rules,
        &progress};
    [[maybe_unused]] ChargedClients charged;
    [[maybe_unused]] std::uint32_t const begun_before = state_.releases.begun;
    if constexpr (accounted) {
      charged = detail::charged_clients(input);
      if (spending().needs_all_begun()) all_begun_ = spending().with_all_begun();
      state_.releases.begun = std::max(state_.releases.begun, number);
    }
    Ranker next = state_.ranker;
    ServerState next_server_state = state_.server;
    auto outcome = [&] {
      try {
        return detail::run_round(input, next, next_server_state);
      } catch (...) {
        if constexpr (accounted) all_begun_.reset();
        if constexpr (accounted) detail::charge_failed(spending(), state_, begun_before, progress);
        throw;
      }
    }();
    auto personal = Personal::made_of(policies_, clients_, outcome.messages, number);
    if constexpr (accounted)  // throws only if there is no memory left; then the round may have been charged twice
      detail::charge_round(ledger_, spending(), state_, request, charged, outcome, next, next_server_state);

    // Nothing below throws.
    state_.ranker = std::move(next);
    state_.server = std::move(next_server_state);
    detail::apply_changes(std::move(outcome.changes), state_.clients);
    if (personal) state_.personal = std::move(*personal);
    state_.statistics = outcome.statistics;
    state_.discarded_rounds += outcome.statistics.discarded ? 1U : 0U;
    state_.round = number;
  }

  /// Runs up to `count` rounds. Calls observer(round) after each, where `round` is a Round<Ranker>. Stops early if the
  /// observer returns false, or before a round that could exceed the privacy budget. Returns the number of rounds that
  /// ran. If the observer looks at the models to stop, the loss is `epsilon_any_stop` (see PrivacyLoss).
  ///
  ///     training.run(100, [](auto const& round) { std::cout << round.statistics.online_ndcg() << '\n'; });
  template <Observer<Round<Ranker>> O = NoObserver>
  std::uint32_t run(std::uint32_t count, O&& observer = {}) {
    for (std::uint32_t done = 0; done < count; ++done) {
      if (exhausted()) return done;
      advance();
      if (!observe(observer, round())) return done + 1;
    }
    return count;
  }

  /// The rounds from the next one on, as a lazy range: a round runs when it is dereferenced or stepped over. After an
  /// early stop the training is at the last round that ran. The range refers to this training.
  [[nodiscard]] auto rounds() & { return Rounds<Training>(*this); }

  /// Whether the next round could exceed the privacy budget: with the fewest reports that the rules allow
  /// (`minimum_reports`), and with all attackers among them.
  [[nodiscard]] bool exhausted() const {
    if constexpr (accounted)
      return spending().exhausted();
    else
      return false;
  }

  /// The price of the next round under the worst release that the rules allow; none if the privatizer states no loss.
  [[nodiscard]] std::optional<PrivacyLoss> worst_loss() const {
    if constexpr (accounted)
      return spending().worst_loss();
    else
      return std::nullopt;
  }

  /// The largest privacy loss of a client after the next round, under the worst release that the rules allow: what
  /// `exhausted` compares with the budget. None if the privatizer states no loss.
  [[nodiscard]] std::optional<PrivacyLoss> worst_total() const {
    if constexpr (accounted)
      return spending().worst_total();
    else
      return std::nullopt;
  }

  /// Rounds up to this one, and no others, may have been run by a process that was killed (`ended`: or that ended). They cost
  /// their worst loss until this training has run them again. A Checkpointer calls it.
  void expect_released(std::uint32_t round, bool ended = false) {
    if constexpr (accounted) state_.releases.expect(std::min(round, detail::round_limit - 1), state_.round, ended);
  }
  /// An earlier process was killed inside of `forget`: what its replay released is not known, so that no bound holds. A
  /// Checkpointer calls it.
  void expect_lost_replay() {
    if constexpr (accounted) {
      state_.releases.lost_replay = true;
      all_begun_.reset();
      detail::charge_lost_replay(state_.spent);
    }
  }

  /// The last round of which messages may have left the clients, also if it failed.
  [[nodiscard]] std::uint32_t last_begun() const noexcept { return std::max(state_.round, state_.releases.begun); }

  /// The privacy loss of client i so far; none if the privatizer states no loss. `Round::privacy` is the largest one.
  [[nodiscard]] std::optional<PrivacyLoss> privacy_of(std::size_t i) const {
    require(i < clients_.size(), "Training::privacy_of", "a client of the population", i);
    if constexpr (accounted)
      return spending().total_of(i);
    else
      return std::nullopt;
  }

  /// `Round::privacy` without rounds that are still to be run again: what a run without failures has spent after this round.
  [[nodiscard]] std::optional<PrivacyLoss> charged_privacy() const {
    if constexpr (accounted)
      return spending().charged();
    else
      return std::nullopt;
  }

  /// The number of the last round; 0 before the first.
  [[nodiscard]] std::uint32_t number() const noexcept { return state_.round; }
  /// How many of the rounds up to the last one were discarded (RoundStatistics::discarded): too few messages, or a seal
  /// that could not be opened. They did not change the ranker.
  [[nodiscard]] std::uint32_t discarded_rounds() const noexcept { return state_.discarded_rounds; }
  /// The global ranker.
  [[nodiscard]] Ranker const& ranker() const& noexcept { return state_.ranker; }
  [[nodiscard]] Ranker ranker() && { return std::move(state_.ranker); }
  /// The result of the last round.
  [[nodiscard]] Round<Ranker> round() const {
    Round<Ranker> out{state_.round, state_.ranker, state_.statistics, std::nullopt, state_.discarded_rounds};
    if constexpr (accounted) out.privacy = spending().total();
    return out;
  }

  /// The ranker that client i uses: its merged model, its personal version of the global ranker, or the global ranker.
  /// If an Execution spreads client states over processes, all processes must call it.
  [[nodiscard]] auto ranker_of(std::size_t i) const {
    require(i < clients_.size(), "Training::ranker_of", "a client of the population", i);
    if constexpr (composition::NamesHook_personal<Learner>) {
      return detail::at_owner(policies_.execution, clients_.size(), i, [&] { return local_ranker_of(i); });
    } else if constexpr (personalizes) {
      require(i < state_.personal.size(), "Training::ranker_of", "a round before asking for a client's own ranker",
              state_.round);
      return state_.personal[i];
    } else {
      return state_.ranker;
    }
  }

  /// The metric of the ranker that each client uses, on `queries_of(client)` (a Dataset or a QueryPool, by reference or
  /// by value): the mean over the queries, or none if the metric skips all of them. In the order of the population.
  /// Runs on the federation's Execution.
  template <Metric M, class QueriesOf>
  [[nodiscard]] std::vector<std::optional<double>> evaluate_personal(M const& metric,
                                                                     QueriesOf const& queries_of) const {
    return detail::evaluate_each(policies_.execution, clients_, metric, queries_of,
                                 [this](std::size_t i) { return local_ranker_of(i); });
  }

  /// Makes the federation forget these clients: the unlearner replays rounds without them, their states are cleared,
  /// and they take part in no later round. `round()` then has the statistics of the last replayed round. Returns what
  /// the replay cost.
  ///
  /// The other clients' learners begin the replay with empty states, and what they learn in it (FedPer's output layer)
  /// stays theirs. Their records for the unlearner stay as they are.
  ///
  /// Replayed rounds send messages and cost privacy like other rounds, also if the replay throws; everything else is
  /// then as before. Merged rankers of single clients are deleted, because they contain messages of forgotten clients;
  /// the next round makes new ones.
  ///
  /// Throws std::invalid_argument for an empty list, for a client that never took part or is already forgotten, and if
  /// no client would be left. A program with checkpoints calls Checkpointer::note_forget before.
  ReplayReport forget(std::vector<ClientId> ids) {
    static_assert(composition::NamesHook_unlearn<Unlearner>,
                  "fltr: this federation cannot forget: its Unlearner has no 'unlearn' (see with_unlearner)");
    static_assert(
        requires(Unlearner const& unlearner, detail::Replay<Training>& replay) { unlearner.unlearn(replay); },
        "fltr: the Unlearner's hook 'unlearn' must be callable as unlearn(Replay&) const");
    detail::require_forgettable(ids, clients_, state_, policies_.execution);
    ids.insert(ids.end(), state_.forgotten.begin(), state_.forgotten.end());
    std::ranges::sort(ids);
    detail::Replay<Training> replay(*this, std::move(ids));
    if constexpr (accounted) {
      spending().charge_begun(state_.spent);
      state_.releases.begin_branch(state_.round, replay.seed_);
    }
    try {
      policies_.unlearner.unlearn(replay);
    } catch (...) {
      ++state_.failed_replays;  // the next attempt is another branch
      throw;
    }

    if constexpr (accounted)
      state_.releases.arrive(state_.round,
                             detail::trace_after(replay.trace_, replay.ranker, replay.server_state, replay.last_, 0));
    state_.ranker = std::move(replay.ranker);
    state_.server = std::move(replay.server_state);
    state_.forgotten = std::move(replay.forgotten_);
    state_.statistics = replay.last_;
    if constexpr (personalizes) state_.personal.clear();
    if constexpr (OneClientState::any)
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        state_.clients[i].learner = std::move(replay.states_[i].learner);
        if (is_forgotten(clients_[i].id)) state_.clients[i] = {};
      }
    return replay.report_;
  }

  [[nodiscard]] Policies const& policies() const& noexcept { return policies_; }
  [[nodiscard]] Policies policies() && { return std::move(policies_); }
  [[nodiscard]] Clients const& clients() const& noexcept { return clients_; }
  [[nodiscard]] Clients clients() && { return std::move(clients_); }
  [[nodiscard]] RunOptions const& options() const& noexcept { return options_; }
  [[nodiscard]] RunOptions options() && noexcept { return options_; }

  /// The aggregator's state.
  [[nodiscard]] ServerState const& server_state() const& noexcept { return state_.server; }
  [[nodiscard]] ServerState server_state() && { return std::move(state_.server); }
  /// The state of client i: `learner`, and `kept` by the unlearner. If an Execution spreads client states over
  /// processes, all processes must call it.
  [[nodiscard]] OneClientState client_state(std::size_t i) const {
    require(i < state_.clients.size(), "Training::client_state", "a client of a federation whose policies keep a state",
            i);
    return detail::at_owner(policies_.execution, clients_.size(), i, [&] { return state_.clients[i]; });
  }
  /// The states of all clients; empty if no policy keeps a state at the clients. If an Execution spreads client states
  /// over processes, each process holds the states of its blocks only.
  [[nodiscard]] std::vector<OneClientState> const& client_states() const& noexcept { return state_.clients; }
  [[nodiscard]] std::vector<OneClientState> client_states() && { return std::move(state_.clients); }
  /// Replaces what client i keeps for the unlearner, for example by a history that was read from a file.
  void set_kept(std::size_t i, State<Unlearner> kept) {
    require(i < state_.clients.size(), "Training::set_kept", "a client of a federation whose policies keep a state", i);
    require(!is_forgotten(clients_[i].id), "Training::set_kept", "a client that is not forgotten", clients_[i].id);
    require(detail::is_consistent(kept), "Training::set_kept", "a consistent state",
            "sizes that contradict each other");
    state_.clients[i].kept = std::move(kept);
  }
  /// The ids of the forgotten clients, rising.
  [[nodiscard]] std::vector<ClientId> const& forgotten_clients() const& noexcept { return state_.forgotten; }
  [[nodiscard]] std::vector<ClientId> forgotten_clients() && { return std::move(state_.forgotten); }

  /// All state of the run: the content of a checkpoint. Policies, clients and options are not part of it, except for
  /// the seed and the number of clients. If an Execution spreads client states over processes, each process has the
  /// fields of its own part; `save` returns the whole.
  auto fields(auto&& visit)
  requires HasFields<Ranker>
  {
    return state_.fields(visit);
  }

 private:
  friend class detail::Replay<Training>;
  template <class P, Population C>
  friend std::vector<std::byte> save(Training<P, C> const& training);
  template <class P, Population C>
  friend void restore(Training<P, C>& training, std::span<std::byte const> bytes);

  using Ledger = detail::Ledger<Policies>;
  using TrainingState = detail::TrainingState<Policies, Clients>;
  using Personal = detail::PersonalRankers<Policies, Clients>;
  /// Whether each process has the states of some clients only.
  static constexpr bool spreads_states = OneClientState::any && BlockKeepingExecution<typename Policies::Execution>;
  static constexpr bool personalizes = composition::NamesHook_personalize<typename Policies::Aggregator>;

  [[nodiscard]] static TrainingState start_state(Policies const& policies, std::size_t clients, std::uint64_t seed) {
    Ranker ranker = policies.ranker;
    initialize(ranker, Streams{seed}.of(Purpose::start));
    TrainingState state{.seed = seed, .client_count = clients, .ranker = ranker, .start = ranker};
    if constexpr (OneClientState::any) state.clients.resize(clients);
    if constexpr (accounted) state.spent = PrivacyAccount(clients);
    if constexpr (accounted) state.releases.arrive(0, detail::trace_at_start(policies.privatizer, state.start));
    return state;
  }

  [[nodiscard]] bool is_forgotten(ClientId client) const {
    return std::ranges::binary_search(state_.forgotten, client);
  }

  [[nodiscard]] detail::Spending<Policies, Clients> spending() const {
    return {policies_, clients_, options_, ledger_, state_, all_begun_};
  }

  /// The ranker of a client whose state is in this process.
  [[nodiscard]] auto local_ranker_of(std::size_t i) const {
    if constexpr (composition::NamesHook_personal<Learner>)
      return policies_.learner.personal(state_.ranker, state_.clients[i].learner);
    else
      return ranker_of(i);
  }

  Policies policies_;
  Clients clients_;
  RunOptions options_;
  Ledger ledger_;
  TrainingState state_;
  std::optional<detail::BegunAccount> all_begun_;
};

}  // namespace fltr
