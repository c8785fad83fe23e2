#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <fltr/concepts/privatizer.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr {

/// The options of a training.
struct RunOptions {
  std::uint64_t seed = 1;             ///< public: all noise of the simulation can be computed from it
  std::uint64_t minimum_reports = 1;  ///< with fewer messages, a round leaves the ranker unchanged
  /// Of epsilon_accounted: a round that could exceed it does not run. With it, (epsilon_budget, delta) holds at every stop,
  /// also one that was chosen from the models, if the price of a round does not depend on them.
  double epsilon_budget = std::numeric_limits<double>::infinity();
  double delta = 1e-5;  ///< of the bound on the privacy loss of all rounds; 0: only pure bounds
};

/// The result of a round: a value with a copy of the ranker.
template <class R>
struct Round {
  std::uint32_t number = 0;  ///< counting from 1; 0: the start model
  R ranker;
  RoundStatistics statistics;
  std::optional<PrivacyLoss> privacy;  ///< of all rounds so far, of the worst client; none: no guarantee
  std::uint32_t discarded_rounds = 0;  ///< rounds so far that were discarded; equal to `number`: the start model
};

}  // namespace fltr
