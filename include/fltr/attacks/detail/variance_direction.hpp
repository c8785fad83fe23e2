#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// The inner product of each row's difference from the mean with a direction.
[[nodiscard]] inline std::vector<double> projections(MessageRows const& rows, std::span<double const> mean,
                                                     std::span<double const> direction) {
  std::vector<double> out(rows.clients());
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto const row = rows.row(i);
    out[i] = model_product(
        mean.size(), [&](std::size_t k) { return static_cast<double>(row[k]) - mean[k]; },
        [&](std::size_t k) { return direction[k]; });
  }
  return out;
}

/// Σ w_i (x_i − μ), divided by its norm; zeros if the norm is 0.
[[nodiscard]] inline std::vector<double> weighted_direction(MessageRows const& rows, std::span<double const> mean,
                                                            std::span<double const> weights) {
  std::vector<double> out(rows.parameters());
  for (std::size_t i = 0; i < rows.clients(); ++i) {
    auto const row = rows.row(i);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += weights[i] * (static_cast<double>(row[k]) - mean[k]);
  }
  double const length = model_length(out);
  for (double& v : out) v = length > 0.0 ? v / length : 0.0;
  return out;
}

/// The direction in which the rows vary most, of length 1: the first principal component, by at most `iterations` power
/// iterations. Zeros if all rows are equal. The first direction has fixed random weights: a row of the data could be
/// orthogonal to the principal component.
[[nodiscard]] inline std::vector<double> variance_direction(MessageRows const& rows, std::span<double const> mean,
                                                            std::uint32_t iterations) {
  constexpr double converged = 1e-9;
  Stream stream(1);
  std::vector<double> weights(rows.clients());
  for (double& w : weights) w = stream.normal();
  std::vector<double> direction = weighted_direction(rows, mean, weights);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    std::vector<double> next = weighted_direction(rows, mean, projections(rows, mean, direction));
    double const moved = squared_model_distance(std::span<double const>(next), std::span<double const>(direction));
    direction.swap(next);
    if (moved <= converged * converged) break;
  }
  return direction;
}

}  // namespace fltr::detail
