#include <fltr/core/sigmoid.hpp>

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

namespace {

namespace simd = fltr::simd;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

}  // namespace

TEST_CASE("sigmoid has a relative error below 2^-22") {
  double worst = 0.0;
  for (float x = -87.0F; x <= 100.0F; x += 0x1p-10F) {
    double const exact = 1.0 / (1.0 + std::exp(-static_cast<double>(x)));
    worst = std::max(worst, std::abs(static_cast<double>(simd::sigmoid(x)) - exact) / exact);
  }
  CHECK(worst < 0x1p-22);
}

TEST_CASE("sigmoid is 1/2 at 0, exactly 0 and 1 far from 0, and NaN for NaN") {
  float const infinity = std::numeric_limits<float>::infinity();
  CHECK(simd::sigmoid(0.0F) == 0.5F);
  for (float const x : {-87.1F, -1e30F, -infinity}) CHECK(simd::sigmoid(x) == 0.0F);
  for (float const x : {87.1F, 1e30F, infinity}) CHECK(simd::sigmoid(x) == 1.0F);
  CHECK(std::isnan(simd::sigmoid(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE(
    "sigmoid_in_place gives the bits of sigmoid for every offset and length, and writes nothing outside the span") {
  fltr::Stream stream(31);
  std::vector<float> x(60);
  for (float& v : x) v = static_cast<float>(30.0 * stream.normal());
  x[7] = std::numeric_limits<float>::infinity();
  x[20] = -std::numeric_limits<float>::infinity();
  for (std::size_t offset = 0; offset <= 9; ++offset)
    for (std::size_t n = 0; n <= 41; ++n) {
      auto values = x;
      simd::sigmoid_in_place(std::span(values).subspan(offset, n));
      for (std::size_t i = 0; i < x.size(); ++i)
        REQUIRE(bits(values[i]) == bits(i >= offset && i < offset + n ? simd::sigmoid(x[i]) : x[i]));
    }
}
