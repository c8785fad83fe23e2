#include <fltr/core/noise.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

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
  for (std::size_t i = 0; i < 200; ++i) same += whole[i] == other[i] ? 1 : 0;
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
