#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ledger.hpp>
#include <fltr/federation/detail/releases.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/detail/round_input.hpp>
#include <fltr/federation/detail/training_state.hpp>
#include <fltr/federation/round.hpp>

namespace fltr::detail {

/// What a training has spent, with all rounds that were begun: an upper bound until they are run again. Kept by a training
/// that has many of them to run again, because adding them up after each round takes time.
struct BegunAccount {
  std::uint64_t branch;
  std::uint32_t charged;  ///< the last round that the training's account had
  std::uint32_t begun;
  PrivacyAccount account;

  static constexpr std::uint32_t fewest_rounds = 32;  ///< fewer are added up again
  [[nodiscard]] bool holds(Releases const& now) const {
    return branch == now.branch && begun == now.begun && charged <= now.last_charged() &&
           begun >= now.last_charged() + fewest_rounds;
  }
};

/// What a training has spent, and what its next round can cost. Refers to the parts of the training.
template <class Policies, Population Clients>
struct Spending {
  Policies const& policies;
  Clients const& clients;
  RunOptions const& options;
  Ledger<Policies> const& ledger;
  TrainingState<Policies, Clients> const& state;
  std::optional<BegunAccount> const& all_begun;

  [[nodiscard]] Roster roster(std::uint32_t round) const { return roster_of(clients, options.seed, round); }
  [[nodiscard]] RoundRequest request_of(Roster const& roster) const {
    return {count_asked(roster, clients, state.forgotten), 0};
  }
  /// The clients of a roster that are not forgotten.
  [[nodiscard]] ChargedClients asked_in(Roster const& roster) const {
    if (roster.size() == clients.size() && state.forgotten.empty()) return {};
    return asked_clients(roster, clients, policies.execution, [this](std::size_t, ClientId client) {
      return !std::ranges::binary_search(state.forgotten, client);
    });
  }

  /// Whether the next round is charged already: it is run again.
  [[nodiscard]] bool next_is_charged() const { return state.round < state.releases.last_charged(); }
  /// Throws std::runtime_error if the next round is not charged yet and could exceed the budget.
  void require_budget(Roster const& roster, RoundRequest request) const {
    if (!next_is_charged() && ledger.has_budget())
      ledger.require_budget("Training::advance", state.round + 1, policies, state.ranker, request, asked_in(roster),
                            state.spent);
  }
  [[nodiscard]] bool exhausted() const {
    if (!ledger.has_budget() || next_is_charged()) return false;
    auto const next = roster(state.round + 1);
    return ledger.exceeds(policies, state.ranker, request_of(next), asked_in(next), state.spent);
  }
  [[nodiscard]] PrivacyLoss worst_loss() const {
    return ledger.worst_loss(policies, state.ranker, request_of(roster(state.round + 1)));
  }
  [[nodiscard]] PrivacyLoss worst_total() const {
    auto const next = roster(state.round + 1);
    return assumed(ledger.worst_total(policies, state.ranker, request_of(next), asked_in(next), state.spent));
  }

  /// Charges the rounds of this branch of which messages may have left, and which the account does not have.
  void charge_begun(PrivacyAccount& account) const {
    for (std::uint32_t round = state.releases.last_charged() + 1; round <= state.releases.begun; ++round)
      charge_worst(round, account);
  }
  void charge_worst(std::uint32_t round, PrivacyAccount& account) const {
    auto const asked = roster(round);
    account.charge(ledger.worst_loss(policies, state.ranker, request_of(asked)), asked_in(asked));
  }
  /// Whether many rounds are to be run again, and the account with all of them has none or too many of those that were.
  [[nodiscard]] bool needs_all_begun() const {
    std::uint32_t const left = state.releases.begun - std::min(state.releases.begun, state.releases.last_charged());
    if (left < BegunAccount::fewest_rounds) return false;
    return !all_begun || !all_begun->holds(state.releases) || left <= (all_begun->begun - all_begun->charged) / 2;
  }
  [[nodiscard]] BegunAccount with_all_begun() const {
    BegunAccount out{state.releases.branch, state.releases.last_charged(), state.releases.begun, state.spent};
    charge_begun(out.account);
    return out;
  }
  /// The largest loss of a client in the rounds that the account has.
  [[nodiscard]] PrivacyLoss charged() const { return assumed(ledger.total(state.spent)); }
  /// The largest loss of a client, with the rounds that `charge_begun` charges.
  [[nodiscard]] PrivacyLoss total() const {
    return with_begun([this](PrivacyAccount const& spent) { return ledger.total(spent); });
  }
  /// The same of one client.
  [[nodiscard]] PrivacyLoss total_of(std::size_t position) const {
    return with_begun([&](PrivacyAccount const& spent) { return ledger.total_of(position, spent); });
  }

