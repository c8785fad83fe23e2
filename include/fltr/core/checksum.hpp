#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/compiler.hpp>

// This is the only header that includes xxHash. XXH_INLINE_ALL makes it header-only: nothing is linked.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
// g++ 12 warns falsely about uninitialised values in its AVX-512 intrinsics. AVX2 is as fast here: memory is the limit.
#if defined(__AVX512F__) && !defined(XXH_VECTOR)
#define XXH_VECTOR XXH_AVX2
#endif
#include <xxhash.h>

namespace fltr {

/// XXH3 of some bytes, 64 bits. It detects damage, not forgery. The value is the same on every processor.
[[nodiscard]] inline std::uint64_t checksum(std::span<std::byte const> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// The checksum of bytes that come in pieces: equal to `checksum` of all pieces in one block of memory.
class Checksum {
 public:
  Checksum() noexcept { XXH3_64bits_reset(&state_); }
  void update(std::span<std::byte const> bytes) noexcept { XXH3_64bits_update(&state_, bytes.data(), bytes.size()); }
  [[nodiscard]] std::uint64_t value() const noexcept { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_{};
};

/// XXH3 of some bytes, 128 bits: the low half, then the high half. Different seeds give independent hashes.
[[nodiscard]] inline std::array<std::uint64_t, 2> checksum_128(std::span<std::byte const> bytes,
                                                               std::uint64_t seed = 0) noexcept {
  XXH128_hash_t const hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace fltr
