#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <fltr/concepts/privatizer.hpp>
#include <fltr/federation/tally.hpp>

namespace fltr {

/// How a training is run.
struct RunOptions {
  std::uint64_t seed = 1;             ///< public: whoever knows it can compute all noise of the simulation
  std::uint64_t minimum_reports = 1;  ///< with fewer, the model stays as it is in that round
  double epsilon_budget = std::numeric_limits<double>::infinity();  ///< accounted; rounds end before it is overspent
};

/// The result of a round: a plain value with a copy of the ranker, so that nothing dangles.
template <class R>
struct Round {
  std::uint32_t number = 0;  ///< counting from 1; 0 is the start model
  R ranker;
  Tally tally;
  std::optional<PrivacyLoss> privacy;  ///< spent so far by a client that took part in every round; none: no guarantee
};

}  // namespace fltr
