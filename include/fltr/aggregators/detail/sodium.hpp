#pragma once

#include <sodium.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include <fltr/core/wipe.hpp>

#include <fltr/core/compiler.hpp>

/// The primitives of libsodium that secure sums use, with types in place of lengths.
namespace fltr::detail::secure {

using Bytes32 = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

/// libsodium must be initialised before its first use.
inline void require_sodium() {
  static int const state = sodium_init();
  if (state < 0) throw std::runtime_error("libsodium: sodium_init failed");
}

/// 32 secret bytes that are overwritten in the end.
struct Key32 {
  Bytes32 bytes{};

  Key32() = default;
  explicit Key32(Bytes32 const& from) noexcept : bytes(from) {}
  Key32(Key32 const&) = default;
  Key32& operator=(Key32 const&) = default;
  ~Key32() { wipe(bytes); }

  auto fields(auto&& visit) { return visit(bytes); }
};

/// BLAKE2b with 256 bits of output. Each use has a label of its own, and every part has a fixed length or is preceded by
/// its length, so that no two different inputs give the same bytes. With a key it is a pseudo-random function.
class Blake2b {
 public:
  explicit Blake2b(std::string_view label, std::span<std::uint8_t const> key = {}) {
    crypto_generichash_init(&state_, key.empty() ? nullptr : key.data(), key.size(), 32);
    add(static_cast<std::uint64_t>(label.size()));
    bytes(label.data(), label.size());
  }
  Blake2b(Blake2b const&) = delete;
  Blake2b& operator=(Blake2b const&) = delete;
  ~Blake2b() { wipe(state_); }

  template <std::unsigned_integral T>
  Blake2b& add(T number) {
    return bytes(&number, sizeof number);
  }
  template <std::size_t N>
  Blake2b& add(std::array<std::uint8_t, N> const& part) {
    return bytes(part.data(), N);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  Blake2b& add(std::span<T const> part) {
    add(static_cast<std::uint64_t>(part.size()));
    return bytes(part.data(), part.size_bytes());
  }
  /// The digest as a key.
  [[nodiscard]] Key32 key() {
    Key32 out;
    crypto_generichash_final(&state_, out.bytes.data(), out.bytes.size());
    return out;
  }
  [[nodiscard]] Bytes32 digest() {
    Bytes32 out{};
    crypto_generichash_final(&state_, out.data(), out.size());
    return out;
  }

 private:
  Blake2b& bytes(void const* from, std::size_t size) {
    if (size > 0) crypto_generichash_update(&state_, static_cast<unsigned char const*>(from), size);
    return *this;
  }
  crypto_generichash_state state_{};
};

// ---- X25519 (RFC 7748)

[[nodiscard]] inline Bytes32 x25519_public(Key32 const& secret) {
  Bytes32 out{};
  crypto_scalarmult_base(out.data(), secret.bytes.data());
  return out;
}
/// The secret that two key pairs have in common. Returns false for a public key of low order, with which the result
/// would not depend on the secret.
[[nodiscard]] inline bool x25519_agree(Key32 const& secret, Bytes32 const& other, Key32& common) {
  return crypto_scalarmult(common.bytes.data(), secret.bytes.data(), other.data()) == 0;
}
/// Whether a public key has low order.
[[nodiscard]] inline bool x25519_weak(Bytes32 const& key) {
  Key32 any;
  any.bytes.fill(0x40);
  Key32 common;
  return !x25519_agree(any, key, common);
}

// ---- ChaCha20 (RFC 8439)

/// Adds the key stream of ChaCha20, as numbers modulo 2^bits, or subtracts it. A key must serve one stream only: the
/// nonce is 0.
template <std::unsigned_integral Word>
void add_mask(std::span<Word> values, Key32 const& key, bool negative) {
  constexpr std::size_t at_once = 4096 / sizeof(Word);
  std::array<Word, at_once> mask;
  std::array<unsigned char, crypto_stream_chacha20_ietf_NONCEBYTES> const nonce{};
  std::array<Word, at_once> const zeros{};
  for (std::size_t at = 0; at < values.size(); at += at_once) {
    std::size_t const count = std::min(at_once, values.size() - at);
    auto const block = static_cast<std::uint32_t>(at * sizeof(Word) / 64);  // of the key stream
    crypto_stream_chacha20_ietf_xor_ic(reinterpret_cast<unsigned char*>(mask.data()),
                                       reinterpret_cast<unsigned char const*>(zeros.data()), count * sizeof(Word),
                                       nonce.data(), block, key.bytes.data());
    for (std::size_t i = 0; i < count; ++i)
      values[at + i] = static_cast<Word>(negative ? values[at + i] - mask[i] : values[at + i] + mask[i]);
  }
  wipe(mask);
}

inline constexpr std::size_t tag_size = crypto_aead_chacha20poly1305_ietf_ABYTES;

/// ChaCha20-Poly1305. A key must serve one message only: the nonce is 0.
inline void encrypt(std::span<std::uint8_t const> plain, Key32 const& key, std::span<std::uint8_t> cipher) {
  std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> const nonce{};
  crypto_aead_chacha20poly1305_ietf_encrypt(cipher.data(), nullptr, plain.data(), plain.size(), nullptr, 0, nullptr,
                                            nonce.data(), key.bytes.data());
}
/// Returns false if the bytes were not encrypted with this key.
[[nodiscard]] inline bool decrypt(std::span<std::uint8_t const> cipher, Key32 const& key,
                                  std::span<std::uint8_t> plain) {
  std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> const nonce{};
  return crypto_aead_chacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, cipher.data(), cipher.size(),
                                                   nullptr, 0, nonce.data(), key.bytes.data()) == 0;
}

// ---- Ed25519 (RFC 8032)

[[nodiscard]] inline bool signed_by(Bytes32 const& identity, Bytes32 const& digest, Signature const& signature) {
  return crypto_sign_ed25519_verify_detached(signature.data(), digest.data(), digest.size(), identity.data()) == 0;
}

}  // namespace fltr::detail::secure
