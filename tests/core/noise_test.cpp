#include <fltr/core/noise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("Threefry gives the numbers of its authors") {
  // Salmon et al., Random123, known answers for threefry4x32 with 20 rounds.
  using Words = std::array<std::uint32_t, 4>;
  CHECK(fltr::threefry4x32<std::uint32_t>({0, 0, 0, 0}, {0, 0, 0, 0}) ==
        Words{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8});
  Words const ones{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  CHECK(fltr::threefry4x32(ones, ones) == Words{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732});
  CHECK(fltr::threefry4x32<std::uint32_t>({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                          {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}) ==
        Words{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84});
}

TEST_CASE("normal noise is Box and Muller of Threefry") {
  std::vector<float> noise(64);
  fltr::NormalNoise(0x0123456789abcdefU).fill(noise);
  for (std::uint32_t counter = 0; counter < 16; ++counter) {
    auto const bits = fltr::threefry4x32<std::uint32_t>({counter, 0, 0, 0}, {0x89abcdef, 0x01234567, 0, 0});
    for (std::size_t pair = 0; pair < 2; ++pair) {
      double const u = (static_cast<double>(bits[2 * pair] >> 8U) + 0.5) * 0x1p-24;
      double const angle = (static_cast<double>(bits[2 * pair + 1] >> 8U) * 0x1p-23 - 1.0) * std::numbers::pi;
      double const radius = std::sqrt(-2.0 * std::log(u));
      std::size_t const at = counter / 8 * 32 + pair * 16 + counter % 8;
      CHECK(static_cast<double>(noise[at]) == Approx(radius * std::cos(angle)).margin(1e-5));
      CHECK(static_cast<double>(noise[at + 8]) == Approx(radius * std::sin(angle)).margin(1e-5));
    }
  }
}

TEST_CASE("normal noise is normal") {
  // Kolmogorov-Smirnov, n = 1e5, alpha = 1e-6: D < .00852.
  std::vector<float> noise(100'000);
  fltr::NormalNoise(42).fill(noise);
  std::sort(noise.begin(), noise.end());
  double worst = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    double const cdf = 0.5 * std::erfc(-static_cast<double>(noise[i]) / std::sqrt(2.0));
    worst = std::max(
        {worst, std::abs(cdf - static_cast<double>(i) / 1e5), std::abs(cdf - static_cast<double>(i + 1) / 1e5)});
  }
  CHECK(worst < .00852);
}

TEST_CASE("the noise of a seed is one sequence, whatever its length") {
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

TEST_CASE("neighbouring seeds and neighbouring numbers are not correlated") {
  // A correlation of n = 1e5 pairs has a standard deviation of 1/sqrt(n) = .0032; five of them.
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
