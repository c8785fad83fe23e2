#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// When a gradient learner moves its local weights.
enum class LocalUpdate : std::uint8_t {
  every_interaction,  ///< a step after each (FedAvg)
  once,               ///< the gradients of all interactions at the broadcast weights, then one step (FedSGD)
};

/// The local loop of all gradient learners: credit, backward, step, constrain. `credit(local, interaction)` gives each
/// document of some query a credit (in the workspace) and returns the query; `adjust(gradient, local)` may change the
/// gradient before the step.
template <DifferentiableRanker R, class Credit, class Adjust>
[[nodiscard]] LocalWeights local_steps(R const& global, std::uint32_t interactions, float learning_rate,
                                       LocalUpdate update, auto& session, Credit const& credit, Adjust const& adjust) {
  R local = global;
  std::vector<float>& gradient = session.workspace.gradient;
  gradient.assign(local.parameters().size(), 0.0F);
  auto const step = [&] {
    adjust(std::span<float>(gradient), local);
    simd::axpy(learning_rate, gradient, local.parameters());
    session.constrain(local.parameters());
    std::ranges::fill(gradient, 0.0F);
  };
  for (std::uint32_t i = 0; i < interactions; ++i) {
    QueryView const query = credit(local, i);
    local.backward(query, session.workspace.credit, gradient);
    if (update == LocalUpdate::every_interaction) step();
  }
  if (update == LocalUpdate::once) step();
  auto const shared = shared_parameters(local);
  return {{shared.begin(), shared.end()}, interactions};
}

template <DifferentiableRanker R, class Credit>
[[nodiscard]] LocalWeights local_steps(R const& global, std::uint32_t interactions, float learning_rate,
                                       LocalUpdate update, auto& session, Credit const& credit) {
  return local_steps(global, interactions, learning_rate, update, session, credit, [](std::span<float>, R const&) {});
}

}  // namespace fltr
