#include <fltr/metrics/rank_discount.hpp>

#include <cmath>
#include <cstddef>

#include "support/catch.hpp"

TEST_CASE("rank_discount is 1 / log2(rank + 1), within and beyond the table") {
  CHECK(fltr::rank_discount(1) == 1.0);
  CHECK(fltr::rank_discount(3) == 0.5);
  CHECK(fltr::rank_discount(7) == Approx(1.0 / 3.0).epsilon(1e-15));
  CHECK(fltr::rank_discount(63) == Approx(1.0 / 6.0).epsilon(1e-15));
  CHECK(fltr::rank_discount(127) == Approx(1.0 / 7.0).epsilon(1e-15));
  CHECK(fltr::rank_discount(1023) == Approx(0.1).epsilon(1e-15));
  for (std::size_t rank = 1; rank < 200; ++rank) {
    CHECK(fltr::rank_discount(rank) == Approx(1.0 / std::log2(static_cast<double>(rank) + 1.0)).epsilon(1e-15));
    CHECK(fltr::rank_discount(rank + 1) < fltr::rank_discount(rank));
  }
}
