#include <fltr/aggregators/detail/sorted_columns.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using namespace fltr;

// The network compares the same rows for all values. By the 0-1 principle it sorts if it sorts all inputs of zeros and
// ones; columns of random zeros and ones with every share of ones, and all 2ⁿ inputs for n ≤ 12, show this.
TEST_CASE("The network sorts every column of zeros and ones") {
  for (std::size_t n = 0; n <= 12; ++n) {
    for (std::size_t input = 0; input < std::size_t{1} << n; input += 8) {
      auto const tile = detail::CacheLines<double>(n);
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t c = 0; c < 8; ++c) tile[j][c] = static_cast<double>((input + c) >> j & 1U);
      detail::sort_columns(tile.get(), n);
      for (std::size_t j = 1; j < n; ++j)
        for (std::size_t c = 0; c < 8; ++c)
          if (tile[j - 1][c] > tile[j][c]) FAIL("not sorted: " << n << " rows, input " << input + c);
    }
  }
  Stream random(2);
  for (std::size_t const n : {13U, 31U, 32U, 33U, 64U, 100U, 1000U, 1025U}) {
    auto const tile = detail::CacheLines<float>(n);
    std::vector<std::size_t> ones(16);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < 16; ++c) {
        tile[j][c] = random.bernoulli(static_cast<double>(c + 1) / 17.0) ? 1.0F : 0.0F;
        ones[c] += tile[j][c] > 0.0F ? 1U : 0U;
      }
    detail::sort_columns(tile.get(), n);
    bool right = true;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < 16; ++c) right = right && (tile[j][c] > 0.0F) == (j >= n - ones[c]);
    CHECK(right);
  }
}

TEST_CASE("by_sorted_column visits the sorted values of each coordinate of the chosen rows") {
  Stream random(3);
  for (std::size_t const d : {1U, 15U, 16U, 17U, 46U}) {
    MessageRows rows(9, d);
    for (std::size_t i = 0; i < 9; ++i)
      for (float& v : rows.row(i)) v = static_cast<float>(random.normal());
    std::vector<std::size_t> const chosen{8, 1, 4, 5};
    for (std::size_t place = 0; place < 4; ++place) {
      auto const got = detail::by_sorted_column(rows, chosen, [=](detail::SortedColumn v) { return v[place]; });
      for (std::size_t k = 0; k < d; ++k) {
        std::vector<float> column;
        for (std::size_t const i : chosen) column.push_back(rows.row(i)[k]);
        std::ranges::sort(column);
        CHECK(got[k] == column[place]);
      }
    }
  }
}
