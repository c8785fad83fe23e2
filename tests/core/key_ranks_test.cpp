#include <fltr/core/detail/key_ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

TEST_CASE("key_ranks gives the position of each key in a stable descending sort") {
  fltr::Stream stream(8);
  for (std::size_t n = 0; n <= 64; n += 8) {
    std::vector<std::int32_t> keys(n);
    for (auto& key : keys) key = static_cast<std::int32_t>(stream.below(20)) - 10;
    std::vector<std::int32_t> ranks(n);
    fltr::detail::key_ranks(keys, ranks);
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t expected = 0;
      for (std::size_t j = 0; j < n; ++j) expected += keys[j] > keys[i] || (keys[j] == keys[i] && j < i) ? 1 : 0;
      REQUIRE(ranks[i] == expected);
    }
  }
}

TEST_CASE("keep_larger keeps the larger of two numbers in each lane") {
  std::vector<std::int32_t> const v{1, -5, 3, 0, 7, 7, -1, 2};
  std::vector<std::int32_t> largest{0, -6, 4, 0, 6, 8, -2, 2};
  fltr::detail::keep_larger(v.data(), largest);
  CHECK(largest == std::vector<std::int32_t>{1, -5, 4, 0, 7, 8, -1, 2});
}
