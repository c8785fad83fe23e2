#pragma once

#include <cmath>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// θ ← θ · min(1, bound / ‖θ‖₂) (FPDGD eq. 13). Does not change values of which any is infinite or NaN: the server
/// rejects such messages.
inline void clip_norm(std::span<float> values, double bound) {
  double squares = 0.0;
  for (float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  double const norm = std::sqrt(squares);
  if (!(norm > bound) || !std::isfinite(norm)) return;
  // The factor is rounded down, so that the norm of the rounded values is at most `bound`.
  auto const factor = static_cast<float>(bound / norm * (1.0 - 0x1p-22));
  for (float& v : values) v *= factor;
}

/// Clips the L2 norm of the local weights to `bound` after every local step. Clip adds no noise and guarantees nothing
/// by itself. It is meant as the first link of a Chain.
struct Clip {
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
