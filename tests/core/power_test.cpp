#include <fltr/core/power.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/ulp.hpp"

namespace {

namespace math = fltr::math;

double error(double x, double y) {
  return fltr::testing::error_in_ulp(math::pow(x, y),
                                     std::pow(static_cast<long double>(x), static_cast<long double>(y)));
}

}  // namespace

TEST_CASE("pow has an error below 0.95 ulp") {
  double worst = 0.0;
  fltr::Stream stream(61);
  for (int i = 0; i < 150'000; ++i) {
    double const y = 40.0 * (stream.uniform() - 0.5);
    worst = std::max(worst, error(std::ldexp(1.0 + stream.uniform(), static_cast<int>(stream.below(50)) - 25), y));
    // Ranks and exponents of the position model.
    double const rank = 1.0 + stream.below(1000);
    worst = std::max(worst, error(rank, -3.0 * stream.uniform()));
    // Any base; results from 1e-304 to 1e304.
    double const base = std::ldexp(1.0 + stream.uniform(), static_cast<int>(stream.below(2096)) - 1074);
    worst = std::max(worst, error(base, 1400.0 * (stream.uniform() - 0.5) / std::log(base)));
    // A base near 1 with a large exponent, like the decay of Adam.
    double const step = std::floor(1e4 * stream.uniform());
    worst = std::max(worst, error(0.999, step));
  }
  CHECK(worst < 0.95);
}

TEST_CASE("pow gives small integer powers and roots exactly") {
  for (int x = 1; x <= 30; ++x)
    for (int y = 0; y <= 8; ++y) {
      double exact = 1.0;
      for (int i = 0; i < y; ++i) exact *= x;
      REQUIRE(math::pow(x, y) == exact);
    }
  for (int x = 0; x <= 100; ++x) CHECK(math::pow(x * x, 0.5) == x);
}

TEST_CASE("pow of 0, 1, infinity, NaN and negative numbers") {
  double const infinity = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (double const y : {0.0, 2.0, -3.5, 1e300, -infinity}) CHECK(math::pow(1.0, y) == 1.0);
  for (double const x : {0.0, 2.0, 1e-320, infinity}) CHECK(math::pow(x, 0.0) == 1.0);
  CHECK(math::pow(0.0, 2.0) == 0.0);
  CHECK(math::pow(0.0, -2.0) == infinity);
  CHECK(math::pow(infinity, 2.0) == infinity);
  CHECK(math::pow(infinity, -2.0) == 0.0);
  CHECK(math::pow(10.0, 400.0) == infinity);
  CHECK(math::pow(10.0, -400.0) == 0.0);
  CHECK(math::pow(0.5, infinity) == 0.0);
  CHECK(math::pow(2.0, infinity) == infinity);
  CHECK(math::pow(2.0, -1074.0) == std::numeric_limits<double>::denorm_min());
  for (double const x : {-1.0, nan, -infinity}) CHECK(std::isnan(math::pow(x, 2.0)));
  CHECK(std::isnan(math::pow(2.0, nan)));
}
