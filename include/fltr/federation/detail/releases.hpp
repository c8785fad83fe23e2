#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <fltr/core/content_hash.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr::detail {

/// The trace of a training at its start: a hash of the privatizer and of the start ranker.
template <class Privatizer, class Ranker>
[[nodiscard]] std::uint64_t trace_at_start(Privatizer const& privatizer, Ranker const& ranker) {
  Fingerprint out;
  if constexpr (Fingerprint::sees<Privatizer>()) out.add(privatizer);
  if constexpr (HasFields<Ranker>) out.add(content_hash(field_bytes(ranker)).low);
  return out.value().low;
}

/// The trace after a round: a hash of the trace before it, the privatized messages (`sent`), the ranker, the server's state
/// and the statistics. Two histories with the same trace sent the same messages in all rounds. Late messages of a learner
/// without a state do not count, because nobody computes them.
template <class Ranker, class ServerState>
[[nodiscard]] std::uint64_t trace_after(std::uint64_t before, Ranker const& ranker, ServerState const& server,
                                        RoundStatistics const& statistics, std::uint64_t sent) {
  FieldWriter out;
  out.write(before);
  out.write(sent);
  if constexpr (HasFields<Ranker>)
    out.write(ranker);
  else if constexpr (requires { ranker.parameters(); })
    for (float const parameter : ranker.parameters()) out.write(parameter);
  out.write(server);
  out.write(statistics);
  return content_hash(out.bytes()).low;
}

/// The rounds of a training of which messages may have left the clients, and those that its privacy account has. A call of
/// `forget` begins a new branch, on which the training sends other messages than it would have sent without it. A round that
/// is run again from the same trace on the same branch sends the same messages with the same noise and is charged once.
struct Releases {
  /// The charged rounds of a branch.
  struct Branch {
    std::uint32_t first = 0;              ///< the round at which the branch begins
    std::uint32_t charged = 0;            ///< the last round that the account has
    std::vector<std::uint64_t> traces{};  ///< after `first` and each round that ended; a failed round has none

    [[nodiscard]] std::optional<std::uint64_t> trace_of(std::uint32_t round) const {
      if (round < first || round - first >= traces.size()) return std::nullopt;
      return traces[round - first];
    }
    /// Whether the branch has this trace after this round; it is added at the end.
    [[nodiscard]] bool takes(std::uint32_t round, std::uint64_t with) {
      if (traces.empty()) first = round;
      if (round >= first && round - first == traces.size()) traces.push_back(with);
      return trace_of(round) == with;
    }
    /// Whether `other` has all rounds of this one.
    [[nodiscard]] bool part_of(Branch const& other) const {
      return first == other.first && charged <= other.charged && traces.size() <= other.traces.size() &&
             std::equal(traces.begin(), traces.end(), other.traces.begin());
    }
    [[nodiscard]] bool consistent(std::uint32_t limit) const {
      return !traces.empty() && first < limit && traces.size() <= limit - first && charged < limit &&
             charged >= first + (traces.size() - 1);
    }
    auto fields(auto&& visit) { return visit(first, charged, traces); }
  };

  std::uint64_t branch = 0;  ///< the present one; 0: before the first `forget`
  std::uint64_t trace = 0;   ///< the present one; the branch has it
  std::map<std::uint64_t, Branch> branches{};
  /// The last round of this branch of which messages may have left. Those that the account does not have failed, were
  /// interrupted, or were begun by a process that was killed.
  std::uint32_t begun = 0;
  struct Failed {
    std::uint32_t round = 0;  ///< 0: none
    std::uint64_t sent = 0;   ///< see Contribution
    auto fields(auto&& visit) { return visit(round, sent); }
  };
  Failed failed{};             ///< the first attempt at a round that failed after all its messages were made
  bool assumes_last = false;   ///< whether the account assumes that an earlier training ran no further round
  bool restored_last = false;  ///< the same, until a Checkpointer knows which rounds the earlier training began
  bool lost_replay = false;    ///< whether a process was killed inside of `forget`

  /// The last round of this branch that the account has.
  [[nodiscard]] std::uint32_t last_charged() const {
    auto const found = branches.find(branch);
    return found == branches.end() ? 0 : found->second.charged;
  }
  /// Whether a charged round of this branch ended with this trace. A charged round that failed may end with any.
  [[nodiscard]] bool agrees(std::uint32_t round, std::uint64_t with) const {
    auto const found = branches.find(branch);
    return found != branches.end() && found->second.trace_of(round).value_or(with) == with;
  }
  /// The account has the rounds of this branch up to this one.
  void charge(std::uint32_t round) {
    auto& last = branches[branch].charged;
    last = std::max(last, round);
    begun = std::max(begun, last);
    if (failed.round <= last) failed = {};
  }
  /// The training is at the end of this round, which is charged, and has this trace. If the branch has another one there,
  /// a new branch begins: the clients' data changed, or a policy has a hidden state.
  void arrive(std::uint32_t round, std::uint64_t with) {
    trace = with;
    while (!branches[branch].takes(round, with)) enter(Fingerprint().add(branch).add(with));
    charge(round);
  }
  /// A call of `forget` after this round, whose replay has this seed. All rounds that were begun are charged.
  void begin_branch(std::uint32_t round, std::uint64_t seed) {
    charge(begun);
    enter(Fingerprint().add(branch).add(round).add(seed).add(trace));
    arrive(round, trace);
  }
  /// Rounds up to `last`, and no others, may have begun in another process; `ended`: this is known. The training is at `round`.
  void expect(std::uint32_t last, std::uint32_t round, bool ended) {
    begun = std::max(begun, last);
    if (last > round || (ended && last == round)) restored_last = false;
  }
  [[nodiscard]] bool any() const noexcept {
    return begun > 0 || std::ranges::any_of(branches, [](auto const& entry) { return entry.second.charged > 0; });
  }
  /// Whether the account of the other one has all rounds that this one's has.
  [[nodiscard]] bool part_of(Releases const& other) const {
    return std::ranges::all_of(branches, [&](auto const& entry) {
      auto const found = other.branches.find(entry.first);
      return found != other.branches.end() && entry.second.part_of(found->second);
    });
  }
  /// Whether this can be the releases of a training after this round, for values that were read from bytes. All rounds are
  /// below `limit`.
  [[nodiscard]] bool consistent(std::uint32_t round, std::uint32_t limit) const {
    auto const now = branches.find(branch);
    return now != branches.end() && now->second.trace_of(round) == trace && begun < limit &&
           begun >= now->second.charged &&
           std::ranges::all_of(branches, [&](auto const& entry) { return entry.second.consistent(limit); });
  }
  auto fields(auto&& visit) {
    return visit(branch, trace, branches, begun, failed, assumes_last, restored_last, lost_replay);
  }

 private:
  void enter(Fingerprint const& id) {
    branch = id.value().low | 1U;  // never 0
    begun = 0;
    failed = {};
  }
};

}  // namespace fltr::detail
