#include <fltr/aggregators/detail/row_distances.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE("The distance of two rows has the bits of the plain loop in double") {
  Stream random(1);
  for (std::size_t const n : {1U, 2U, 7U, 8U, 9U, 10U, 25U}) {
    for (std::size_t const d : {0U, 1U, 3U, 46U, 136U, 192U, 193U, 400U}) {
      MessageRows rows(n, d);
      for (std::size_t i = 0; i < n; ++i)
        for (float& v : rows.row(i)) v = static_cast<float>(4096.0 + random.normal());
      detail::RowDistances const distances(rows);
      REQUIRE(distances.size() == n);
      std::size_t different = 0;
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(distances.row(i).size() == n);
        for (std::size_t j = 0; j < n; ++j) {
          double expected = 0.0;
          for (std::size_t k = 0; k < d; ++k) {
            double const difference = static_cast<double>(rows.row(i)[k]) - static_cast<double>(rows.row(j)[k]);
            expected += difference * difference;
          }
          auto const bits = std::bit_cast<std::uint64_t>(expected);
          different += std::bit_cast<std::uint64_t>(distances(i, j)) != bits ? 1U : 0U;
          different += std::bit_cast<std::uint64_t>(distances.row(i)[j]) != bits ? 1U : 0U;
        }
      }
      CHECK(different == 0);
    }
  }
}
