#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/core/fingerprint.hpp>

namespace fltr::detail {

/// The rounds of a training of which messages may have left the clients, and those that its privacy account has. A call of
/// `forget` begins a new branch, on which the training sends other messages than it would have sent without it. A round that
/// is run again on the same branch sends the same messages with the same noise and is charged once.
struct Releases {
  std::uint64_t branch = 0;                          ///< the present one; 0: before the first `forget`
  std::map<std::uint64_t, std::uint32_t> charged{};  ///< by branch: the last round that the account has
  std::uint32_t begun = 0;                           ///< the last round of this branch of which messages may have left
  bool failed = false;  ///< whether a round that is not charged began in this process and failed

  /// The last round of this branch that the account has.
  [[nodiscard]] std::uint32_t last_charged() const {
    auto const found = charged.find(branch);
    return found == charged.end() ? 0 : found->second;
  }
  /// The account has the rounds of this branch up to this one.
  void charge(std::uint32_t round) {
    if (round == 0) return;
    auto& last = charged[branch];
    last = std::max(last, round);
    begun = std::max(begun, last);
    failed = failed && begun > last;
  }
  /// A call of `forget` after this round, whose replay has this seed. All rounds that were begun are charged.
  void begin_branch(std::uint32_t round, std::uint64_t seed) {
    charge(begun);
    branch = Fingerprint().add(branch).add(round).add(seed).value().low | 1U;  // never 0
    begun = 0;
    failed = false;
    auto& last = charged[branch];
    last = std::max(last, round);
    begun = last;
  }
  [[nodiscard]] bool any() const noexcept { return begun > 0 || !charged.empty(); }
  /// Whether the account of the other one has all rounds that this one's has.
  [[nodiscard]] bool part_of(Releases const& other) const {
    return std::ranges::all_of(charged, [&](auto const& entry) {
      auto const found = other.charged.find(entry.first);
      return found != other.charged.end() && entry.second <= found->second;
    });
  }
  auto fields(auto&& visit) { return visit(branch, charged, begun, failed); }
};

/// What a training has spent, and for what.
struct Account {
  PrivacyAccount spent;
  Releases releases;
};

/// Completes a saved state that takes the place of the state `now` of a training: what the training has spent stays
/// spent. On another branch than that of the saved state, all rounds of `now` that were begun must be charged. Throws
/// std::invalid_argument if each of the two accounts has rounds that the other one does not have: their union is not known.
template <class State>
void keep_spent(Account const& now, State& saved) {
  Releases const& mine = now.releases;
  Releases& theirs = saved.releases;
  if (!mine.any()) return;
  if (mine.branch == theirs.branch) {
    theirs.begun = std::max(theirs.begun, mine.begun);
    theirs.failed = theirs.failed || mine.failed;
  }
  if (theirs.part_of(mine)) {
    saved.spent = now.spent;
    theirs.charged = mine.charged;
  } else if (!mine.part_of(theirs)) {
    throw std::invalid_argument(
        "Training: required a saved state of this training's history, got one of another history, whose privacy loss "
        "is "
        "not in this training's account; restore it into a training that has not run");
  }
  theirs.begun = std::max(theirs.begun, theirs.last_charged());
  theirs.failed = theirs.failed && theirs.begun > theirs.last_charged();
}

}  // namespace fltr::detail
