#include <fltr/core/chacha20.hpp>

#include <array>
#include <cstdint>

#include "support/catch.hpp"

namespace {

using Block = std::array<std::uint32_t, 16>;

constexpr fltr::Key256 counting_key{0x03020100U, 0x07060504U, 0x0b0a0908U, 0x0f0e0d0cU,
                                    0x13121110U, 0x17161514U, 0x1b1a1918U, 0x1f1e1d1cU};

}  // namespace

TEST_CASE("chacha20_block gives the numbers of RFC 8439, section 2.3.2") {
  CHECK(fltr::chacha20_block(counting_key, {1, 0x09000000U, 0x4a000000U, 0}) ==
        Block{0xe4e7f110U, 0x15593bd1U, 0x1fdd0f50U, 0xc47120a3U, 0xc7f4d1c7U, 0x0368c033U, 0x9aaa2204U, 0x4e6cd4c3U,
              0x466482d2U, 0x09aa9f07U, 0x05d7c214U, 0xa2028bd9U, 0xd19c12b5U, 0xb94e16deU, 0xe883d0cbU, 0x4e3c50a2U});
}

TEST_CASE("chacha20_block gives the numbers of RFC 8439, appendix A.1, vector 1") {
  CHECK(fltr::chacha20_block({}, {}) ==
        Block{0xade0b876U, 0x903df1a0U, 0xe56a5d40U, 0x28bd8653U, 0xb819d2bdU, 0x1aed8da0U, 0xccef36a8U, 0xc70d778bU,
              0x7c5941daU, 0x8d485751U, 0x3fe02477U, 0x374ad8b8U, 0xf4b8436aU, 0x1ca11815U, 0x69b687c3U, 0x8665eeb2U});
}

static_assert(fltr::chacha20_block({}, {})[0] == 0xade0b876U);
