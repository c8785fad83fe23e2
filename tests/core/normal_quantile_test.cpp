#include <cmath>
#include <limits>
#include <stdexcept>

#include <fltr/core/normal_cdf.hpp>
#include <fltr/core/normal_quantile.hpp>

#include "support/catch.hpp"

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using fltr::normal_cdf;
using fltr::normal_quantile;

TEST_CASE("normal_quantile gives tabulated values") {
  // √2 erf⁻¹(2p − 1) of the double p, computed with 40 digits (1e-300: with 400).
  CHECK_THAT(normal_quantile(0.75), WithinRel(0.6744897501960817, 1e-15));
  CHECK_THAT(normal_quantile(0.975), WithinRel(1.959963984540054, 1e-15));
  CHECK_THAT(normal_quantile(0.995), WithinRel(2.5758293035489004, 1e-15));
  CHECK_THAT(normal_quantile(0x1p-20), WithinRel(-4.763001034267814, 1e-15));
  CHECK_THAT(normal_quantile(0x1p-50), WithinRel(-7.956038125481531, 1e-15));
  CHECK_THAT(normal_quantile(1e-300), WithinRel(-37.0470962993612, 1e-14));
  CHECK(normal_quantile(0.5) == 0.0);
}

TEST_CASE("normal_quantile inverts normal_cdf and is symmetric") {
  for (double x = -37.0; x < 0.0; x += 0.37) {
    CAPTURE(x);
    // A relative error e of p moves the quantile by e · p / φ(x), and p / φ(x) < 1 / |x| + 1.3 for x < 0.
    CHECK_THAT(normal_quantile(normal_cdf(x)), WithinAbs(x, 4e-15 * (1.3 + 1.0 / -x) + 1e-15 * -x));
  }
  for (double const p : {0.5 - 0x1p-53, 0.4375, 0.25, 0x1p-50}) CHECK(normal_quantile(1.0 - p) == -normal_quantile(p));
}

TEST_CASE("normal_quantile requires a probability inside (0, 1)") {
  for (double const p : {0.0, 1.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(normal_quantile(p), std::invalid_argument);
  CHECK_THROWS_WITH(normal_quantile(1.5), "normal_quantile: required a probability in (0, 1), got 1.5");
  CHECK(std::isfinite(normal_quantile(std::numeric_limits<double>::denorm_min())));
  CHECK(std::isfinite(normal_quantile(1.0 - 0x1p-53)));
}
