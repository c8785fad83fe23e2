#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fltr {

/// What a simulation counts in a round. None of it is part of a message.
struct Tally {
  double ndcg_sum = 0.0;       ///< nDCG@10 of the lists shown; 0 where nothing is relevant
  std::uint64_t lists = 0;     ///< shown
  double objective_sum = 0.0;  ///< what the learner itself optimises, where it reports it
  std::uint64_t objectives = 0;
  std::uint64_t reported = 0;   ///< clients whose message was used
  std::uint64_t rejected = 0;   ///< clients whose message did not pass the screen
  std::uint64_t dropped = 0;    ///< clients that were asked and did not answer, before or in the phase of the message
  std::uint64_t withdrawn = 0;  ///< clients whose message an unlearner withdrew in a replay
  std::uint64_t noiseless = 0;  ///< of those reported: attackers, whose messages no privatizer saw
  double smallest_weight = std::numeric_limits<double>::infinity();  ///< of a used message of an honest client …
  double largest_weight = 0.0;                                       ///< … and the largest

  std::uint64_t dimension = 0;  ///< the most values in a used message
  bool discarded = false;       ///< too few messages, or a seal that could not be opened: the ranker stayed as it was

  /// The mean nDCG@10 of the lists that users saw.
  [[nodiscard]] double online_ndcg() const noexcept { return lists > 0 ? ndcg_sum / static_cast<double>(lists) : 0.0; }
  /// The mean of the learner's own objective.
  [[nodiscard]] double objective() const noexcept {
    return objectives > 0 ? objective_sum / static_cast<double>(objectives) : 0.0;
  }

  /// Counts a message that passed the screen. An attacker's weight (see weight_of) is ignored: its
  /// message carries no noise.
  void use(double weight, std::size_t values, bool by_attacker) noexcept {
    ++reported;
    dimension = std::max<std::uint64_t>(dimension, values);
    if (by_attacker) {
      ++noiseless;
      return;
    }
    smallest_weight = std::min(smallest_weight, weight);
    largest_weight = std::max(largest_weight, weight);
  }

  void merge(Tally const& other) {
    ndcg_sum += other.ndcg_sum;
    lists += other.lists;
    objective_sum += other.objective_sum;
    objectives += other.objectives;
    reported += other.reported;
    rejected += other.rejected;
    dropped += other.dropped;
    withdrawn += other.withdrawn;
    noiseless += other.noiseless;
    smallest_weight = std::min(smallest_weight, other.smallest_weight);
    largest_weight = std::max(largest_weight, other.largest_weight);
    dimension = std::max(dimension, other.dimension);
    discarded = discarded || other.discarded;
  }

  auto fields(auto&& visit) {
    return visit(ndcg_sum, lists, objective_sum, objectives, reported, rejected, dropped, withdrawn, noiseless,
                 smallest_weight, largest_weight, dimension, discarded);
  }
};

}  // namespace fltr
