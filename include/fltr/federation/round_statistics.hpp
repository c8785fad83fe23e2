#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The counts and sums of one round of a simulation. They are not part of any message. No ε covers the sums, `lists`,
/// `objectives` and `zero_updates`: they are exact functions of clicks and of other data of the clients.
struct RoundStatistics {
  double ndcg_sum = 0.0;       ///< nDCG@10 of the displayed lists; 0 for a query without relevant documents
  std::uint64_t lists = 0;     ///< displayed
  double objective_sum = 0.0;  ///< values that the learner reported (session.report)
  std::uint64_t objectives = 0;
  std::uint64_t reported = 0;      ///< clients whose messages were accepted
  std::uint64_t rejected = 0;      ///< clients whose messages did not fit (see MessageFor)
  std::uint64_t dropped = 0;       ///< clients that were asked and did not answer, up to the phase of the message
  std::uint64_t late = 0;          ///< of these, clients whose messages reach the server after the round
  std::uint64_t withdrawn = 0;     ///< clients whose messages a replay withdrew
  std::uint64_t unrecorded = 0;    ///< clients without a record of the replayed round (Correction::unrecorded)
  std::uint64_t zero_updates = 0;  ///< clients whose updates in a replay had length 0 (Correction::zero)
  std::uint64_t noiseless = 0;     ///< attackers among the reported clients; their messages are not privatized
  double smallest_weight = std::numeric_limits<double>::infinity();  ///< of an accepted honest message
  double largest_weight = 0.0;                                       ///< of an accepted honest message

  std::uint64_t dimension = 0;  ///< largest number of values in an accepted message
  bool discarded = false;       ///< too few messages, or a seal that could not be opened; the ranker is unchanged;
                                ///< Training::discarded_rounds counts such rounds
  bool unsealing = false;       ///< clients were asked to open the seal: the server may know the sum, discarded or not

  /// The mean nDCG@10 of the displayed lists.
  [[nodiscard]] double online_ndcg() const noexcept { return lists > 0 ? ndcg_sum / static_cast<double>(lists) : 0.0; }
  /// The mean of the values that the learner reported.
  [[nodiscard]] double objective() const noexcept {
    return objectives > 0 ? objective_sum / static_cast<double>(objectives) : 0.0;
  }

  /// Counts an accepted message. The weight of an attacker's message is ignored, because the message has no noise.
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

  void merge(RoundStatistics const& other) {
    ndcg_sum += other.ndcg_sum;
    lists += other.lists;
    objective_sum += other.objective_sum;
    objectives += other.objectives;
    reported += other.reported;
    rejected += other.rejected;
    dropped += other.dropped;
    late += other.late;
    withdrawn += other.withdrawn;
    unrecorded += other.unrecorded;
    zero_updates += other.zero_updates;
    noiseless += other.noiseless;
    smallest_weight = std::min(smallest_weight, other.smallest_weight);
    largest_weight = std::max(largest_weight, other.largest_weight);
    dimension = std::max(dimension, other.dimension);
    discarded = discarded || other.discarded;
    unsealing = unsealing || other.unsealing;
  }

  auto fields(auto&& visit) {
    return visit(ndcg_sum, lists, objective_sum, objectives, reported, rejected, dropped, late, withdrawn, unrecorded,
                 zero_updates, noiseless, smallest_weight, largest_weight, dimension, discarded, unsealing);
  }
};

}  // namespace fltr
