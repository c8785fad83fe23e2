#pragma once

#include <cmath>
#include <limits>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The largest float that is at most `threshold`. A float x is at most the result if and only if it is at most
/// `threshold`.
[[nodiscard]] inline float float_at_most(double threshold) noexcept {
  using Limits = std::numeric_limits<float>;
  if (threshold >= static_cast<double>(Limits::max())) return Limits::max();
  if (threshold < static_cast<double>(Limits::lowest())) return -Limits::infinity();
  auto const nearest = static_cast<float>(threshold);
  return static_cast<double>(nearest) <= threshold ? nearest : std::nextafter(nearest, -Limits::infinity());
}

}  // namespace fltr
