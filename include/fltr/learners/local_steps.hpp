#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// When a gradient learner changes its local weights.
enum class LocalUpdate : std::uint8_t {
  every_interaction,  ///< one step after each interaction (FedAvg)
  once,               ///< one step with the sum of the gradients of all interactions at the broadcast weights (FedSGD)
};

/// The local loop of all gradient learners: score_gradient, backward, step. `score_gradient(local, interaction)` writes
/// the score_gradient of each document of a query to the workspace and returns the query. `session.step` changes the
/// weights.
template <DifferentiableRanker R, class ScoreGradient>
void local_steps(R& local, std::uint32_t interactions, float learning_rate, LocalUpdate update, auto& session,
                 ScoreGradient const& score_gradient) {
  std::vector<float>& gradient = session.workspace.gradient;
  gradient.assign(local.parameters().size(), 0.0F);
  auto const step = [&] {
    session.step(local, std::span<float>(gradient), learning_rate);
    std::ranges::fill(gradient, 0.0F);
  };
  for (std::uint32_t i = 0; i < interactions; ++i) {
    QueryView const query = score_gradient(local, i);
    local.backward(query, session.workspace.score_gradient, gradient);
    if (update == LocalUpdate::every_interaction)
      step();
    else
      session.interruption_point();
  }
  if (update == LocalUpdate::once) step();
}

}  // namespace fltr
