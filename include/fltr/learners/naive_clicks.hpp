#pragma once

#include <cmath>
#include <cstdint>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/learners/additive_loss.hpp>
#include <fltr/learners/detail/click_steps.hpp>
#include <fltr/learners/learner_workspace.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// Learns from logged clicks as if a click meant relevance: every click has weight 1. Documents at the top get more
/// clicks, so position bias remains. The baseline of FedIPS.
template <AdditiveLoss G = AverageRank>
struct NaiveClicks {
  using Message = LocalWeights;
  using Workspace = LearnerWorkspace;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1e-3F;
  G loss{};

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "NaiveClicks", "a finite learning_rate >= 0",
            learning_rate);
    return detail::click_steps(local, client, session, learning_rate, loss, [](Impression const&) { return 1.0; });
  }
};

}  // namespace fltr
