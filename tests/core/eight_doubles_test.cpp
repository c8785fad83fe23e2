#include <fltr/core/eight_doubles.hpp>

#include <array>
#include <cstddef>

#include <fltr/core/lane_sum.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::simd::EightDoubles;

std::array<double, 8> random_doubles(fltr::Stream& stream) {
  std::array<double, 8> values;
  for (double& v : values) v = stream.uniform() * (stream.below(3) == 0 ? 1e-9 : 1.0);
  return values;
}

}  // namespace

TEST_CASE("EightDoubles: running sums are bit-equal to the sums over 1, then 2, then 4 places") {
  fltr::Stream stream(4);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    auto const v = random_doubles(stream);
    auto expected = v;
    for (std::size_t const places : {1U, 2U, 4U}) {
      auto const before = expected;
      for (std::size_t i = places; i < 8; ++i) expected[i] = before[i] + before[i - places];
    }
    std::array<double, 8> sums;
    EightDoubles::load(v.data()).running_sums().store(sums.data());
    REQUIRE(sums == expected);
    REQUIRE(EightDoubles::load(v.data()).sum() == fltr::simd::lane_sum(v.data()));
  }
}

TEST_CASE("EightDoubles: count_at_most counts the lanes up to x, equal ones included") {
  fltr::Stream stream(5);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    auto const v = random_doubles(stream);
    double const x = repeat % 2 == 0 ? stream.uniform() : v[stream.below(8)];
    std::size_t expected = 0;
    for (double const lane : v)
      if (lane <= x) ++expected;
    REQUIRE(EightDoubles::load(v.data()).count_at_most(x) == expected);
  }
}

TEST_CASE("EightDoubles: each applies a function lane by lane, and += adds") {
  std::array<double, 8> const a{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<double, 8> const b{8, 7, 6, 5, 4, 3, 2, 1};
  auto product = EightDoubles::each([](auto x, auto y) { return x * y; }, EightDoubles::load(a.data()),
                                    EightDoubles::load(b.data()));
  product += EightDoubles::filled(0.5);
  std::array<double, 8> out;
  product.store(out.data());
  CHECK(out == std::array<double, 8>{8.5, 14.5, 18.5, 20.5, 20.5, 18.5, 14.5, 8.5});
}
