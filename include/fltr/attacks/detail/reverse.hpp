#pragma once

#include <cstddef>
#include <span>

#include <fltr/attacks/reversed.hpp>

namespace fltr::detail {

/// Replaces the model by θ_g − τ(θ − θ_g), or by −τθ.
inline void reverse(std::span<double> model, std::span<float const> global, double tau, Reversed reversed) {
  for (std::size_t k = 0; k < model.size(); ++k) {
    double const origin = reversed == Reversed::update ? static_cast<double>(global[k]) : 0.0;
    model[k] = origin - tau * (model[k] - origin);
  }
}

}  // namespace fltr::detail
