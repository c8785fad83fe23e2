#include <fltr/core/exponential.hpp>

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

namespace simd = fltr::simd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// The logarithm of the largest double, rounded down.
constexpr double log_of_largest = 0x1.62e42fefa39efp+9;

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// |value − exp(x)| in units of the last place of exp(x).
double error_in_ulp(double value, double x) {
  return fltr::testing::error_in_ulp(value, std::exp(static_cast<long double>(x)));
}

/// Test numbers in [−700, 709.78]: uniformly drawn ones, numbers near multiples of ln 2 / 2, where the integer of the
/// reduction changes, and powers of two down to the smallest double.
std::vector<double> many_arguments() {
  std::vector<double> x;
  fltr::Stream stream(11);
  for (int i = 0; i < 400'000; ++i) x.push_back(-700.0 + 1409.78 * stream.uniform());
  for (int i = 0; i < 400'000; ++i) x.push_back(2.0 * stream.uniform() - 1.0);
  for (int n = -2018; n <= 2046; ++n) {
    double const boundary = n * 0.34657359027997264;
    for (double const nearby : {boundary - 1e-13, boundary, boundary + 1e-13})
      if (nearby >= -700.0) x.push_back(nearby);
  }
  for (int e = -1074; e < 9; ++e)
    for (double const sign : {-1.0, 1.0}) x.push_back(std::ldexp(sign, e));
  return x;
}

}  // namespace

TEST_CASE("exponential differs from exp by less than 1 ulp") {
  if constexpr (std::numeric_limits<long double>::digits >= 64) {
    double worst = 0.0;
    for (double const x : many_arguments()) worst = std::max(worst, error_in_ulp(simd::exponential(x), x));
    CHECK(worst < 1.0);
  } else {
    // std::exp has an error of 1 ulp itself.
    for (double const x : many_arguments())
      REQUIRE(std::abs(simd::exponential(x) - std::exp(x)) <= 0x1p-51 * std::exp(x));
  }
}

TEST_CASE("exp_in_place gives the bits of exponential") {
  auto x = many_arguments();
  for (double const special :
       {0.0, -0.0, infinity, -infinity, not_a_number, -700.0, -701.0, -1e300, 1e300, log_of_largest})
    x.push_back(special);
  auto whole = x;
  simd::exp_in_place(whole);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += same_bits(whole[i], simd::exponential(x[i])) ? 0U : 1U;
  CHECK(wrong == 0);
}

TEST_CASE(
    "exp_in_place gives the bits of exponential for every offset and length, and writes nothing outside the span") {
  fltr::Stream stream(12);
  std::vector<double> x(60);
  for (double& v : x) v = 40.0 * stream.normal();
  for (std::size_t offset = 0; offset <= 9; ++offset)
    for (std::size_t n = 0; n <= 41; ++n) {
      auto values = x;
      simd::exp_in_place(std::span(values).subspan(offset, n));
      for (std::size_t i = 0; i < x.size(); ++i)
        REQUIRE(same_bits(values[i], i >= offset && i < offset + n ? simd::exponential(x[i]) : x[i]));
    }
}

TEST_CASE("exponential is exp(-700) for smaller numbers and NaN, infinity for large numbers, and 1 for 0") {
  double const lowest = simd::exponential(-700.0);
  CHECK(lowest > 0.0);
  CHECK(error_in_ulp(lowest, -700.0) < 1.0);
  CHECK(simd::exponential(0.0) == 1.0);
  CHECK(simd::exponential(-0.0) == 1.0);
  CHECK(simd::exponential(5e-324) == 1.0);
  for (double const x :
       {-700.1, -745.0, -1e9, -std::numeric_limits<double>::max(), -infinity, not_a_number, -not_a_number})
    CHECK(same_bits(simd::exponential(x), lowest));
  CHECK(error_in_ulp(simd::exponential(log_of_largest), log_of_largest) < 1.0);
  for (double const x :
       {std::nextafter(log_of_largest, infinity), 710.0, 1e9, std::numeric_limits<double>::max(), infinity})
    CHECK(simd::exponential(x) == infinity);
}

TEST_CASE("exp_shifted is exponential(x - shift) for every length, and writes nothing past the end") {
  fltr::Stream stream(4);
  for (std::size_t n = 0; n <= 41; ++n)
    for (double const spread : {1.0, 30.0, 200.0}) {
      std::vector<float> x(n);
      for (float& v : x) v = static_cast<float>(spread * stream.normal());
      float const shift = n > 0 ? std::ranges::max(x) : 0.0F;
      std::vector<double> out(n + 4, -1.0);
      simd::exp_shifted(x, shift, std::span(out).first(n));
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE(same_bits(out[i], simd::exponential(static_cast<double>(x[i]) - static_cast<double>(shift))));
      for (std::size_t i = n; i < n + 4; ++i) CHECK(out[i] == -1.0);
    }
}

TEST_CASE("exp_shifted never returns 0, so that every document has a positive mass") {
  float const largest = std::numeric_limits<float>::max();
  std::vector<float> const x{0.0F,    -699.0F, -700.0F, -701.0F, -1e30F, -std::numeric_limits<float>::infinity(),
                             -largest};
  std::vector<double> out(x.size());
  simd::exp_shifted(x, 0.0F, out);
  CHECK(out[0] == 1.0);
  CHECK(out[1] == Approx(std::exp(-699.0)).epsilon(1e-14));
  for (std::size_t i = 2; i < x.size(); ++i) CHECK(out[i] == Approx(std::exp(-700.0)).epsilon(1e-14));
  for (double const mass : out) CHECK(mass > 0.0);
}

TEST_CASE("exp has an error below 0.95 ulp over the whole range of double, subnormal results included") {
  double worst = 0.0;
  auto x = many_arguments();
  fltr::Stream stream(13);
  for (int i = 0; i < 200'000; ++i) x.push_back(-745.13 + 46.0 * stream.uniform());
  for (double const v : x) worst = std::max(worst, error_in_ulp(fltr::math::exp(v), v));
  CHECK(worst < 0.95);
}

TEST_CASE("exp gives the bits of exponential from -700 on") {
  std::size_t wrong = 0;
  for (double const v : many_arguments()) wrong += same_bits(fltr::math::exp(v), simd::exponential(v)) ? 0U : 1U;
  CHECK(wrong == 0);
}

TEST_CASE("exp is 0 for very small numbers, infinity for large numbers, and NaN for NaN") {
  using fltr::math::exp;
  CHECK(exp(0.0) == 1.0);
  CHECK(exp(-745.2) == 0.0);
  CHECK(exp(-745.1) == std::numeric_limits<double>::denorm_min());
  CHECK(exp(-infinity) == 0.0);
  CHECK(exp(-1e300) == 0.0);
  CHECK(exp(log_of_largest) < infinity);
  CHECK(exp(std::nextafter(log_of_largest, infinity)) == infinity);
  CHECK(exp(1e300) == infinity);
  CHECK(exp(infinity) == infinity);
  CHECK(std::isnan(exp(not_a_number)));
}

TEST_CASE("expm1 has an error below 4 ulp") {
  double worst = 0.0;
  fltr::Stream stream(14);
  for (int i = 0; i < 300'000; ++i) {
    double const x = std::ldexp(2.0 * stream.uniform() - 1.0, 6 - static_cast<int>(stream.below(60)));
    worst = std::max(worst, fltr::testing::error_in_ulp(fltr::math::expm1(x), std::expm1(static_cast<long double>(x))));
  }
  CHECK(worst < 4.0);
  for (double const x : {0.0, 5e-324, -1e-300}) CHECK(fltr::math::expm1(x) == x);
  CHECK(fltr::math::expm1(-800.0) == -1.0);
  CHECK(fltr::math::expm1(infinity) == infinity);
  CHECK(std::isnan(fltr::math::expm1(not_a_number)));
}