 private:
  template <class Total>
  [[nodiscard]] PrivacyLoss with_begun(Total const& total) const {
    if (state.releases.begun <= state.releases.last_charged()) return assumed(total(state.spent));
    if (all_begun && all_begun->holds(state.releases)) return assumed(total(all_begun->account));
    return assumed(total(with_all_begun().account));
  }
  /// A loss with the assumption of a training that continues another one.
  [[nodiscard]] PrivacyLoss assumed(PrivacyLoss loss) const {
    if (state.releases.assumes_last || state.releases.restored_last)
      loss.assumption += std::string(loss.assumption.empty() ? "" : "; ") +
                         "assumes that the training that saved this state ran no further round";
    return loss;
  }
};

/// Charges a round that is over. A round that was charged, or failed, and now sent other messages is charged once more.
template <class Policies, Population Clients, class Outcome>
void charge_round(Ledger<Policies>& ledger, Spending<Policies, Clients> const& now,
                  TrainingState<Policies, Clients>& state, RoundRequest request, ChargedClients const& charged,
                  Outcome const& outcome, typename Policies::Ranker const& next,
                  State<typename Policies::Aggregator> const& next_server) {
  Releases& releases = state.releases;
  std::uint32_t const number = state.round + 1;
  auto const trace = trace_after(releases.trace, next, next_server, outcome.statistics, outcome.sent);
  bool const again = now.next_is_charged();
  bool const other =
      again ? !releases.agrees(number, trace) : releases.failed.round == number && releases.failed.sent != outcome.sent;
  if (other) now.charge_begun(state.spent);
  if (other) releases.charge(releases.begun);
  if (other || !again) ledger.charge(now.policies, state.ranker, request, outcome.statistics, charged, state.spent);
  releases.arrive(number, trace);
}

/// A round threw. It stays begun if a message was made. The first attempt waits until it is run again; an attempt that sent
/// other messages is charged at once.
template <class Policies, Population Clients>
void charge_failed(Spending<Policies, Clients> const& now, TrainingState<Policies, Clients>& state,
                   std::uint32_t begun_before, RoundProgress const& progress) {
  Releases& releases = state.releases;
  std::uint32_t const number = state.round + 1;
  if (!progress.released) releases.begun = begun_before;
  if (!progress.sent || now.next_is_charged()) return;
  if (releases.failed.round != number)
    releases.failed = {number, *progress.sent};
  else if (releases.failed.sent != *progress.sent)
    now.charge_worst(number, state.spent);
}

/// No bound holds after the replay of a process that was killed.
inline void charge_lost_replay(PrivacyAccount& account) {
  PrivacyLoss unknown;
  unknown.unbound("a process was killed inside of forget, and what its replay released is not known");
  account.charge(unknown, {});
}

/// Completes a saved state that takes the place of the state of a training: what the training has spent stays spent.
/// Throws std::invalid_argument if each of the two accounts has rounds that the other one does not have: their union is not
/// known.
template <class Policies, Population Clients>
void keep_spent(Spending<Policies, Clients> const& now, TrainingState<Policies, Clients>& saved) {
  Releases const& mine = now.state.releases;
  Releases& theirs = saved.releases;
  bool const known = mine.any() && theirs.part_of(mine);
  if (!known && mine.any() && !mine.part_of(theirs))
    throw std::invalid_argument(
        "Training: required a saved state of this training's history, got one of another history, whose privacy loss "
        "is not in this training's account; restore it into a training that has not run");
  if (known) {
    saved.spent = now.state.spent;
    theirs.branches = mine.branches;
    theirs.assumes_last = mine.assumes_last;
    theirs.restored_last = mine.restored_last;
  } else {  // the rounds of another training
    theirs.assumes_last = theirs.assumes_last || theirs.restored_last || mine.assumes_last || mine.restored_last;
    theirs.restored_last = theirs.any();
  }
  if (known && mine.branch == theirs.branch) {
    theirs.begun = std::max(theirs.begun, mine.begun);
    if (mine.failed.round > 0) theirs.failed = mine.failed;
  } else {  // rounds that were begun and not charged may not be run again, or send other messages
    now.charge_begun(saved.spent);
    auto const here = theirs.branches.find(mine.branch);
    if (known) here->second.charged = std::max(here->second.charged, mine.begun);
  }
  theirs.begun = std::max(theirs.begun, theirs.last_charged());
  theirs.lost_replay = theirs.lost_replay || mine.lost_replay;
  if (theirs.lost_replay) charge_lost_replay(saved.spent);
}

}  // namespace fltr::detail
