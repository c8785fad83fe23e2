#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// A number as std::ostream prints it by default: integers in full, floating-point numbers with 6 significant digits
/// ("0.1", "1e+30", "nan", "inf"). Does not depend on the locale.
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, char>)
[[nodiscard]] std::string number_text(T number) {
  if constexpr (std::same_as<T, bool>) {
    return number ? "1" : "0";
  } else {
    std::array<char, 64> text;
    char* const end = text.data() + text.size();
    if constexpr (std::floating_point<T>)
      return {text.data(),
              std::to_chars(text.data(), end, static_cast<double>(number), std::chars_format::general, 6).ptr};
    else
      return {text.data(), std::to_chars(text.data(), end, number).ptr};
  }
}

}  // namespace fltr
