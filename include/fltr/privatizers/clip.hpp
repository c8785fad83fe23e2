#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/lane_sum.hpp>

namespace fltr {

/// θ ← θ · min(1, bound / ‖θ‖₂) (FPDGD eq. 13). Does not change values of which any is infinite or NaN: the server
/// rejects such messages. The squares are summed in 8 lanes.
inline void clip_norm(std::span<float> values, double bound) {
  std::array<double, simd::lanes> squares{};
  auto const add = [&](std::size_t i, std::size_t lane) {
    auto const v = static_cast<double>(values[i + lane]);
    squares[lane] += v * v;
  };
  std::size_t i = 0;
  for (; i + simd::lanes <= values.size(); i += simd::lanes)
    for (std::size_t lane = 0; lane < simd::lanes; ++lane) add(i, lane);
  for (std::size_t lane = 0; i + lane < values.size(); ++lane) add(i, lane);
  double const norm = std::sqrt(simd::lane_sum(squares.data()));
  if (!(norm > bound) || !std::isfinite(norm)) return;
  // The factor is rounded down, so that the norm of the rounded values is at most `bound`.
  auto const factor = static_cast<float>(bound / norm * (1.0 - 0x1p-22));
  for (float& v : values) v *= factor;
}

/// Clips the L2 norm of the local weights to `bound` after every local step. Clip adds no noise and guarantees nothing
/// by itself. It is meant as the first link of a Chain.
struct Clip {
  static constexpr bool draws_noise = false;

  double bound = 1.0;

  void constrain(std::span<float> weights) const {
    require(bound > 0.0, "Clip", "a bound > 0", bound);
    clip_norm(weights, bound);
  }
  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const&) const {
    constrain(message.values);
    return message;
  }
};
static_assert(Privatizer<Clip>);

}  // namespace fltr
