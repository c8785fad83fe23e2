#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// A call of `forget`. After it, the training sends other messages than it would have sent without it.
struct Branch {
  std::uint32_t round = 0;  ///< the last round before the call
  std::uint64_t seed = 0;   ///< of the replay: a function of the forgotten clients and the number of failed replays

  [[nodiscard]] friend bool operator==(Branch const&, Branch const&) = default;
  auto fields(auto&& visit) { return visit(round, seed); }
};

/// The rounds of a training of which messages may have left the clients, and those that its privacy account has. A round
/// that is run again on the same branch sends the same messages with the same noise and is charged once.
struct Releases {
  std::vector<Branch> branches{};  ///< in the order of the calls of `forget`; the last one is the present branch
  std::uint32_t charged = 0;       ///< the last round of this branch that the account has
  std::uint32_t begun = 0;         ///< the last round of this branch of which messages may have left
  bool failed = false;             ///< whether a round after `charged` began in this process and failed

  [[nodiscard]] bool any() const noexcept { return begun > 0 || !branches.empty(); }
  /// Whether all releases of this history are releases of the other one as well.
  [[nodiscard]] bool part_of(Releases const& other) const {
    if (branches.size() > other.branches.size() ||
        !std::equal(branches.begin(), branches.end(), other.branches.begin()))
      return false;
    return begun <= (branches.size() == other.branches.size() ? other.begun : other.branches[branches.size()].round);
  }
  auto fields(auto&& visit) { return visit(branches, charged, begun, failed); }
};

/// Completes a saved state that takes the place of the state `now` of a training: what the training has spent stays
/// spent. Rounds that the saved branch runs again are charged again, unless both states are on the same branch. Throws
/// std::invalid_argument if each of the two histories has releases that the other one does not have.
template <class State>
void keep_spent(State const& now, State& saved) {
  Releases const& mine = now.releases;
  Releases& theirs = saved.releases;
  if (mine.branches == theirs.branches) {
    if (mine.charged > theirs.charged) {
      saved.spent = now.spent;
      theirs.charged = mine.charged;
    }
    theirs.begun = std::max(theirs.begun, mine.begun);
    theirs.failed = (theirs.failed || mine.failed) && theirs.begun > theirs.charged;
  } else if (theirs.part_of(mine)) {
    saved.spent = now.spent;
    theirs = {theirs.branches, saved.round, saved.round, false};
  } else if (!mine.part_of(theirs)) {
    throw std::invalid_argument(
        "Training: required a saved state of this training's history, got one of another history, whose privacy loss "
        "is "
        "not in this training's account; restore it into a training that has not run");
  }
}

}  // namespace fltr::detail
