#include <fltr/metrics/gain.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::EmptyQuery;
using fltr::Gain;
using fltr::Grade;

}  // namespace

TEST_CASE("gain of a grade") {
  STATIC_REQUIRE(fltr::gain_of(0, Gain::exponential) == 0.0);
  STATIC_REQUIRE(fltr::gain_of(1, Gain::exponential) == 1.0);
  STATIC_REQUIRE(fltr::gain_of(4, Gain::exponential) == 15.0);
  STATIC_REQUIRE(fltr::gain_of(30, Gain::exponential) == 1073741823.0);
  STATIC_REQUIRE(fltr::gain_of(0, Gain::linear) == 0.0);
  STATIC_REQUIRE(fltr::gain_of(30, Gain::linear) == 30.0);
}

TEST_CASE("discount of a rank, within and beyond the table") {
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

TEST_CASE("first_ranks: a cutoff of 0 is the whole list") {
  std::vector<Grade> const list{1, 2, 3};
  std::span<Grade const> const all(list);
  CHECK(fltr::first_ranks(all, 0).size() == 3);
  CHECK(fltr::first_ranks(all, 2).size() == 2);
  CHECK(fltr::first_ranks(all, 3).size() == 3);
  CHECK(fltr::first_ranks(all, 99).size() == 3);
  CHECK(fltr::first_ranks(std::span<Grade const>(), 10).empty());
}

TEST_CASE("what an empty query counts") {
  STATIC_REQUIRE(fltr::value_of(EmptyQuery::zero) == 0.0);
  STATIC_REQUIRE(fltr::value_of(EmptyQuery::one) == 1.0);
  STATIC_REQUIRE(!fltr::value_of(EmptyQuery::skip).has_value());
}

TEST_CASE("discounted gain by hand") {
  std::vector<Grade> const list{2, 0, 1};
  CHECK(fltr::discounted_gain(list, 0, Gain::exponential) == Approx(3.0 + 0.5).epsilon(1e-15));
  CHECK(fltr::discounted_gain(list, 2, Gain::exponential) == 3.0);
  CHECK(fltr::discounted_gain(list, 10, Gain::linear) == Approx(2.0 + 0.5).epsilon(1e-15));
  CHECK(fltr::discounted_gain({}, 10, Gain::linear) == 0.0);
}
