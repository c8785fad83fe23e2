#include <fltr/core/keyed_hash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/fingerprint.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

HashKey const key = HashKey::of(Stream(7));

ContentHash hashed(std::span<std::byte const> text, HashKey const& with = key) {
  KeyedHash hash(with);
  for (; text.size() > KeyedHash::block_size; text = text.subspan(KeyedHash::block_size))
    hash.add(text.first<KeyedHash::block_size>());
  return hash.value(text);
}

std::vector<std::byte> some_bytes(std::size_t size) {
  Stream stream(size);
  std::vector<std::byte> out(size);
  for (std::byte& b : out) b = static_cast<std::byte>(stream.below(256));
  return out;
}

/// The formula of KeyedHash, step by step.
std::uint64_t by_formula(std::vector<std::byte> const& text, std::uint64_t point) {
  constexpr std::uint64_t prime = 2'305'843'009'213'693'951U;
  std::uint64_t value = 1;
  auto const step = [&](std::uint64_t coefficient) {
    value = static_cast<std::uint64_t>((Uint128{value} * point + coefficient) % prime);
  };
  std::size_t begin = 0;
  do {
    std::size_t const end = std::min(begin + 512, text.size());
    Uint128 nh = 0;
    for (std::size_t i = begin; i < end; i += 16) {
      std::uint64_t words[2] = {};
      std::memcpy(words, &text[i], std::min<std::size_t>(16, end - i));
      std::size_t const at = (i - begin) / 8;
      nh += Uint128{words[0] + key.words[at]} * (words[1] + key.words[at + 1]);
    }
    step(static_cast<std::uint64_t>(nh) % (prime + 1));
    step(static_cast<std::uint64_t>(nh >> 61U) % (prime + 1));
    step(static_cast<std::uint64_t>(nh >> 122U) + 64 * end);
    begin = end;
  } while (begin < text.size());
  return value;
}

}  // namespace

TEST_CASE("KeyedHash is the formula in its comment") {
  for (std::size_t const size : {0U, 1U, 8U, 15U, 16U, 17U, 184U, 511U, 512U, 513U, 544U, 1024U, 5000U}) {
    auto const text = some_bytes(size);
    auto const hash = hashed(text);
    CHECK(hash.low == by_formula(text, key.points[0]));
    CHECK(hash.high == by_formula(text, key.points[1]));
  }
}

TEST_CASE("Each bit of a text, its length and its key count") {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  std::size_t count = 0;
  auto const add = [&](ContentHash const& hash) {
    seen.insert({hash.low, hash.high});
    ++count;
  };
  for (std::size_t const size : {1U, 24U, 512U, 700U}) {
    auto text = some_bytes(size);
    add(hashed(text));
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      auto const mask = static_cast<std::byte>(1U << bit % 8);
      text[bit / 8] ^= mask;
      add(hashed(text));
      text[bit / 8] ^= mask;
    }
    for (std::uint64_t seed = 0; seed < 100; ++seed) add(hashed(text, HashKey::of(Stream(seed + 100))));
  }
  std::vector<std::byte> const zeros(1100);
  for (std::size_t size = 0; size <= zeros.size(); ++size) add(hashed(std::span(zeros).first(size)));
  CHECK(seen.size() == count);
}

TEST_CASE("With another key, texts that had equal hashes have different ones") {
  // With a known key, the factors of two pairs may be exchanged: the sum of NH stays the same.
  std::vector<std::uint64_t> words(4);
  words[1] = 5 - key.words[1];
  words[3] = 5 - key.words[3];
  auto other = words;
  ++other[0];
  --other[2];
  auto const bytes = [](std::vector<std::uint64_t> const& from) { return std::as_bytes(std::span(from)); };
  REQUIRE(words[0] + key.words[0] + 1 != 0);
  REQUIRE(words[2] + key.words[2] != 0);
  REQUIRE(hashed(bytes(words)) == hashed(bytes(other)));
  for (std::uint64_t seed = 100; seed < 1100; ++seed) {
    HashKey const fresh = HashKey::of(Stream(seed));
    CHECK_FALSE(hashed(bytes(words), fresh) == hashed(bytes(other), fresh));
  }
}

TEST_CASE("A Fingerprint with a key is the KeyedHash of all that is added, in pieces of any size") {
  auto const text = some_bytes(3000);
  std::vector<std::byte> all;
  Fingerprint in_pieces(key);
  std::size_t at = 0;
  for (std::size_t const size : {0U, 1U, 500U, 11U, 1U, 600U, 1100U, 300U}) {
    auto const piece = std::span(text).subspan(at, size);
    std::vector<std::uint8_t> numbers(size);
    if (size > 0) std::memcpy(numbers.data(), piece.data(), size);
    in_pieces.add(numbers);
    std::uint64_t const count = size;
    auto const length = std::as_bytes(std::span(&count, 1));
    all.insert(all.end(), length.begin(), length.end());
    all.insert(all.end(), piece.begin(), piece.end());
    at += size;
    CHECK(in_pieces.value() == hashed(all));
  }
  CHECK_FALSE(Fingerprint(HashKey::of(Stream(8))).add(1).value() == Fingerprint(key).add(1).value());
}
