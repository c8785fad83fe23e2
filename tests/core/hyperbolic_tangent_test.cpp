#include <fltr/core/hyperbolic_tangent.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/ulp.hpp"

namespace {

namespace math = fltr::math;

double error(double x) { return fltr::testing::error_in_ulp(math::tanh(x), std::tanh(static_cast<long double>(x))); }
bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

TEST_CASE("tanh has an error below 3 ulp") {
  double worst = 0.0;
  fltr::Stream stream(71);
  for (int i = 0; i < 150'000; ++i) {
    worst = std::max(worst, error(40.0 * (stream.uniform() - 0.5)));
    worst = std::max(worst, error(stream.uniform()));
    worst = std::max(worst, error(std::ldexp(0.5 + stream.uniform(), -static_cast<int>(stream.below(60)))));
  }
  // Next to multiples of ln 2 / 4 the integer of the reduction changes.
  for (int n = 1; n <= 120; ++n)
    for (double const nearby : {-1e-13, 0.0, 1e-13}) worst = std::max(worst, error(n * 0.17328679513998632 + nearby));
  CHECK(worst < 3.0);
}

TEST_CASE("tanh agrees with values of 50 digits") {
  for (auto const& [x, exact] : {std::pair{0.5, 0.46211715726000975850231848364367254873028928033011},
                                 {1.0, 0.76159415595576488811945828260479359041276859725794},
                                 {-2.0, -0.96402758007581688394641372410092315025502997624093},
                                 {10.0, 0.99999999587769276361959283713827574105081461849502},
                                 {1e-5, 0.0000099999999996666674847105390585095018675056982758681}})
    CHECK(std::abs(math::tanh(x) - exact) <= 3.0 * 0x1p-53 * std::abs(exact));
}

TEST_CASE("tanh is odd, rises, and is 1 far from 0") {
  double const infinity = std::numeric_limits<double>::infinity();
  double last = 0.0;
  for (double x = 0.0; x < 21.0; x += 0x1p-9) {
    double const value = math::tanh(x);
    REQUIRE(value >= last);
    REQUIRE(value <= 1.0);
    REQUIRE(same_bits(math::tanh(-x), -value));
    last = value;
  }
  for (double const x : {19.1, 20.0, 800.0, 1e300, infinity}) {
    CHECK(math::tanh(x) == 1.0);
    CHECK(math::tanh(-x) == -1.0);
  }
  for (double const x : {0.0, -0.0, 5e-324, 1e-300, -0x1p-29}) CHECK(same_bits(math::tanh(x), x));
  CHECK(std::isnan(math::tanh(std::numeric_limits<double>::quiet_NaN())));
}
