#include <fltr/core/normal_cdf.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/ulp.hpp"

TEST_CASE("normal_cdf gives tabulated values and keeps its relative precision in the lower tail") {
  CHECK(fltr::normal_cdf(0.0) == 0.5);
  CHECK(fltr::normal_cdf(1.959963984540054) == Approx(0.975).epsilon(1e-14));
  CHECK(fltr::normal_cdf(-1.0) + fltr::normal_cdf(1.0) == Approx(1.0).epsilon(1e-15));
  CHECK(fltr::normal_cdf(-10.0) == Approx(7.619853024160527e-24).epsilon(1e-13));
}

TEST_CASE("normal_cdf has an error below 7 ulp in both tails") {
  double worst = 0.0;
  auto const check = [&](double x) {
    long double const exact = 0.5L * std::erfc(-static_cast<long double>(x) / std::numbers::sqrt2_v<long double>);
    worst = std::max(worst, fltr::testing::error_in_ulp(fltr::normal_cdf(x), exact));
  };
  fltr::Stream stream(71);
  for (int i = 0; i < 60'000; ++i) {
    check(-37.5 * stream.uniform());
    check(8.0 * stream.uniform() - 4.0);
    check(-1.0 + 0.2 * (stream.uniform() - 0.5));  // where the series ends and the continued fraction begins
  }
  for (double const x : {-1.0, std::nextafter(-1.0, 0.0), std::nextafter(1.0, 0.0), 1.0, -1e-300, 9.0}) check(x);
  CHECK(worst < 7.0);
}

TEST_CASE("normal_cdf rises from 0 to 1, and is NaN for NaN") {
  double const infinity = std::numeric_limits<double>::infinity();
  CHECK(fltr::normal_cdf(-infinity) == 0.0);
  CHECK(fltr::normal_cdf(-41.0) == 0.0);
  CHECK(fltr::normal_cdf(9.0) == 1.0);
  CHECK(fltr::normal_cdf(infinity) == 1.0);
  CHECK(std::isnan(fltr::normal_cdf(std::numeric_limits<double>::quiet_NaN())));
}
