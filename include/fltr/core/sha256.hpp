#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces. Identifies a model or a file by its content.
class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  void update(std::span<std::byte const> bytes) noexcept {
    length_ += bytes.size();
    if (filled_ > 0) {
      std::size_t const taken = std::min(bytes.size(), block_.size() - filled_);
      std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
      filled_ += taken;
      bytes = bytes.subspan(taken);
      if (filled_ < block_.size()) return;
      compress(block_.data());
      filled_ = 0;
    }
    for (; bytes.size() >= block_.size(); bytes = bytes.subspan(block_.size())) compress(bytes.data());
    std::copy(bytes.begin(), bytes.end(), block_.begin());
    filled_ = bytes.size();
  }
  void update(std::string_view text) noexcept { update(std::as_bytes(std::span(text))); }

  /// The digest of all bytes so far. More bytes may follow.
  [[nodiscard]] Digest digest() const noexcept {
    // The padding: a one bit, zeros up to eight bytes before the end of a block, and the length in bits.
    Sha256 last = *this;
    std::array<std::byte, 72> padding{std::byte{0x80}};
    std::size_t const zeros_end = (filled_ < 56 ? 56 : 120) - filled_;
    std::uint64_t const bits = length_ * 8;
    for (std::size_t i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
    last.update(std::span<std::byte const>(padding).first(zeros_end + 8));

    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
      digest[i] = static_cast<std::byte>(last.state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

  /// The digest as 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const {
    std::string text;
    for (std::byte const byte : digest()) {
      text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4U];
      text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15U];
    }
    return text;
  }

 private:
  void compress(std::byte const* block) noexcept {
    std::array<std::uint32_t, 64> words;
    for (std::size_t i = 0; i < 16; ++i) {
      words[i] = 0;
      for (std::size_t b = 0; b < 4; ++b)
        words[i] = (words[i] << 8U) | std::to_integer<std::uint32_t>(block[4 * i + b]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
      std::uint32_t const x = words[i - 15];
      std::uint32_t const y = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3U)) + words[i - 7] +
                 (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10U));
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      std::uint32_t const s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      std::uint32_t const t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + words[i];
      std::uint32_t const s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      std::uint32_t const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    std::array<std::uint32_t, 8> const added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
  }

  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  static constexpr std::array<std::uint32_t, 64> round_constants{
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

  // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

/// The SHA-256 digest of some bytes, as 64 lower-case hexadecimal digits.
[[nodiscard]] inline std::string sha256_hex(std::span<std::byte const> bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

}  // namespace fltr
