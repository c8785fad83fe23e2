#pragma once

#include <concepts>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The element types of `read_npy` and `write_npy`: bool, float, double and integers of 1 to 8 bytes.
template <class T>
concept NpyElement = std::same_as<T, bool> || std::same_as<T, float> || std::same_as<T, double> ||
                     (std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                      !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>);

}  // namespace fltr
