#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fltr/aggregators/detail/double_rows.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Centered clipping (Karimireddy, He and Jaggi 2021): starts at the global model v, which is the last
/// aggregate, and repeats v ← v + (1/n) Σ_c (x_c − v) min(1, τ / ‖x_c − v‖). All clients have equal weights.
///
/// In one iteration v moves by at most τ, and one client moves it by at most τ / n. The radius should be near the
/// distance of honest models to the global model. The theorem requires a radius that follows from the variance of the
/// honest models and at most 10 % malicious clients. The server knows neither, so `guaranteed` is always false.
///
/// Cost: n d per iteration. Memory: 12 n d bytes for the messages.
struct CenteredClipping {
  using State = RobustReport;

  double radius = 10.0;        ///< τ > 0
  std::size_t iterations = 1;  ///< at least 1

  [[nodiscard]] std::size_t minimum_messages() const { return 1; }
  [[nodiscard]] bool guaranteed(std::size_t) const { return false; }

  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const> global) const {
    require(radius > 0.0, "CenteredClipping", "radius > 0", radius);
    require(iterations > 0, "CenteredClipping", "iterations >= 1", iterations);
    detail::require_rows("CenteredClipping", *this, rows);
    require(global.size() == rows.parameters(), "CenteredClipping",
            "a global model of " + std::to_string(rows.parameters()) + " parameters like the messages", global.size());
    std::size_t const n = rows.clients();
    detail::DoubleRows const values(rows);
    detail::DoubleRows center(1, rows.parameters());
    center.assign(0, global);
    for (std::size_t t = 0; t < iterations; ++t) {
      detail::DoubleRows const old = center;
      for (std::size_t c = 0; c < n; ++c) {
        double const distance = detail::distance(values.row(c), old.row(0));
        double const factor = distance > radius ? radius / distance : 1.0;
        detail::add_difference(center.row(0), factor / static_cast<double>(n), values.row(c), old.row(0));
      }
    }
    return detail::to_floats(center.row(0), rows.parameters());
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_rows(*this, messages, ranker, state);
  }
};
static_assert(Aggregator<CenteredClipping> && RobustRule<CenteredClipping>);

}  // namespace fltr
