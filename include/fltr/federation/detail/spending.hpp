#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ledger.hpp>
#include <fltr/federation/detail/releases.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/detail/training_state.hpp>
#include <fltr/federation/round.hpp>

namespace fltr::detail {

/// What a training has spent, and what its next round can cost. Refers to the parts of the training.
template <class Policies, Population Clients>
struct Spending {
  Policies const& policies;
  Clients const& clients;
  RunOptions const& options;
  Ledger<Policies> const& ledger;
  TrainingState<Policies, Clients> const& state;

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
    for (std::uint32_t round = state.releases.last_charged() + 1; round <= state.releases.begun; ++round) {
      auto const asked = roster(round);
      account.charge(ledger.worst_loss(policies, state.ranker, request_of(asked)), asked_in(asked));
    }
  }
  /// The largest loss of a client, with a round that failed.
  [[nodiscard]] PrivacyLoss total() const {
    return with_failed([this](PrivacyAccount const& spent) { return ledger.total(spent); });
  }
  /// The loss of one client, with a round that failed.
  [[nodiscard]] PrivacyLoss total_of(std::size_t position) const {
    return with_failed([&](PrivacyAccount const& spent) { return ledger.total_of(position, spent); });
  }

 private:
  template <class Total>
  [[nodiscard]] PrivacyLoss with_failed(Total const& total) const {
    if (!state.releases.failed) return assumed(total(state.spent));
    PrivacyAccount all = state.spent;
    charge_begun(all);
    return assumed(total(all));
  }
  /// A loss with the assumption of a training that continues another one.
  [[nodiscard]] PrivacyLoss assumed(PrivacyLoss loss) const {
    if (state.releases.assumes_last || state.releases.restored_last)
      loss.assumption += std::string(loss.assumption.empty() ? "" : "; ") +
                         "assumes that the training that saved this state ran no further round";
    return loss;
  }
};

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
    theirs.failed = theirs.failed || mine.failed;
  } else {  // rounds that were begun and not charged may not be run again, or send other messages
    now.charge_begun(saved.spent);
    auto const here = theirs.branches.find(mine.branch);
    if (known) here->second.charged = std::max(here->second.charged, mine.begun);
  }
  theirs.begun = std::max(theirs.begun, theirs.last_charged());
  theirs.failed = theirs.failed && theirs.begun > theirs.last_charged();
  theirs.lost_replay = theirs.lost_replay || mine.lost_replay;
  if (theirs.lost_replay) charge_lost_replay(saved.spent);
}

}  // namespace fltr::detail
