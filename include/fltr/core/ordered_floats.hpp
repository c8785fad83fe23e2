#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

/// Converts doubles to floats with the same order: floats are equal exactly where the doubles are equal. Each float is
/// the nearest one of its double, or the next smaller one if a larger double has the nearest. So a ranking of the
/// floats is a ranking of the doubles.
inline void ordered_floats(std::span<double const> values, std::span<float> floats) {
  using Limits = std::numeric_limits<float>;
  require(values.size() == floats.size(), "ordered_floats", std::to_string(values.size()) + " floats", floats.size());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    double const value = values[order[i]];
    auto nearest = static_cast<float>(
        std::clamp(value, static_cast<double>(Limits::lowest()), static_cast<double>(Limits::max())));
    if (i > 0) {
      float const last = floats[order[i - 1]];
      nearest = value < values[order[i - 1]] ? std::min(nearest, std::nextafter(last, -Limits::infinity())) : last;
    }
    floats[order[i]] = nearest;
  }
  // No float is below the lowest one. Doubles that would need such a float get the lowest floats, in ascending order.
  float least = Limits::lowest();
  for (std::size_t i = order.size(); i > 0 && floats[order[i - 1]] < least; --i) {
    floats[order[i - 1]] = least;
    if (i > 1 && values[order[i - 2]] > values[order[i - 1]]) least = std::nextafter(least, 0.0F);
  }
}

}  // namespace fltr
