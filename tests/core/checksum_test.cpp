#include <fltr/core/checksum.hpp>

#include <span>
#include <string_view>

#include "support/catch.hpp"

namespace {

std::uint64_t hash(std::string_view text) { return fltr::fnv1a(std::as_bytes(std::span(text))); }

}  // namespace

TEST_CASE("FNV-1a gives the published values") {
  // From the test suite that its authors publish (64 bits).
  CHECK(hash("") == 0xcbf29ce484222325ULL);
  CHECK(hash("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(hash("b") == 0xaf63df4c8601f1a5ULL);
  CHECK(hash("fo") == 0x08985907b541d342ULL);
  CHECK(hash("foo") == 0xdcb27518fed9d577ULL);
  CHECK(hash("foobar") == 0x85944171f73967e8ULL);
}

TEST_CASE("FNV-1a goes on where it stopped") {
  std::string_view const text = "foobar";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    auto const bytes = std::as_bytes(std::span(text));
    CHECK(fltr::fnv1a(bytes.subspan(cut), fltr::fnv1a(bytes.first(cut))) == 0x85944171f73967e8ULL);
  }
}
