#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <fltr/core/compiler.hpp>
#include <fltr/core/wipe.hpp>

namespace fltr {

/// The key of a cipher: 256 bits as eight words.
using Key256 = std::array<std::uint32_t, 8>;

/// A key, or none. The destructor overwrites the key. (std::optional causes a false -Wmaybe-uninitialized in g++ 12.)
class OptionalKey {
 public:
  constexpr OptionalKey() noexcept = default;
  constexpr OptionalKey(Key256 const& key) noexcept : key_(key), present_(true) {}
  constexpr OptionalKey(OptionalKey const&) noexcept = default;
  constexpr OptionalKey& operator=(OptionalKey const&) noexcept = default;
  constexpr ~OptionalKey() {
    if (present_) wipe(key_);
  }

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return present_; }
  [[nodiscard]] constexpr Key256 const& operator*() const noexcept { return key_; }
  friend constexpr bool operator==(OptionalKey const&, OptionalKey const&) noexcept = default;

 private:
  Key256 key_{};
  bool present_ = false;
};

/// The block function of ChaCha20 (RFC 8439, section 2.3): 512 bits that are indistinguishable from random bits
/// without the key. `position` is the block counter followed by the three words of the nonce.
[[nodiscard]] constexpr std::array<std::uint32_t, 16> chacha20_block(
    Key256 const& key, std::array<std::uint32_t, 4> const& position) noexcept {
  std::array<std::uint32_t, 16> start{0x61707865U, 0x3320646eU, 0x79622d32U, 0x6b206574U, key[0], key[1],
                                      key[2],      key[3],      key[4],      key[5],      key[6], key[7],
                                      position[0], position[1], position[2], position[3]};
  auto x = start;
  auto const quarter_round = [&x](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
  };
  for (int i = 0; i < 10; ++i) {
    quarter_round(0, 4, 8, 12), quarter_round(1, 5, 9, 13), quarter_round(2, 6, 10, 14), quarter_round(3, 7, 11, 15);
    quarter_round(0, 5, 10, 15), quarter_round(1, 6, 11, 12), quarter_round(2, 7, 8, 13), quarter_round(3, 4, 9, 14);
  }
  for (std::size_t i = 0; i < 16; ++i) x[i] += start[i];
  wipe(start);
  return x;
}

}  // namespace fltr
