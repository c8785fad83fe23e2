#pragma once

#include <cstdint>

namespace fltr {

/// What a simulation counts in a round. None of it is part of a message.
struct Tally {
  double ndcg_sum = 0.0;       ///< nDCG@10 of the lists shown; 0 where nothing is relevant
  std::uint64_t lists = 0;     ///< shown
  double objective_sum = 0.0;  ///< what the learner itself optimises, where it reports it
  std::uint64_t objectives = 0;
  std::uint64_t reported = 0;  ///< clients whose message was used
  std::uint64_t rejected = 0;  ///< clients whose message did not pass the screen
  std::uint64_t dropped = 0;   ///< clients that were asked and did not report

  /// The mean nDCG@10 of the lists that users saw.
  [[nodiscard]] double online_ndcg() const noexcept { return lists > 0 ? ndcg_sum / static_cast<double>(lists) : 0.0; }
  /// The mean of the learner's own objective.
  [[nodiscard]] double objective() const noexcept {
    return objectives > 0 ? objective_sum / static_cast<double>(objectives) : 0.0;
  }

  void merge(Tally const& other) {
    ndcg_sum += other.ndcg_sum;
    lists += other.lists;
    objective_sum += other.objective_sum;
    objectives += other.objectives;
    reported += other.reported;
    rejected += other.rejected;
    dropped += other.dropped;
  }

  void fields(auto&& visit) { visit(ndcg_sum, lists, objective_sum, objectives, reported, rejected, dropped); }
};

}  // namespace fltr
