#include <fltr/core/content_hash.hpp>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using fltr::content_hash;

namespace {

std::vector<std::byte> some_bytes(std::size_t size, std::uint64_t seed = 5) {
  fltr::Stream stream(seed);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(stream());
  return bytes;
}

}  // namespace

TEST_CASE("The content hash of no bytes is the published XXH3 value") {
  CHECK(content_hash({}).hex() == "99aa06d3014798d86001c324468d497f");
}

TEST_CASE("A content hash depends on the seed, not on the alignment of the bytes") {
  auto const bytes = some_bytes(5'003);
  auto const expected = content_hash(bytes);
  std::vector<std::byte> shifted(1);
  shifted.insert(shifted.end(), bytes.begin(), bytes.end());
  CHECK(content_hash(std::span(shifted).subspan(1)) == expected);
  CHECK(content_hash(bytes, 1) != expected);
}

TEST_CASE("Every flipped bit changes both halves of a content hash") {
  for (std::size_t const size : {1U, 8U, 63U, 64U, 65U, 200U}) {
    auto bytes = some_bytes(size);
    auto const before = content_hash(bytes);
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      auto const after = content_hash(bytes);
      REQUIRE((after.low != before.low && after.high != before.high));
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
  }
}

TEST_CASE("Texts that differ in length or in the order of two numbers have different content hashes") {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  auto const is_new = [&seen](std::span<std::byte const> bytes) {
    auto const hash = content_hash(bytes);
    return seen.emplace(hash.low, hash.high).second;
  };
  for (std::size_t size = 0; size < 300; ++size) REQUIRE(is_new(std::vector<std::byte>(size)));
  std::string text;
  for (int i = 100; i < 300; ++i) text += std::to_string(i) + ' ';
  for (std::size_t i = 0; i + 4 <= text.size(); i += 4)
    for (std::size_t j = i + 4; j + 4 <= text.size(); j += 4) {
      std::string swapped = text;
      std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                       swapped.begin() + static_cast<std::ptrdiff_t>(i + 4),
                       swapped.begin() + static_cast<std::ptrdiff_t>(j));
      REQUIRE(is_new(std::as_bytes(std::span(swapped))));
    }
}

TEST_CASE("A flipped input bit flips each output bit with probability 1/2") {
  // Each of 128 output bits is flipped in n trials with p = 1/2: 6 standard deviations are 3 sqrt(n).
  constexpr int trials = 2000;
  std::vector<int> flips(128);
  fltr::Stream stream(3);
  for (int i = 0; i < trials; ++i) {
    auto bytes = some_bytes(100, static_cast<std::uint64_t>(i));
    auto const before = content_hash(bytes);
    auto const bit = stream.below(800);
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    auto const after = content_hash(bytes);
    for (unsigned b = 0; b < 64; ++b) {
      flips[b] += static_cast<int>((before.low ^ after.low) >> b & 1U);
      flips[64 + b] += static_cast<int>((before.high ^ after.high) >> b & 1U);
    }
  }
  for (int const n : flips) CHECK(std::abs(n - trials / 2) < 3 * std::sqrt(trials));
}

TEST_CASE("A content hash is written in 32 hexadecimal digits") {
  CHECK(fltr::ContentHash{0x0123456789ABCDEFU, 0xFEDCBA9876543210U}.hex() == "fedcba98765432100123456789abcdef");
  CHECK(fltr::ContentHash{}.hex() == std::string(32, '0'));
}
