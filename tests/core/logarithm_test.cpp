#include <fltr/core/logarithm.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/ulp.hpp"

namespace {

namespace math = fltr::math;
using fltr::testing::error_in_ulp;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Positive numbers of every magnitude, subnormal ones included, and many near 1.
std::vector<double> positive_numbers() {
  std::vector<double> x;
  fltr::Stream stream(41);
  for (int i = 0; i < 200'000; ++i) {
    x.push_back(std::ldexp(1.0 + stream.uniform(), static_cast<int>(stream.below(2097)) - 1074));
    x.push_back(0.5 + 1.5 * stream.uniform());
    x.push_back(1.0 + std::ldexp(stream.uniform() - 0.5, -static_cast<int>(stream.below(50))));
  }
  x.push_back(std::numeric_limits<double>::denorm_min());
  x.push_back(std::numeric_limits<double>::min());
  x.push_back(std::numeric_limits<double>::max());
  return x;
}

}  // namespace

TEST_CASE("log and log2 have errors below 0.85 ulp") {
  double worst = 0.0;
  double worst2 = 0.0;
  for (double const x : positive_numbers()) {
    worst = std::max(worst, error_in_ulp(math::log(x), std::log(static_cast<long double>(x))));
    worst2 = std::max(worst2, error_in_ulp(math::log2(x), std::log2(static_cast<long double>(x))));
  }
  CHECK(worst < 0.85);
  CHECK(worst2 < 0.85);
}

TEST_CASE("log1p has an error below 3 ulp") {
  double worst = 0.0;
  fltr::Stream stream(42);
  for (int i = 0; i < 300'000; ++i) {
    double const x = std::ldexp(2.0 * stream.uniform() - 1.0, -static_cast<int>(stream.below(60)));
    worst = std::max(worst, error_in_ulp(math::log1p(x), std::log1p(static_cast<long double>(x))));
  }
  CHECK(worst < 3.0);
  for (double const x : {0.0, 1e-300, -1e-20}) CHECK(math::log1p(x) == x);
  CHECK(math::log1p(-1.0) == -infinity);
  CHECK(std::isnan(math::log1p(-2.0)));
  CHECK(std::isnan(math::log1p(not_a_number)));
  CHECK(math::log1p(infinity) == infinity);
}

TEST_CASE("log2 of a power of two is exact, and log of 1 is 0") {
  for (int e = -1074; e <= 1023; ++e) REQUIRE(math::log2(std::ldexp(1.0, e)) == e);
  CHECK(math::log(1.0) == 0.0);
}

TEST_CASE("log and log2 of 0, negative numbers, infinity and NaN are those of the standard library") {
  for (auto const log : {math::log, math::log2}) {
    CHECK(log(0.0) == -infinity);
    CHECK(log(-0.0) == -infinity);
    CHECK(log(infinity) == infinity);
    for (double const x : {-1e-320, -1.0, -infinity, not_a_number}) CHECK(std::isnan(log(x)));
  }
}

TEST_CASE("log_in_place gives the bits of log for every length") {
  auto x = positive_numbers();
  for (double const special : {0.0, -1.0, infinity, not_a_number, -0.0}) x.push_back(special);
  auto logs = x;
  fltr::simd::log_in_place(logs);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += same_bits(logs[i], math::log(x[i])) ? 0U : 1U;
  CHECK(wrong == 0);
  for (std::size_t n = 0; n <= 20; ++n) {
    auto part = x;
    fltr::simd::log_in_place(std::span(part).first(n));
    for (std::size_t i = 0; i < 24; ++i) REQUIRE(same_bits(part[i], i < n ? logs[i] : x[i]));
  }
}
