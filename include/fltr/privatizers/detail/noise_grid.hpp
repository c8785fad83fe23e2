#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/uint128.hpp>

namespace fltr::detail {

/// The grid on which noise is added: the multiples of a power of two (the step). The scale of the noise is 2^23 to 2^24
/// steps. The weights are rounded toward zero to the grid, the noise is a whole number of steps, and their sum is
/// converted to float at the end. So the low bits of the result do not reveal the weights (Mironov 2012).
class NoiseGrid {
 public:
  /// The grid for noise of this scale.
  explicit NoiseGrid(double scale) {
    require(scale >= 1e-30 && scale <= 1e30, "NoiseGrid", "a noise scale in [1e-30, 1e30]", scale);
    int exponent = std::ilogb(scale) - 23;
    // Two units in the last place above `scale`, for rounding errors in its computation: the noise must not be smaller.
    double const above = std::nextafter(std::nextafter(scale, 1e31), 1e31);
    if (std::ceil(std::ldexp(above, -exponent)) > 0x1p24 - 1.0) ++exponent;  // `scale` is just below a power of two
    step_ = std::ldexp(1.0, exponent);
    per_unit_ = std::ldexp(1.0, -exponent);
    scale_ = static_cast<std::uint64_t>(std::ceil(above * per_unit_));
  }

  /// The distance between two points of the grid, a power of two.
  [[nodiscard]] double step() const noexcept { return step_; }
  /// The scale of the noise in steps, rounded up.
  [[nodiscard]] std::uint64_t scale() const noexcept { return scale_; }

  /// Rounds to the grid toward zero. If any value is infinite or NaN, all steps are 0: the message must not show it.
  [[nodiscard]] std::vector<std::int64_t> to_steps(std::span<float const> values) const {
    std::vector<std::int64_t> steps(values.size());
    std::uint32_t wrong = 0;  // counted without an early end: eight values at a time
    for (float const v : values) wrong += std::isfinite(v) ? 0U : 1U;
    if (wrong > 0) return steps;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const exact = std::clamp(static_cast<double>(values[i]) * per_unit_, -largest, largest);
      steps[i] = static_cast<std::int64_t>(exact);  // rounds toward zero
    }
    return steps;
  }

  [[nodiscard]] float to_float(std::int64_t steps) const noexcept {
    return static_cast<float>(static_cast<double>(steps) * step_);
  }

  /// ⌊bound / step⌋.
  [[nodiscard]] std::uint64_t whole_steps(double bound) const {
    double const steps = std::floor(bound * per_unit_);
    require(steps >= 0.0 && steps < largest, "NoiseGrid",
            "a noise scale of at least 2^-30 times the bound on the weights",
            static_cast<double>(scale_) * step_ / bound);
    return static_cast<std::uint64_t>(steps);
  }

  /// Scales the vector down until Σ |k_i| ≤ bound, in exact integer arithmetic.
  static void clip_l1(std::span<std::int64_t> steps, std::uint64_t bound) {
    auto const norm = [&] {
      Uint128 sum = 0;
      for (std::int64_t const k : steps) sum += magnitude(k);
      return sum;
    };
    for (auto sum = norm(); sum > bound; sum = norm())
      shrink(steps, static_cast<double>(bound) / static_cast<double>(sum));
  }

  /// Scales the vector down until Σ k_i² ≤ bound², in exact integer arithmetic.
  static void clip_l2(std::span<std::int64_t> steps, std::uint64_t bound) {
    auto const norm = [&] {
      Uint128 sum = 0;
      for (std::int64_t const k : steps) sum += Uint128{magnitude(k)} * magnitude(k);
      return sum;
    };
    for (auto sum = norm(); sum > Uint128{bound} * bound; sum = norm())
      shrink(steps, static_cast<double>(bound) / std::sqrt(static_cast<double>(sum)));
  }

 private:
  /// The most steps of a coordinate. The sum of the squares of 2^20 such coordinates is below 2^128.
  static constexpr double largest = 0x1p53;

  [[nodiscard]] static std::uint64_t magnitude(std::int64_t k) noexcept {
    return static_cast<std::uint64_t>(k < 0 ? -k : k);
  }
  static void shrink(std::span<std::int64_t> steps, double factor) noexcept {
    factor *= 1.0 - 0x1p-40;
    for (std::int64_t& k : steps) k = static_cast<std::int64_t>(static_cast<double>(k) * factor);
  }

  // step_ and per_unit_ are powers of two, so that products with them are exact.
  double step_ = 1.0;
  double per_unit_ = 1.0;
  std::uint64_t scale_ = 1;
};

}  // namespace fltr::detail
