#include <fltr/core/envelope.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using fltr::enclose;
using fltr::EnvelopeFormat;
using fltr::FormatError;
using fltr::payload_of;

namespace {

constexpr EnvelopeFormat format{"test file", "example", 7};

std::vector<std::byte> bytes_of(std::string_view text) {
  auto const bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("An envelope gives its payload back") {
  for (auto const* const text : {"", "a", "some bytes that are longer than the envelope itself, which has 64 bytes"}) {
    auto const payload = bytes_of(text);
    auto const bytes = enclose(format, payload);
    CHECK(bytes.size() == 64 + payload.size());
    CHECK(std::ranges::equal(payload_of(format, bytes), payload));
  }
}

TEST_CASE("The bytes of an envelope are as documented") {
  auto const payload = bytes_of("abc");
  auto const bytes = enclose(format, payload);
  std::string const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  CHECK(text.substr(0, 8) == "fltr\r\n\x1A\n");
  CHECK(text.substr(8, 32) == "example" + std::string(25, '\0'));
  CHECK(text.substr(40, 8) == std::string("\7\0\0\0\0\0\0\0", 8));
  CHECK(text.substr(48, 8) == std::string("\3\0\0\0\0\0\0\0", 8));
  auto const sum = fltr::checksum(payload);
  CHECK(std::memcmp(text.data() + 56, &sum, 8) == 0);
  CHECK(text.substr(64) == "abc");
}

TEST_CASE("The payload of an envelope may come in pieces") {
  auto const bytes = enclose(format, bytes_of("abcdef"));
  auto const envelope = fltr::make_envelope(format, {bytes_of("ab"), bytes_of(""), bytes_of("cdef")});
  CHECK(std::memcmp(&envelope, bytes.data(), sizeof envelope) == 0);
}

TEST_CASE("An envelope with any byte changed is refused") {
  auto bytes = enclose(format, bytes_of("payload"));
  for (std::byte& byte : bytes) {
    auto const original = byte;
    for (unsigned value = 0; value < 256; ++value) {
      byte = static_cast<std::byte>(value);
      if (byte != original) REQUIRE_THROWS_AS(payload_of(format, bytes), FormatError);
    }
    byte = original;
  }
  CHECK_NOTHROW(payload_of(format, bytes));
}

TEST_CASE("The error text of an envelope names the reason") {
  auto const good = enclose(format, bytes_of("payload"));
  CHECK_THROWS_WITH(payload_of(format, bytes_of("1 qid:1 1:2\n")), "not a test file of fltr");
  CHECK_THROWS_WITH(payload_of(format, bytes_of("fltr")), "not a test file of fltr");
  CHECK_THROWS_WITH(payload_of(format, std::span(good).first(20)),
                    "the test file is cut short: required at least 64 bytes, got 20");
  CHECK_THROWS_WITH(payload_of(format, std::span(good).first(70)),
                    "the test file is cut short: required 7 bytes behind its header, got 6");
  auto bytes = good;
  bytes.push_back(std::byte{0});
  CHECK_THROWS_WITH(payload_of(format, bytes), "the test file is too long: required 7 bytes behind its header, got 8");
  bytes = good;
  bytes.back() = std::byte{0};
  CHECK_THROWS_WITH(payload_of(format, bytes), "the test file is damaged: its checksum differs");
  CHECK_THROWS_WITH(payload_of({"test file", "other", 7}, good),
                    "required a test file of kind 'other', got kind 'example'");
  CHECK_THROWS_WITH(payload_of({"test file", "example", 8}, good),
                    "test file of version 7, this library reads version 8");
  CHECK_THROWS_WITH(payload_of({"test file", "example", 9, 8}, good),
                    "test file of version 7, this library reads versions 8 to 9");
  bytes = good;
  bytes[8] = std::byte{7};  // not printable
  CHECK_THROWS_WITH(payload_of(format, bytes), "required a test file of kind 'example', got kind '?xample'");
}

TEST_CASE("The kind of an envelope has 1 to 32 characters") {
  std::string const kind(32, 'k');
  CHECK_NOTHROW(payload_of({"test file", kind, 1}, enclose({"test file", kind, 1}, {})));
  CHECK_THROWS_WITH(enclose({"test file", "", 1}, {}), "make_envelope: required a kind of 1 to 32 characters, got ");
  CHECK_THROWS_AS(enclose({"test file", kind + "k", 1}, {}), std::invalid_argument);
}
