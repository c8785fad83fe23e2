// The primitives as secure sums call them, against the vectors of RFC 7748, RFC 8439 and RFC 8032.
#include <fltr/aggregators/detail/sodium.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/aggregators/identities.hpp>
#include <fltr/core/chacha20.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using detail::secure::Bytes32;
using detail::secure::Key32;

std::vector<std::uint8_t> unhex(std::string_view text) {
  std::vector<std::uint8_t> out;
  auto const digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(16 * digit(text[i]) + digit(text[i + 1])));
  return out;
}
template <std::size_t N = 32>
std::array<std::uint8_t, N> bytes(std::string_view text) {
  auto const all = unhex(text);
  REQUIRE(all.size() == N);
  std::array<std::uint8_t, N> out{};
  std::ranges::copy(all, out.begin());
  return out;
}

}  // namespace

TEST_CASE("X25519 gives the vectors of RFC 7748, section 5.2 and 6.1") {
  detail::secure::require_sodium();
  Key32 common;
  CHECK(detail::secure::x25519_agree(Key32(bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")),
                                     bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"),
                                     common));
  CHECK(common.bytes == bytes("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"));
  Key32 const alice(bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
  Key32 const bob(bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
  CHECK(detail::secure::x25519_public(alice) ==
        bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
  CHECK(detail::secure::x25519_public(bob) ==
        bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
  for (auto const& [own, other] : {std::pair{alice, bob}, std::pair{bob, alice}}) {
    CHECK(detail::secure::x25519_agree(own, detail::secure::x25519_public(other), common));
    CHECK(common.bytes == bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"));
  }
  Bytes32 k{9};
  Bytes32 u{9};
  for (int i = 1; i <= 1000; ++i) {
    Key32 next;
    REQUIRE(detail::secure::x25519_agree(Key32(k), u, next));
    u = k;
    k = next.bytes;
    if (i == 1) CHECK(k == bytes("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"));
  }
  CHECK(k == bytes("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"));
}

TEST_CASE("Public keys of low order are refused") {
  // The seven encodings of points of order 1, 2, 4 and 8 (Langley, Hamburg and Turner 2016, section 7).
  for (char const* key : {"0000000000000000000000000000000000000000000000000000000000000000",
                          "0100000000000000000000000000000000000000000000000000000000000000",
                          "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                          "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                          "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                          "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                          "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"}) {
    CHECK(detail::secure::x25519_weak(bytes(key)));
    Key32 common;
    CHECK_FALSE(detail::secure::x25519_agree(Key32(Bytes32{1, 2, 3}), bytes(key), common));
  }
  CHECK_FALSE(detail::secure::x25519_weak(detail::secure::x25519_public(Key32(Bytes32{5}))));
}

TEST_CASE("Masks are the key streams of RFC 8439, appendix A.1, for words of 32 and of 64 bits") {
  detail::secure::require_sodium();
  // Vectors 1 and 2: blocks 0 and 1 of key 0. Vector 3: block 1 of key 0…01.
  auto const first = unhex(
      "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11c"
      "c387b669b2ee65869f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d5"
      "31ed1f28510afb45ace10a1f4b794d6f");
  std::vector<std::uint32_t> words(32, 7);
  detail::secure::add_mask(std::span(words), Key32{}, false);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t expected = 0;
    std::memcpy(&expected, &first[4 * i], 4);
    CHECK(words[i] == expected + 7);
  }
  detail::secure::add_mask(std::span(words), Key32{}, true);
  CHECK(words == std::vector<std::uint32_t>(32, 7));
  std::vector<std::uint64_t> wide(16);
  detail::secure::add_mask(std::span(wide), Key32{}, false);
  CHECK(std::memcmp(wide.data(), first.data(), first.size()) == 0);

  Bytes32 one{};
  one[31] = 1;
  std::vector<std::uint64_t> second(16);
  detail::secure::add_mask(std::span(second), Key32(one), false);
  auto const block = unhex(
      "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125"
      "a64addeb006c13a0");
  CHECK(std::memcmp(&second[8], block.data(), block.size()) == 0);
}

TEST_CASE("A mask of many blocks is one key stream without a repetition") {
  detail::secure::require_sodium();
  std::vector<std::uint32_t> words(5000);  // more than the buffer of 4,096 bytes
  Bytes32 const key{1, 2, 3};
  detail::secure::add_mask(std::span(words), Key32(key), false);
  Key256 own{};
  std::memcpy(own.data(), key.data(), 32);
  for (std::uint32_t block = 0; block < 312; ++block) {
    auto const expected = chacha20_block(own, {block, 0, 0, 0});
    CHECK(std::equal(expected.begin(), expected.end(), words.begin() + 16 * block));
  }
}

TEST_CASE("Encryption is ChaCha20 from block 1 on, and any changed bit is noticed") {
  detail::secure::require_sodium();
  std::array<std::uint8_t, 80> plain{};
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<std::uint8_t>(i);
  Key32 const key(Bytes32{9, 8, 7});
  std::vector<std::uint8_t> cipher(plain.size() + detail::secure::tag_size);
  detail::secure::encrypt(plain, key, cipher);
  Key256 words{};
  std::memcpy(words.data(), key.bytes.data(), 32);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    auto const block = chacha20_block(words, {static_cast<std::uint32_t>(1 + i / 64), 0, 0, 0});
    auto const stream = static_cast<std::uint8_t>(block[i % 64 / 4] >> (8 * (i % 4)));
    CHECK(cipher[i] == (plain[i] ^ stream));
  }
  std::array<std::uint8_t, 80> back{};
  CHECK(detail::secure::decrypt(cipher, key, back));
  CHECK(back == plain);
  for (std::size_t bit = 0; bit < 8 * cipher.size(); ++bit) {
    auto changed = cipher;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << (bit % 8)));
    CHECK_FALSE(detail::secure::decrypt(changed, key, back));
  }
  CHECK_FALSE(detail::secure::decrypt(cipher, Key32(Bytes32{9, 8, 6}), back));
}

TEST_CASE("Identities are Ed25519 keys (RFC 8032), and only their owner can sign") {
  auto key = SigningKey::from_seed(bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
  CHECK(key.identity() == bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
  std::map<ClientId, PublicIdentity> const all{{3, key.identity()}, {4, SigningKey::from_system().identity()}};
  auto const server = Identities::known(all);
  auto const client = Identities::known(all, 3, std::move(key));
  Bytes32 const digest{1, 2, 3};
  auto signature = client.sign(3, digest);
  CHECK(server.verify(3, digest, signature));
  CHECK_FALSE(server.verify(4, digest, signature));
  CHECK_FALSE(server.verify(5, digest, signature));
  CHECK_FALSE(server.verify(3, Bytes32{1, 2, 4}, signature));
  signature[7] ^= 1;
  CHECK_FALSE(server.verify(3, digest, signature));
  CHECK_THROWS_AS(client.sign(4, digest), std::invalid_argument);
  CHECK_THROWS_AS(server.sign(3, digest), std::invalid_argument);
  CHECK_FALSE(Identities{}.verify(3, digest, signature));
}
