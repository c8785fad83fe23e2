#pragma once

#include <cmath>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// The local Laplace mechanism: clips the L1 norm of the weights to Δ / 2, then adds Laplace(Δ/ε) to every coordinate
/// at the client. Each message is ε-differentially private by itself (unit: one client, replace-one), whatever the
/// server does.
struct LaplaceNoise {
  double epsilon = 1.0;
  double sensitivity = 1.0;  ///< Δ, of the L1 norm

  void constrain(std::span<float> weights) const {
    check();
    double norm = 0.0;
    for (float v : weights) norm += std::abs(static_cast<double>(v));
    if (!(norm > sensitivity / 2.0) || !std::isfinite(norm)) return;
    // The factor is rounded down, so that the norm of the rounded weights stays within the bound.
    auto const factor = std::nextafter(static_cast<float>(sensitivity / 2.0 / norm * (1.0 - 1e-6)), 0.0F);
    for (float& v : weights) v *= factor;
  }

  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    constrain(message.values);
    Stream stream = context.streams.of(Purpose::privacy);
    for (float& v : message.values) v += static_cast<float>(stream.laplace(sensitivity / epsilon));
    return message;
  }

  [[nodiscard]] PrivacyLoss loss(Release const&) const { return {epsilon, epsilon, 0.0}; }

 private:
  void check() const {
    require(epsilon > 0.0, "LaplaceNoise", "an epsilon > 0", epsilon);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "LaplaceNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<LaplaceNoise>);

}  // namespace fltr
