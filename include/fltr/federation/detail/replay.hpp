#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ask_sometimes.hpp>
#include <fltr/federation/detail/ledger.hpp>
#include <fltr/federation/detail/releases.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/detail/round_input.hpp>
#include <fltr/federation/detail/run_round.hpp>
#include <fltr/federation/detail/training_state.hpp>
#include <fltr/federation/replay_report.hpp>
#include <fltr/federation/round_info.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr::detail {

/// The seed of a replay: a function of the run's seed and of the set of forgotten clients. After failed replays it also
/// depends on their number, so that a second attempt does not repeat the noise of the first one.
[[nodiscard]] inline std::uint64_t replay_seed(std::uint64_t seed, std::vector<ClientId> const& forgotten,
                                               std::uint32_t failed_replays = 0) {
  FieldWriter writer;
  writer.write(seed);
  writer.write(forgotten);
  if (failed_replays > 0) writer.write(failed_replays);
  return std::stoull(sha256_hex(writer.bytes()).substr(0, 16), nullptr, 16);
}

/// The argument of an Unlearner's `unlearn`: runs rounds of a Training again from the start model, without some
/// clients. The learners' states are empty at the start, and no other round uses the same random numbers. Each replayed
/// round costs privacy like any other round, also if the replay fails later.
template <class T>
class Replay {
  using Message = typename T::Message;
  using Kept = State<typename T::Unlearner>;

 public:
  Replay(T& training, std::vector<ClientId> forgotten)
      : ranker(training.state_.start),
        training_(training),
        forgotten_(std::move(forgotten)),
        seed_(replay_seed(training.options_.seed, forgotten_, training.state_.failed_replays)),
        states_(training.state_.clients.size()) {}

  /// The number of rounds of the training.
  [[nodiscard]] std::uint32_t rounds() const noexcept { return training_.number(); }
  /// All forgotten clients, from this and earlier calls of `forget`, in increasing order. They do not take part.
  [[nodiscard]] std::vector<ClientId> const& forgotten() const& noexcept { return forgotten_; }

  /// Runs a round again with the clients that were asked in it and are not forgotten.
  ///
  /// `interactions`: per client, but never more than the client's own number; 0: its own number.
  /// `correct(kept, round, global, message)` is called at each client before its message is privatized. It returns
  /// nothing, a Correction, or a bool (false: the message is withdrawn). RoundStatistics counts the Corrections.
  ///
  /// Queries and clicks are drawn anew. `round` must be greater than in the call before, because a round that runs
  /// twice would use its noise twice. Throws std::runtime_error if the round could exceed the privacy budget.
  template <class Correct>
  RoundStatistics step(std::uint32_t round, std::uint32_t interactions, Correct const& correct) {
    static_assert(
        std::invocable<Correct const&, Kept const&, std::uint32_t, typename T::Ranker const&, Message&>,
        "fltr: 'correct' of Replay::step must be callable as correct(State const& kept, std::uint32_t round, Ranker "
        "const& global, Message&)");
    using Result =
        std::invoke_result_t<Correct const&, Kept const&, std::uint32_t, typename T::Ranker const&, Message&>;
    static_assert(std::is_void_v<Result> || std::same_as<Result, bool> || std::same_as<Result, Correction>,
                  "fltr: 'correct' of Replay::step must return nothing, or a bool (false: the message is withdrawn), "
                  "or a Correction");
    if (round <= last_round_ || round > rounds()) [[unlikely]]
      throw_requirement("Replay::step",
                        "a round from " + std::to_string(last_round_ + 1) + " to " + std::to_string(rounds()), round);
    auto const corrected = [&](Kept const& kept, std::uint32_t number, typename T::Ranker const& global,
                               Message& message) {
      if constexpr (std::is_void_v<Result>) {
        correct(kept, number, global, message);
        return Correction::corrected;
      } else if constexpr (std::same_as<Result, bool>) {
        return correct(kept, number, global, message) ? Correction::corrected : Correction::withdrawn;
      } else {
        return correct(kept, number, global, message);
      }
    };
    auto const takes_part = [this](ClientId client) { return !std::ranges::binary_search(forgotten_, client); };

    auto const& policies = training_.policies_;
    auto const& clients = training_.clients_;
    auto const& options = training_.options_;
    auto& ledger = training_.ledger_;
    auto& state = training_.state_;
    Roster const roster = roster_of(clients, options.seed, round);
    RoundRequest const request{count_asked(roster, clients, forgotten_), interactions};
    using Ledger = std::remove_cvref_t<decltype(ledger)>;
    if constexpr (Ledger::accounted)
      if (ledger.has_budget())
        ledger.require_budget("Replay::step", round, policies, state.ranker, request,
                              asked_clients(roster, clients, policies.execution,
                                            [&](std::size_t, ClientId client) { return takes_part(client); }),
                              state.spent);
    last_round_ = round;
    using Rules = RoundRules<decltype(takes_part), decltype(corrected)>;
    Rules const rules{takes_part, corrected, interactions, false, options.minimum_reports};
    RoundInput<typename T::Policies, typename T::Clients, Rules> const input{
        policies, clients, states_, state.clients, RoundInfo{seed_, round, request.clients, true}, roster, rules};
    auto next = ranker;
    auto next_state = server_state;
    // Found before a message leaves: nothing that throws or is interrupted later can keep the round from being charged.
    [[maybe_unused]] PrivacyLoss worst;
    [[maybe_unused]] ChargedClients asked;
    [[maybe_unused]] ChargedClients charged;
    if constexpr (Ledger::accounted) {
      worst = ledger.worst_loss(policies, state.ranker, request);
      asked = asked_clients(roster, clients, policies.execution,
                            [&](std::size_t, ClientId client) { return takes_part(client); });
      charged = charged_clients(input);
    }
    auto outcome = [&] {
      try {
        auto out = run_round(input, next, next_state);
        if constexpr (Ledger::accounted)
          ledger.charge(policies, state.ranker, request, out.statistics, charged, state.spent);
        return out;
      } catch (...) {  // messages may have been sent before the failure
        if constexpr (Ledger::accounted) state.spent.charge(worst, asked);
        throw;
      }
    }();
    ranker = std::move(next);
    server_state = std::move(next_state);
    apply_changes(std::move(outcome.changes), states_);
    last_ = outcome.statistics;
    if constexpr (Ledger::accounted) trace_ = trace_after(trace_, ranker, server_state, last_, outcome.sent);
    ++report_.rounds;
    report_.statistics.merge(last_);
    return last_;
  }

