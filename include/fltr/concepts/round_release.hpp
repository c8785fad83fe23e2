#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <fltr/concepts/privacy_loss.hpp>

namespace fltr {

/// What the server sees of the messages of a round.
enum class ServerView : std::uint8_t {
  sealed_sum,   ///< only the sum, because messages are sealed
  assumed_sum,  ///< the server receives every message; the loss assumes that it keeps only the sum
  messages,     ///< every message; or attackers see every message and can pass it on to the server
};

/// What one round reveals: the facts on which the price of a message depends. Before a round it describes the worst
/// case that the rules allow (for the budget), after the round what happened.
struct RoundRelease {
  std::uint64_t asked = 0;                ///< clients that were asked
  std::uint64_t reported = 0;             ///< clients whose messages were used
  std::uint64_t rejected = 0;             ///< clients whose messages arrived and were rejected
  std::uint64_t late = 0;                 ///< clients whose messages reach the server after the round; not in the sum
  std::uint64_t noiseless = 0;            ///< attackers among the reported clients; their messages have no noise
  std::size_t dimension = 0;              ///< number of values in a message
  std::uint32_t interactions = 0;         ///< largest number that any client was asked for
  std::uint32_t fewest_interactions = 0;  ///< smallest number that any client was asked for
  double smallest_weight = 1.0;           ///< smallest weight of an honest message in the sum
  double largest_weight = 1.0;            ///< largest weight of an honest message in the sum
  ServerView view = ServerView::assumed_sum;
  bool discarded = false;   ///< fewer messages than the rules require; the sum was not used. Not set if clients were
                            ///< asked to open a seal: answers that come late, or from colluding clients, open it too
  bool altered = false;     ///< a message changes after its noise was added: by a later link of a Chain that has no
                            ///< `loss`, or by an aggregator that is not linear
  double sum_step = 0.0;    ///< sealed sums: the step of the whole numbers that are added up (FixedPoint); 0: not known
  bool sum_clamps = false;  ///< sealed sums: each client clamps its numbers (FixedPoint::clamp)
  /// Sealed sums: why the server could open a sum of fewer messages than the rules require; `view` is then `messages`.
  /// Empty: it could not.
  std::string partial_sums{};

  [[nodiscard]] friend bool operator==(RoundRelease const&, RoundRelease const&) = default;
};

}  // namespace fltr
