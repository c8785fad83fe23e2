#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/round_release.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip_of.hpp>
#include <fltr/privatizers/detail/noise_grid.hpp>

namespace fltr::detail {

/// Whether the server sees nothing but the sum of the whole numbers that the clients made, in steps of this size.
[[nodiscard]] inline bool adds_steps_of(RoundRelease const& release, double step) {
  return release.view == ServerView::sealed_sum && !release.altered && release.sum_step == step && !release.sum_clamps;
}

/// Updates (weights minus broadcast weights) in whole steps of the grid of a sealed sum. A message holds
/// broadcast + step · k as floats, from which FixedPoint with the same step gets k back. That needs broadcast parameters
/// and k of at most 2^21 steps: their sum then has a rounding error of at most a quarter of a step.
class UpdateGrid {
 public:
  static constexpr double most = 0x1p21;

  UpdateGrid(char const* where, double step, std::span<float const> broadcast)
      : where_(where), step_(step), broadcast_(broadcast) {}

  /// The update of these weights, clipped and rounded toward zero, with Σ |k| ≤ ⌊S/step⌋ or Σ k² ≤ ⌊S/step⌋² in exact
  /// arithmetic. All 0 if a weight is not finite.
  [[nodiscard]] std::vector<std::int64_t> clipped(std::vector<float> const& values, double clip, ClipNorm norm) const {
    require(broadcast_.size() == values.size(), where_, "a broadcast ranker with as many parameters as values",
            broadcast_.size());
    std::vector<std::int64_t> steps(values.size());
    std::vector<double> update(values.size());
    bool finite = true;
    double sum = 0.0;  // of squares for L2
    for (std::size_t i = 0; i < values.size(); ++i) {
      update[i] = static_cast<double>(values[i]) - static_cast<double>(broadcast_[i]);
      finite = finite && std::isfinite(update[i]);
      sum += norm == ClipNorm::l2 ? update[i] * update[i] : std::abs(update[i]);
    }
    if (!finite) return steps;
    double const length = norm == ClipNorm::l2 ? std::sqrt(sum) : sum;
    double const factor = (norm == ClipNorm::l2 ? sum > clip * clip : sum > clip) ? clip / length : 1.0;
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<std::int64_t>(update[i] * factor / step_);
    auto const bound = static_cast<std::uint64_t>(clip / step_);
    if (norm == ClipNorm::l2)
      NoiseGrid::clip_l2(steps, bound);
    else
      NoiseGrid::clip_l1(steps, bound);
    return steps;
  }

  /// Writes weights with this update. Clamps it to 2^21 steps.
  void write(std::span<std::int64_t const> steps, std::span<float> values) const {
    constexpr auto limit = static_cast<std::int64_t>(most);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto const base = static_cast<double>(broadcast_[i]);
      require(std::abs(base) <= most * step_, where_, "broadcast parameters of at most 2^21 steps (use a larger step)",
              base);
      values[i] = static_cast<float>(base + static_cast<double>(std::clamp(steps[i], -limit, limit)) * step_);
    }
  }

 private:
  char const* where_;
  double step_;
  std::span<float const> broadcast_;
};

}  // namespace fltr::detail
