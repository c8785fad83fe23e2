#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <fltr/data/parallel_tasks.hpp>

namespace fltr {

/// 128 bits that stand for some bytes: to find them again, and to notice damage. Not cryptographic: whoever wants to
/// can make two texts of the same hash.
struct ContentHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(ContentHash const&, ContentHash const&) = default;

  /// 32 hexadecimal digits.
  [[nodiscard]] std::string hex() const {
    std::string text;
    for (auto const half : {high, low})
      for (unsigned shift = 64; shift != 0; shift -= 4) text += "0123456789abcdef"[(half >> (shift - 4)) & 15U];
    return text;
  }
};

/// Eight lanes, each fed with every eighth 64-bit word. A step is a bijection of the lane's state and of the word, so a
/// change within one word is never lost, and the multiplications of different lanes overlap.
class HashLanes {
 public:
  static constexpr std::size_t stripe_bytes = 64;

  explicit HashLanes(std::uint64_t seed) noexcept {
    for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = mix(seed + (i + 1) * odd_constant);
  }

  [[nodiscard]] ContentHash hash(std::span<std::byte const> bytes) noexcept {
    std::size_t const size = bytes.size();
    for (; bytes.size() >= stripe_bytes; bytes = bytes.subspan(stripe_bytes)) add(bytes.data());
    if (!bytes.empty()) {
      std::array<std::byte, stripe_bytes> last{};
      std::ranges::copy(bytes, last.begin());
      add(last.data());
    }
    ContentHash result{mix(size), mix(~std::uint64_t{size})};
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      result.low = mix(result.low ^ lanes_[i]);
      result.high = mix(result.high + lanes_[lanes_.size() - 1 - i]);
    }
    return result;
  }

 private:
  static constexpr std::uint64_t odd_constant = 0x9E37'79B9'7F4A'7C15U;  // 2^64 / golden ratio

  // Every bit of the result depends on every bit of x (constants from SplitMix64, Steele et al. 2014).
  static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return x ^ (x >> 31U);
  }

  void add(std::byte const* stripe) noexcept {
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), stripe, stripe_bytes);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      std::uint64_t const x = lanes_[i] ^ words[i];
      lanes_[i] = (x ^ (x >> 32U)) * odd_constant;
    }
  }

  std::array<std::uint64_t, 8> lanes_;
};

/// The hash of some bytes: of the hashes of their blocks, so that several threads can share the work. The result does
/// not depend on how many do.
[[nodiscard]] inline ContentHash content_hash(std::span<std::byte const> bytes, std::uint64_t seed = 0,
                                              std::size_t threads = 1) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20U;
  std::vector<ContentHash> blocks((bytes.size() + block_bytes - 1) / block_bytes);
  parallel_tasks(blocks.size(), threads, [&](std::size_t i) {
    auto const block = bytes.subspan(i * block_bytes, std::min(block_bytes, bytes.size() - i * block_bytes));
    blocks[i] = HashLanes(seed + i).hash(block);
  });
  return HashLanes(seed).hash(std::as_bytes(std::span(blocks)));
}

}  // namespace fltr
