#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The arithmetic mean; NaN without values.
[[nodiscard]] inline double mean(std::span<double const> values) {
  double sum = 0;
  for (double const value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The sample standard deviation, with n − 1 in the denominator; NaN for fewer than two values.
[[nodiscard]] inline double standard_deviation(std::span<double const> values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double const centre = mean(values);
  double squares = 0;
  for (double const value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace fltr
