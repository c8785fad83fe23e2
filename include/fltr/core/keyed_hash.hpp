#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <fltr/core/content_hash.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/uint128.hpp>

namespace fltr {

/// The key of a KeyedHash: 528 bytes that must be independent of what is hashed.
struct HashKey {
  static constexpr std::size_t words_of_block = 64;
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61U) - 1;

  std::array<std::uint64_t, words_of_block> words{};  ///< one for each word of a block
  std::array<std::uint64_t, 2> points{};              ///< of the two polynomials

  /// The next key of this stream.
  [[nodiscard]] static constexpr HashKey of(Stream stream) noexcept {
    HashKey out;
    for (std::uint64_t& word : out.words) word = stream.bits64();
    for (std::uint64_t& point : out.points) point = stream.bits64() & prime;
    return out;
  }
};

/// A hash of bytes with a secret or random key. Any two different texts of at most 2^29 bytes that were chosen without the
/// key have equal hashes with a probability below 2^-63. For XXH3 such texts can be constructed.
///
/// Each block m of 512 bytes becomes NH(m) = Σ (m_2i + k_2i)(m_2i+1 + k_2i+1) mod 2^128, for words of 64 bits. NH of two
/// different blocks is equal with probability 2^-64 (Black et al. 1999). The hash is the value, at two points modulo
/// 2^61 − 1, of the polynomial with the coefficient 1 and three for each block: 61 bits, 61 bits and 6 bits of NH, the last
/// with the number of bytes so far. So texts of different lengths have different polynomials. Two polynomials of degree n are equal at both points with
/// probability (n / 2^61)^2.
class KeyedHash {
 public:
  static constexpr std::size_t block_size = HashKey::words_of_block * sizeof(std::uint64_t);

  /// The key must outlive the hash.
  constexpr explicit KeyedHash(HashKey const& key) noexcept : key_(&key) {}

  /// Adds a block. Only the last one, which `value` takes, may be shorter than `block_size`.
  void add(std::span<std::byte const, block_size> block) noexcept { add_words(block); }

  /// The hash of all blocks and of the rest of the text, at most `block_size` bytes.
  [[nodiscard]] ContentHash value(std::span<std::byte const> rest) const noexcept {
    KeyedHash last = *this;
    last.add_words(rest);
    return {last.values_[0] % HashKey::prime, last.values_[1] % HashKey::prime};
  }

 private:
  [[nodiscard]] static std::uint64_t word(std::byte const* from) noexcept {
    std::uint64_t out = 0;
    std::memcpy(&out, from, sizeof out);
    return out;
  }
  [[nodiscard]] Uint128 product(std::byte const* pair, std::size_t i) const noexcept {
    return Uint128{word(pair) + key_->words[i]} * (word(pair + 8) + key_->words[i + 1]);
  }
  void add_words(std::span<std::byte const> block) noexcept {
    Uint128 sum = 0;
    std::size_t i = 0;
    for (; 8 * i + 16 <= block.size(); i += 2) sum += product(block.data() + 8 * i, i);
    if (std::size_t const left = block.size() - 8 * i; left > 0) {
      std::array<std::byte, 16> padded{};
      std::memcpy(padded.data(), block.data() + 8 * i, left);
      sum += product(padded.data(), i);
    }
    bytes_ += block.size();
    absorb(static_cast<std::uint64_t>(sum) & HashKey::prime);
    absorb(static_cast<std::uint64_t>(sum >> 61U) & HashKey::prime);
    absorb(static_cast<std::uint64_t>(sum >> 122U) | bytes_ << 6U);
  }
  /// One step of Horner's scheme. The values stay below 2^61 + 4.
  void absorb(std::uint64_t coefficient) noexcept {
    for (std::size_t i = 0; i < 2; ++i) {
      Uint128 const product = Uint128{values_[i]} * key_->points[i];
      std::uint64_t const sum = (static_cast<std::uint64_t>(product) & HashKey::prime) +
                                static_cast<std::uint64_t>(product >> 61U) + coefficient;
      values_[i] = (sum & HashKey::prime) + (sum >> 61U);
    }
  }

  HashKey const* key_;
  std::array<std::uint64_t, 2> values_{1, 1};
  std::uint64_t bytes_ = 0;
};

}  // namespace fltr
