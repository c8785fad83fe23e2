#include <fltr/core/sine_cosine.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/ulp.hpp"

using fltr::math::sine_cosine_of_turns;
using fltr::testing::error_in_ulp;

TEST_CASE("sine_cosine_of_turns has errors below 0.85 ulp") {
  // The first eighth of a turn decides the polynomials. The exact values come from angles up to π/4.
  double worst_sine = 0.0;
  double worst_cosine = 0.0;
  fltr::Stream stream(51);
  for (int i = 0; i < 400'000; ++i) {
    double turns = 0.25 * stream.uniform() - 0.125;
    if (i % 2 == 0) turns = std::ldexp(turns, -static_cast<int>(stream.below(60)));
    long double const angle = 2.0L * std::numbers::pi_v<long double> * static_cast<long double>(turns);
    auto const [sine, cosine] = sine_cosine_of_turns(turns);
    worst_sine = std::max(worst_sine, error_in_ulp(sine, std::sin(angle)));
    worst_cosine = std::max(worst_cosine, error_in_ulp(cosine, std::cos(angle)));
  }
  CHECK(worst_sine < 0.85);
  CHECK(worst_cosine < 0.85);
}

TEST_CASE("sine_cosine_of_turns swaps and changes signs by quarter turns, exactly") {
  fltr::Stream stream(52);
  for (int i = 0; i < 2000; ++i) {
    double const r = std::ldexp(std::floor(stream.uniform() * 0x1p40), -43) - 0x1p-4;  // |r| ≤ 1/16, few bits
    auto const [sine, cosine] = sine_cosine_of_turns(r);
    for (int q = -9; q <= 9; ++q) {
      auto const turned = sine_cosine_of_turns(r + 0.25 * q);
      int const quarter = ((q % 4) + 4) % 4;
      REQUIRE(turned.sine == (quarter == 0 ? sine : quarter == 1 ? cosine : quarter == 2 ? -sine : -cosine));
      REQUIRE(turned.cosine == (quarter == 0 ? cosine : quarter == 1 ? -sine : quarter == 2 ? -cosine : sine));
    }
  }
}

TEST_CASE("sine_cosine_of_turns is exact at quarter turns") {
  CHECK(sine_cosine_of_turns(0.0).sine == 0.0);
  CHECK(sine_cosine_of_turns(0.0).cosine == 1.0);
  CHECK(sine_cosine_of_turns(0.25).sine == 1.0);
  CHECK(sine_cosine_of_turns(0.25).cosine == 0.0);
  CHECK(sine_cosine_of_turns(0.5).cosine == -1.0);
  CHECK(sine_cosine_of_turns(0.75).sine == -1.0);
  CHECK(sine_cosine_of_turns(0x1p48 + 0.25).sine == 1.0);
}
