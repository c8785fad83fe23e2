#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <fltr/core/checksum.hpp>

namespace fltr {

/// A 128-bit hash that identifies the content of a file. It is not cryptographic: different contents with the same hash
/// can be constructed on purpose.
struct ContentHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(ContentHash const&, ContentHash const&) = default;

  /// 32 hexadecimal digits, as the command `xxh128sum` prints them.
  [[nodiscard]] std::string hex() const {
    std::string text;
    for (auto const half : {high, low})
      for (unsigned shift = 64; shift != 0; shift -= 4) text += "0123456789abcdef"[(half >> (shift - 4)) & 15U];
    return text;
  }
};

/// XXH3 of the bytes, 128 bits. Different seeds give independent hashes.
[[nodiscard]] inline ContentHash content_hash(std::span<std::byte const> bytes, std::uint64_t seed = 0) noexcept {
  auto const [low, high] = checksum_128(bytes, seed);
  return {low, high};
}

}  // namespace fltr
