#include <fltr/metrics/gain.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Gain;

}  // namespace

TEST_CASE("gain_of: 2^g - 1 or g") {
  STATIC_REQUIRE(fltr::gain_of(0, Gain::exponential) == 0.0);
  STATIC_REQUIRE(fltr::gain_of(1, Gain::exponential) == 1.0);
  STATIC_REQUIRE(fltr::gain_of(4, Gain::exponential) == 15.0);
  STATIC_REQUIRE(fltr::gain_of(30, Gain::exponential) == 1073741823.0);
  STATIC_REQUIRE(fltr::gain_of(0, Gain::linear) == 0.0);
  STATIC_REQUIRE(fltr::gain_of(30, Gain::linear) == 30.0);
}
