#include <fltr/core/lane_sum.hpp>

#include <array>

#include "support/catch.hpp"

TEST_CASE("lane_sum adds each of eight lanes once") {
  for (std::size_t lane = 0; lane < fltr::simd::lanes; ++lane) {
    std::array<double, fltr::simd::lanes> v{};
    v[lane] = 3.0;
    CHECK(fltr::simd::lane_sum(v.data()) == 3.0);
  }
}

TEST_CASE("lane_sum adds lanes 4 apart, then 2 apart, then 1 apart") {
  // 2^24 + 1 is not a float. A small term is kept only if it is added to another small term first.
  float const large = 0x1p24F;
  CHECK(fltr::simd::lane_sum(std::array{large, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F}.data()) == large + 2.0F);
  CHECK(fltr::simd::lane_sum(std::array{large, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 1.0F, 0.0F}.data()) == large);
  CHECK(fltr::simd::lane_sum(std::array{large, 1.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F}.data()) == large + 2.0F);
}
