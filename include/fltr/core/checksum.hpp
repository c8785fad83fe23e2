#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fltr {

/// FNV-1a, 64 bits: finds damage, not forgery.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::span<std::byte const> bytes,
                                            std::uint64_t hash = 0xCBF29CE484222325ULL) noexcept {
  for (std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001B3ULL;
  return hash;
}

}  // namespace fltr
