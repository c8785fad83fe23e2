#pragma once

#include <limits>
#include <string>

namespace fltr::examples {

/// The numbers that an option accepts. NaN and infinities are never accepted.
struct Range {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool least_included = true;
  bool most_included = true;

  [[nodiscard]] bool contains(double value) const noexcept {
    return (least_included ? value >= least : value > least) && (most_included ? value <= most : value < most);
  }
  /// "a number above 0 and up to 1"
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] constexpr Range above(double least) noexcept { return {.least = least, .least_included = false}; }
/// What a float can hold.
[[nodiscard]] constexpr Range positive_float() noexcept {
  return {.least = 0, .most = static_cast<double>(std::numeric_limits<float>::max()), .least_included = false};
}
[[nodiscard]] constexpr Range at_least(double least) noexcept { return {.least = least}; }
[[nodiscard]] constexpr Range between(double least, double most) noexcept { return {.least = least, .most = most}; }

}  // namespace fltr::examples