  typename T::Ranker ranker;
  typename T::ServerState server_state{};

 private:
  friend T;

  T& training_;
  std::vector<ClientId> forgotten_;  // rising
  std::uint64_t seed_;
  std::uint32_t last_round_ = 0;  // that was replayed
  RoundStatistics last_;
  std::uint64_t trace_ = training_.state_.releases.trace;  // of the replayed rounds
  ReplayReport report_;
  std::vector<typename T::OneClientState> states_;  // of the learners; the unlearner's records stay in the training
};

/// Throws std::invalid_argument if a training cannot forget these clients: an empty list, an id twice, an id that is
/// not in the population, never took part or is already forgotten, or no client that is left.
template <class Policies, Population Clients, Execution E>
void require_forgettable(std::vector<ClientId> ids, Clients const& clients,
                         TrainingState<Policies, Clients> const& state, E const& execution) {
  require(!ids.empty(), "Training::forget", "at least one client", ids.size());
  std::ranges::sort(ids);
  auto const twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end())
    throw_requirement("Training::forget", "each client once", "client " + std::to_string(*twice) + " twice");
  auto const found = known_ids(clients, ids, execution);
  for (ClientId id : ids) {
    require(std::ranges::binary_search(found, id), "Training::forget", "a client of the population", id);
    require(!std::ranges::binary_search(state.forgotten, id), "Training::forget", "a client that is not yet forgotten",
            id);
  }
  std::vector<ClientId> never = ids;
  for (std::uint32_t round = 1; round <= state.round && !never.empty(); ++round) {
    Roster const roster = roster_of(clients, state.seed, round);
    for (std::size_t block = 0; block < roster.blocks(); ++block)
      roster.for_each_in(block, [&](std::size_t position) {
        ask_sometimes(execution, position);
        std::erase(never, clients[position].id);
      });
  }
  require(never.empty(), "Training::forget", "a client that took part in a round", never.empty() ? 0 : never.front());
  require(ids.size() + state.forgotten.size() < clients.size(), "Training::forget", "a client that stays",
          "all clients of the population");
}

}  // namespace fltr::detail
