#pragma once

#include <array>
#include <charconv>
#include <string>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// A number as printf prints it in the locale "C": with `precision` decimals for std::chars_format::fixed ("%.3f"), with
/// `precision` significant digits for std::chars_format::general ("%.5g"). Does not depend on the locale. Requires a
/// precision of at most 17.
[[nodiscard]] inline std::string decimal_text(double value, std::chars_format format, int precision) {
  std::array<char, 336> text;  // a sign, 309 digits, a point and 17 decimals are 328 characters
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr};
}

/// A number with three decimals.
[[nodiscard]] inline std::string three_decimals(double value) {
  return decimal_text(value, std::chars_format::fixed, 3);
}

}  // namespace fltr::detail
