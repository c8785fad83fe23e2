#pragma once

#include <cstdint>

#include <fltr/federation/step.hpp>

namespace fltr {

/// What an Unlearner drives: rounds of a Training run again from the start model, without some clients.
template <class T>
class Replay {
 public:
  explicit Replay(T& training) : ranker(training.start_), training_(training) {}

  /// How many rounds there were.
  [[nodiscard]] std::uint32_t rounds() const noexcept { return training_.number_; }

  /// Runs a round again: `interactions` per client instead of its own number (unless 0), and
  /// `correct(kept, round, global, message)` at each client before its message leaves. Other queries are asked and
  /// other clicks made than the first time.
  template <class Correct>
  Tally step(std::uint32_t round, std::uint32_t interactions, Correct const& correct) {
    auto const& seed = training_.options_.seed;
    Roster const roster(training_.clients_, round, Streams{seed, round}.of(Purpose::participants));
    auto const stays = [this](ClientId client) { return !training_.forgotten(client); };
    std::size_t const participants = training_.participants(roster);
    RoundRules<decltype(stays), Correct> const rules{stays, correct, interactions, false,
                                                     training_.options_.minimum_reports};
    Step again(training_.policies_, training_.clients_, training_.states_, RoundInfo{seed, round, participants, true},
               roster, rules);
    if constexpr (T::accounted) training_.spent_ += training_.next_loss(participants);
    return again.run(ranker, server_state);
  }

  typename T::Ranker ranker;
  typename T::ServerState server_state{};

 private:
  T& training_;
};

}  // namespace fltr
