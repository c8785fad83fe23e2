#include <fltr/rankers/detail/byte_lanes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/catch.hpp"

using Bytes = fltr::detail::ByteLanes;

TEST_CASE("ByteLanes: every operation on every pair of values, lane by lane") {
  using Lanes = std::array<std::int8_t, Bytes::size>;
  auto const stored = [](Bytes bytes) {
    Lanes lanes;
    bytes.store(lanes.data());
    return lanes;
  };
  for (int left = -128; left < 128; ++left) {
    auto const a = static_cast<std::int8_t>(left);
    for (int first = -128; first < 128; first += static_cast<int>(Bytes::size)) {
      Lanes right;
      for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<std::int8_t>(first + static_cast<int>(i));
      Bytes const x = Bytes::filled(a);
      Bytes const y = Bytes::load(right.data());
      auto const holds = [&](Bytes got, auto const& expected) {
        Lanes const lanes = stored(got);
        for (std::size_t i = 0; i < lanes.size(); ++i)
          if (lanes[i] != static_cast<std::int8_t>(expected(right[i]))) return false;
        return true;
      };
      REQUIRE(holds(x & y, [&](int b) { return a & b; }));
      REQUIRE(holds(x | y, [&](int b) { return a | b; }));
      REQUIRE(holds(~y, [&](int b) { return ~b; }));
      REQUIRE(holds(x - y, [&](int b) { return a - b; }));  // modulo 256
      REQUIRE(holds(x > y, [&](int b) { return a > b ? -1 : 0; }));
      REQUIRE(holds(x == y, [&](int b) { return a == b ? -1 : 0; }));
    }
  }
}
