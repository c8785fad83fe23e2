#pragma once

#include <cstddef>

#include <fltr/core/compiler.hpp>

namespace fltr::simd {

/// Sums are formed in this many lanes, for every register width: element i of a sum goes to lane i mod 8.
inline constexpr std::size_t lanes = 8;

/// The sum of eight lanes, in the order in which a register is halved: lane i + lane i + 4, then + 2, then + 1. All
/// sums in lanes end with these additions.
template <class T>
[[nodiscard]] constexpr T lane_sum(T const* v) noexcept {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

}  // namespace fltr::simd
