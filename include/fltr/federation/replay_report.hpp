#pragma once

#include <cstdint>

#include <fltr/federation/round_statistics.hpp>

namespace fltr {

/// What a replay cost: the result of Training::forget.
struct ReplayReport {
  std::uint32_t rounds = 0;  ///< that were replayed
  /// Sums over the replayed rounds. For online learners, `lists` is the number of local steps (with
  /// LocalUpdate::every_interaction), and `reported` is the number of messages.
  RoundStatistics statistics{};
};

}  // namespace fltr
