#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/federation/step.hpp>

namespace fltr {

/// The seed of a replay: a function of the run's seed and the set of forgotten clients. After replays that failed it
/// also depends on their number, so that a second attempt does not repeat the noise of the first one.
[[nodiscard]] inline std::uint64_t replay_seed(std::uint64_t seed, std::vector<ClientId> const& gone,
                                               std::uint32_t failed_replays = 0) {
  FieldWriter writer;
  writer.write(seed);
  writer.write(gone);
  if (failed_replays > 0) writer.write(failed_replays);
  return std::stoull(sha256_hex(writer.bytes()).substr(0, 16), nullptr, 16);
}

/// What an Unlearner drives: rounds of a Training run again from the start model, without some clients. It starts
/// clean: learners' states are empty, and its random numbers are shared with no other round. Each replayed round is
/// paid for like any other, also if the replay fails later.
template <class T>
class Replay {
  using Message = typename T::Message;
  using Kept = State<typename T::Unlearner>;

 public:
  Replay(T& training, std::vector<ClientId> gone)
      : ranker(training.start_),
        training_(training),
        gone_(std::move(gone)),
        seed_(replay_seed(training.options_.seed, gone_, training.failed_replays_)),
        states_(training.states_.size()) {}

  /// How many rounds there were.
  [[nodiscard]] std::uint32_t rounds() const noexcept { return training_.number_; }
  /// The clients that do not take part, by id: those to be forgotten now and those forgotten before.
  [[nodiscard]] std::vector<ClientId> const& forgotten() const& noexcept { return gone_; }

  /// Runs a round again with those who were asked then and are not forgotten: `interactions` per client, but never
  /// more than its own number (0: its own number), and `correct(kept, round, global, message)` at each client before
  /// its message leaves. `correct` may return false to withdraw the message: `withdrawn` of the Tally counts these.
  /// Other queries are asked and other clicks made than the first time. Rounds must rise: a round that runs twice would
  /// use its noise twice.
  ///
  /// Throws std::runtime_error if the round could overspend the privacy budget.
  template <class Correct>
  Tally step(std::uint32_t round, std::uint32_t interactions, Correct const& correct) {
    static_assert(
        std::invocable<Correct const&, Kept const&, std::uint32_t, typename T::Ranker const&, Message&>,
        "fltr: 'correct' of Replay::step must be callable as correct(State const& kept, std::uint32_t round, Ranker "
        "const& global, Message&)");
    using Result =
        std::invoke_result_t<Correct const&, Kept const&, std::uint32_t, typename T::Ranker const&, Message&>;
    static_assert(std::is_void_v<Result> || std::same_as<Result, bool>,
                  "fltr: 'correct' of Replay::step must return nothing, or a bool (false: the message is withdrawn)");
    require(round > at_ && round <= rounds(), "Replay::step",
            "a round from " + std::to_string(at_ + 1) + " to " + std::to_string(rounds()), round);
    auto const corrected = [&](Kept const& kept, std::uint32_t number, typename T::Ranker const& global,
                               Message& message) {
      if constexpr (std::is_void_v<Result>) {
        correct(kept, number, global, message);
        return true;
      } else {
        return correct(kept, number, global, message);
      }
    };
    auto const stays = [this](ClientId client) { return !std::ranges::binary_search(gone_, client); };
    Roster const roster = training_.roster_of(round);
    std::size_t const participants = training_.participants(roster, gone_);
    if (training_.overspends(participants, interactions))
      training_.throw_overspent("Replay::step", round, participants, interactions);
    at_ = round;
    RoundRules<decltype(stays), decltype(corrected)> const rules{stays, corrected, interactions, false,
                                                                 training_.options_.minimum_reports};
    Step again(training_.policies_, training_.clients_, states_, training_.states_,
               RoundInfo{seed_, round, participants, true}, roster, rules);
    auto outcome = again.run(ranker, server_state);
    training_.charge(outcome, participants, interactions);
    T::apply(std::move(outcome.changes), states_);
    last_ = outcome.tally;
    return last_;
  }

  typename T::Ranker ranker;
  typename T::ServerState server_state{};

 private:
  friend T;

  T& training_;
  std::vector<ClientId> gone_;  // sorted
  std::uint64_t seed_;
  std::uint32_t at_ = 0;  // the last round that was replayed
  Tally last_;
  std::vector<typename T::OneClientState> states_;  // of the learners; the unlearner's records stay where they are
};

}  // namespace fltr
