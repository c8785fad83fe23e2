#include <fltr/core/sha256.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

std::string hex(std::string_view text) { return fltr::sha256_hex(std::as_bytes(std::span(text))); }

}  // namespace

TEST_CASE("SHA-256 gives the published digests") {
  // FIPS 180-4 examples and NIST's CAVP short messages.
  CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex("\xbd") == "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
  CHECK(hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstn"
            "opqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 is right for lengths at the end of a block") {
  // Zeros of lengths at which the padding fits into the block or needs another one (computed with coreutils'
  // sha256sum).
  CHECK(hex(std::string(55, '\0')) == "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  CHECK(hex(std::string(56, '\0')) == "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  CHECK(hex(std::string(63, '\0')) == "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971");
  CHECK(hex(std::string(64, '\0')) == "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

TEST_CASE("SHA-256 does not depend on how the bytes are split") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7 + i / 11);
  std::string const whole = hex(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    fltr::Sha256 sha;
    sha.update(std::string_view(text).substr(0, cut));
    sha.update(std::string_view(text).substr(cut));
    CHECK(sha.hex() == whole);
  }
  fltr::Sha256 bytewise;
  for (char const c : text) bytewise.update(std::string_view(&c, 1));
  CHECK(bytewise.hex() == whole);
}

TEST_CASE("A SHA-256 digest may be computed before all bytes have arrived") {
  fltr::Sha256 sha;
  sha.update(std::string_view("ab"));
  CHECK(sha.hex() == hex("ab"));
  sha.update(std::string_view("c"));
  CHECK(sha.hex() == hex("abc"));
}
