#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// When a gradient learner moves its local weights.
enum class LocalUpdate : std::uint8_t {
  every_interaction,  ///< a step after each (FedAvg)
  once,               ///< the gradients of all interactions at the broadcast weights, then one step (FedSGD)
};

/// The local loop of all gradient learners: credit, backward, step. `credit(local, interaction)` gives each document of
/// some query a credit (in the workspace) and returns the query. `session.step` moves the weights.
template <DifferentiableRanker R, class Credit>
void local_steps(R& local, std::uint32_t interactions, float learning_rate, LocalUpdate update, auto& session,
                 Credit const& credit) {
  std::vector<float>& gradient = session.workspace.gradient;
  gradient.assign(local.parameters().size(), 0.0F);
  auto const step = [&] {
    session.step(local, std::span<float>(gradient), learning_rate);
    std::ranges::fill(gradient, 0.0F);
  };
  for (std::uint32_t i = 0; i < interactions; ++i) {
    QueryView const query = credit(local, i);
    local.backward(query, session.workspace.credit, gradient);
    if (update == LocalUpdate::every_interaction) step();
  }
  if (update == LocalUpdate::once) step();
}

}  // namespace fltr
