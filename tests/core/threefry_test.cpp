#include <fltr/core/detail/threefry.hpp>

#include <array>
#include <cstdint>

#include "support/catch.hpp"

TEST_CASE("Threefry gives the numbers of its authors") {
  // Salmon et al., Random123, known answers for threefry4x32 with 20 rounds.
  using Words = std::array<std::uint32_t, 4>;
  auto const threefry = [](Words const& counter, Words const& key) {
    fltr::detail::FourWords<std::uint32_t> x{counter[0], counter[1], counter[2], counter[3]};
    fltr::detail::threefry4x32(x, key);
    return Words{x.a, x.b, x.c, x.d};
  };
  CHECK(threefry({0, 0, 0, 0}, {0, 0, 0, 0}) == Words{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8});
  Words const ones{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  CHECK(threefry(ones, ones) == Words{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732});
  CHECK(threefry({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}) ==
        Words{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84});
}
