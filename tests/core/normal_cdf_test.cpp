#include <fltr/core/normal_cdf.hpp>

#include "support/catch.hpp"

TEST_CASE("normal_cdf gives tabulated values and keeps its relative precision in the lower tail") {
  CHECK(fltr::normal_cdf(0.0) == 0.5);
  CHECK(fltr::normal_cdf(1.959963984540054) == Approx(0.975).epsilon(1e-14));
  CHECK(fltr::normal_cdf(-1.0) + fltr::normal_cdf(1.0) == Approx(1.0).epsilon(1e-15));
  CHECK(fltr::normal_cdf(-10.0) == Approx(7.619853024160527e-24).epsilon(1e-13));
}
