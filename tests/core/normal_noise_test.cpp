#include <fltr/core/normal_noise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <fltr/core/normal_cdf.hpp>

#include "support/catch.hpp"

TEST_CASE("NormalNoise is the Box-Muller transform of Threefry") {
  std::vector<float> noise(64);
  fltr::NormalNoise(0x0123456789abcdefU).fill(noise);
  for (std::uint32_t counter = 0; counter < 16; ++counter) {
    fltr::detail::FourWords<std::uint32_t> x{counter, 0, 0, 0};
    fltr::detail::threefry4x32(x, {0x89abcdef, 0x01234567, 0, 0});
    std::array<std::uint32_t, 4> const bits{x.a, x.b, x.c, x.d};
    for (std::size_t pair = 0; pair < 2; ++pair) {
      double const u = (static_cast<double>(bits[2 * pair] >> 8U) + 0.5) * 0x1p-24;
      double const angle = (static_cast<double>(bits[2 * pair + 1] >> 8U) * 0x1p-23 - 1.0) * std::numbers::pi;
      double const radius = std::sqrt(-2.0 * std::log(u));
      std::size_t const at = counter / 8 * 32 + pair * 16 + counter % 8;
      CHECK(static_cast<double>(noise[at]) == Approx(radius * std::cos(angle)).margin(3e-6));
      CHECK(static_cast<double>(noise[at + 8]) == Approx(radius * std::sin(angle)).margin(3e-6));
    }
  }
}

TEST_CASE("NormalNoise passes a Kolmogorov-Smirnov test against the normal distribution") {
  // Kolmogorov-Smirnov, n = 1e5, alpha = 1e-6: D < .00852.
  std::vector<float> noise(100'000);
  fltr::NormalNoise(42).fill(noise);
  std::sort(noise.begin(), noise.end());
  double worst = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    double const cdf = fltr::normal_cdf(static_cast<double>(noise[i]));
    worst = std::max(
        {worst, std::abs(cdf - static_cast<double>(i) / 1e5), std::abs(cdf - static_cast<double>(i + 1) / 1e5)});
  }
  CHECK(worst < .00852);
}

TEST_CASE("NormalNoise of a seed begins with the same numbers for every length") {
  std::vector<float> whole(200);
  fltr::NormalNoise(9).fill(whole);
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    std::vector<float> part(n);
    fltr::NormalNoise(9).fill(part);
    REQUIRE(std::equal(part.begin(), part.end(), whole.begin()));
  }
  std::vector<float> other(200);
  fltr::NormalNoise(10).fill(other);
  std::size_t same = 0;
  for (std::size_t i = 0; i < 200; ++i) same += whole[i] == other[i] ? 1U : 0U;
  CHECK(same == 0);
}

TEST_CASE("NormalNoise has no correlation between neighbouring seeds and between neighbouring numbers") {
  // A correlation of n = 1e5 pairs has a standard deviation of 1/sqrt(n) = .0032. The bound is five standard
  // deviations.
  double within = 0;
  double across = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<float> a(51);
    std::vector<float> b(51);
    fltr::NormalNoise(seed).fill(a);
    fltr::NormalNoise(seed + 1).fill(b);
    for (std::size_t i = 0; i < 50; ++i) {
      within += static_cast<double>(a[i]) * static_cast<double>(a[i + 1]);
      across += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
  }
  CHECK(std::abs(within / 1e5) < .016);
  CHECK(std::abs(across / 1e5) < .016);
}
