#pragma once

#include <cmath>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/learners/click_steps.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// Learns from logged clicks as if they told what is relevant: each counts the same. What stood on top is clicked more,
/// and is held to be better. The baseline that FedIPS is compared with.
template <AdditiveLoss G = AverageRank>
struct NaiveClicks {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1e-3F;
  G loss{};

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "NaiveClicks", "a finite learning_rate >= 0",
            learning_rate);
    return click_steps(local, client, session, learning_rate, loss, [](Shown const&) { return 1.0; });
  }
};

}  // namespace fltr
