#include <fltr/core/checksum.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

/// The test input of xxHash's own sanity check (xxhsum.c).
std::vector<std::byte> sanity_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint64_t generator = 2'654'435'761U;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(generator >> 56U);
    generator *= 11'400'714'785'074'694'797U;
  }
  return bytes;
}

}  // namespace

TEST_CASE("The checksum is XXH3 with the values of xxHash's sanity check") {
  std::vector<std::pair<std::size_t, std::uint64_t>> const published{
      {0, 0x2D06800538D394C2U},   {1, 0xC44BDFF4074EECDBU},   {6, 0x27B56A84CD2D7325U},    {12, 0xA713DAF0DFBB77E7U},
      {24, 0xA3FE70BF9D3510EBU},  {48, 0x397DA259ECBA1F11U},  {80, 0xBCDEFBBB2C47C90AU},   {195, 0xCD94217EE362EC3AU},
      {403, 0xCDEB804D65C6DEA4U}, {512, 0x617E49599013CB6BU}, {2048, 0xDD59E2C3A5F038E0U}, {2240, 0x6E73A90539CF2948U},
      {2367, 0xCB37AEB9E5D361EDU}};
  for (auto const& [size, value] : published) {
    INFO(size);
    CHECK(fltr::checksum(sanity_bytes(size)) == value);
  }
  CHECK(fltr::checksum_128({}) == std::array<std::uint64_t, 2>{0x6001C324468D497FU, 0x99AA06D3014798D8U});
}

TEST_CASE("The checksum of pieces is the checksum of the whole") {
  for (std::size_t const size : {0U, 7U, 300U, 3000U}) {
    auto const bytes = sanity_bytes(size);
    for (std::size_t cut = 0; cut <= size; cut += 1 + size / 50) {
      fltr::Checksum pieces;
      pieces.update(std::span(bytes).first(cut));
      pieces.update(std::span(bytes).subspan(cut));
      CHECK(pieces.value() == fltr::checksum(bytes));
    }
  }
}

TEST_CASE("The 128-bit checksum depends on the seed") {
  auto const bytes = sanity_bytes(1000);
  CHECK(fltr::checksum_128(bytes, 0) == fltr::checksum_128(bytes));
  CHECK(fltr::checksum_128(bytes, 1) != fltr::checksum_128(bytes));
}
