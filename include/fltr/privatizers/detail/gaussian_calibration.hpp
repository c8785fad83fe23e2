#pragma once

#include <cmath>
#include <cstddef>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// η: the largest difference between the logarithms of two densities: that of the discrete noise plus a uniform number
/// within one step, and that of the continuous noise. `scale` is σ in steps. See GaussianNoise.
[[nodiscard]] inline double gaussian_grid_slack(std::size_t dimension, double scale) {
  auto const d = static_cast<double>(dimension);
  return std::sqrt(d) * (std::sqrt(d) + 20.0) / (2.0 * scale) + d / (8.0 * scale * scale);
}

}  // namespace fltr::detail
