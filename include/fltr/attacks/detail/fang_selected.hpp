#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/simulated_rule.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr::detail {

/// The upper bound of λ of Fang et al. (2020) for n clients, m of them malicious, and d parameters:
/// S / ((n − 2m − 1) √d) + D / √d. S is the smallest sum over honest models of the distances to the n − m − 2 nearest
/// other honest models, D the largest distance of an honest model to the global model. Both factors are at least 1.
[[nodiscard]] inline double fang_bound(MessageRows const& honest, std::size_t malicious,
                                       std::span<float const> global) {
  std::size_t const rows = honest.clients();
  std::size_t const clients = rows + malicious;
  std::size_t const counted = std::min(std::max<std::size_t>(rows, 3) - 2, rows - 1);
  double const divisor = clients > 2 * malicious + 2 ? static_cast<double>(clients - 2 * malicious - 1) : 1.0;
  auto distances = squared_model_distances(honest);
  double smallest = 0.0;
  double furthest = 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    auto const of_row = std::span(distances).subspan(i * rows, rows);
    std::ranges::sort(of_row);
    double sum = 0.0;
    for (std::size_t j = 1; j <= counted; ++j) sum += std::sqrt(of_row[j]);  // of_row[0] is the row itself
    smallest = i == 0 ? sum : std::min(smallest, sum);
    furthest = std::max(furthest, std::sqrt(squared_model_distance(honest.row(i), global)));
  }
  double const root = std::sqrt(static_cast<double>(honest.parameters()));
  return smallest / (divisor * root) + furthest / root;
}

/// The crafted model θ_g − λ s with the first λ = λ₀, λ₀/2, λ₀/4, … of which the rule selects a copy; none if λ becomes
/// smaller than `stop` before.
template <SelectingRule Rule>
[[nodiscard]] std::optional<std::vector<double>> fang_selected(Rule const& rule, SimulatedRound round,
                                                               std::span<float const> global,
                                                               std::span<double const> direction, double lambda,
                                                               double stop) {
  auto const simulated = simulated_rule(rule, round.rows().clients());
  if (!simulated) return std::nullopt;
  std::vector<double> model(global.size());
  for (; lambda >= stop; lambda /= 2.0) {
    for (std::size_t k = 0; k < model.size(); ++k) model[k] = static_cast<double>(global[k]) - lambda * direction[k];
    round.craft(model);
    if (round.crafted_among(simulated->select(round.rows(), global)) > 0) return model;
  }
  return std::nullopt;
}

}  // namespace fltr::detail
