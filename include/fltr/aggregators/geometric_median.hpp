#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/weiszfeld.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Where the iteration of GeometricMedian starts.
enum class GeometricMedianStart : std::uint8_t {
  median,  ///< the coordinate-wise median
  global,  ///< the weights that were sent to the clients
  mean,    ///< the mean of the messages
  zero
};

/// When the iteration of GeometricMedian stops before the last iteration.
enum class GeometricMedianStop : std::uint8_t {
  step,       ///< a step is at most `tolerance` times the median of the distances to the messages
  objective,  ///< the sum of the distances changes by less than `tolerance` times itself
  never
};

/// The geometric median (Chen, Su and Xu 2017; Pillutla, Kakade and Harchaoui 2022): the model z with the smallest sum
/// of Euclidean distances to the messages, with equal weights. Weiszfeld's iteration computes it:
/// z ← Σ w_c x_c / Σ w_c with w_c = 1 / max(smoothing, ‖x_c − z‖). Without smoothing it makes the step of Vardi and
/// Zhang (2000) where z is one of the messages.
///
/// With the defaults the iteration runs until it has converged, or 1,000 times. For models nearly on a line it converges
/// slowly. After 1,000 iterations the result can be a few tenths of their spread from the minimiser, and the State says
/// that it has not converged. Pillutla et al. use few iterations from the mean:
/// `{.smoothing = 1e-5, .iterations = 4, .tolerance = 1e-6, .start = mean, .stop = objective}`. These do not reach the
/// honest models if an attacker sends huge values: every iteration divides the distance by at most (n − f) / f.
///
/// Guarantee: with 2f < n, ‖z‖ ≤ 2 (n − f) / (n − 2f) · max ‖honest model‖. The proof only needs that the sum of the
/// distances to z is at most that of the distances to 0. The minimiser has this property. A round checks it for its z
/// and reports the guarantee only if it holds.
///
/// Cost: n d per iteration. Memory: 12 n d bytes for the messages.
struct GeometricMedian {
  using State = RobustReport;

  std::size_t malicious = 1;      ///< f, the number of malicious clients to withstand
  double smoothing = 0.0;         ///< the smallest distance that a weight is computed with
  std::size_t iterations = 1000;  ///< at most
  double tolerance = 1e-10;       ///< of `stop`
  GeometricMedianStart start = GeometricMedianStart::median;
  GeometricMedianStop stop = GeometricMedianStop::step;
  bool strict = false;  ///< refuse rounds without the guarantee

  [[nodiscard]] std::size_t minimum_messages() const { return strict ? 2 * malicious + 1 : 1; }
  /// Of the minimiser; a round reports it for its own z.
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return clients >= 2 * malicious + 1; }

  /// Where the iteration ended.
  struct Solution {
    std::vector<float> model;
    bool converged = true;  ///< whether `stop` held; true for GeometricMedianStop::never
    bool bounded = true;    ///< whether the sum of the distances is at most that of the distances to 0
  };

  [[nodiscard]] Solution solve(MessageRows const& rows, std::span<float const> global) const {
    require(smoothing >= 0.0 && smoothing <= std::numeric_limits<double>::max(), "GeometricMedian", "smoothing >= 0",
            smoothing);
    require(tolerance >= 0.0, "GeometricMedian", "tolerance >= 0", tolerance);
    detail::require_rows("GeometricMedian", *this, rows);
    detail::Weiszfeld iteration(rows, smoothing);
    begin(iteration, rows, global);
    bool converged = stop == GeometricMedianStop::never;
    for (std::size_t t = 0; t < iterations; ++t) {
      double const before = iteration.sum_of_distances();
      double const step = iteration.advance();
      double const after = iteration.sum_of_distances();
      converged = stop == GeometricMedianStop::never ||
                  (stop == GeometricMedianStop::step && step <= tolerance * iteration.median_distance()) ||
                  (stop == GeometricMedianStop::objective && std::abs(before - after) < tolerance * after);
      if (converged && stop != GeometricMedianStop::never) break;
    }
    return {iteration.model(), converged, iteration.excess_over_zero() <= 0.0};
  }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const> global) const {
    return solve(rows, global).model;
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    auto const rows = message_rows(messages);
    auto const weights = detail::parameters_for(rows, ranker);
    auto const solution = solve(rows, weights);
    std::ranges::copy(solution.model, weights.begin());
    state = {
        .selected = {}, .guaranteed = guaranteed(messages.size()) && solution.bounded, .converged = solution.converged};
  }

 private:
  void begin(detail::Weiszfeld& iteration, MessageRows const& rows, std::span<float const> global) const {
    switch (start) {
      case GeometricMedianStart::median:
        return iteration.start(Median{.malicious = 0}.combine(rows, global));
      case GeometricMedianStart::global:
        require(global.size() == rows.parameters(), "GeometricMedian",
                "a global model of " + std::to_string(rows.parameters()) + " parameters like the messages",
                global.size());
        return iteration.start(global);
      case GeometricMedianStart::mean:
        return iteration.start_at_mean();
      case GeometricMedianStart::zero:
        break;
    }
    iteration.start_at_zero();
  }
};
static_assert(Aggregator<GeometricMedian> && RobustRule<GeometricMedian>);

}  // namespace fltr
