#include <fltr/privatizers/gaussian_noise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <fltr/accounting/exact_gaussian.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::GaussianNoise;
using fltr::LocalWeights;

}  // namespace

TEST_CASE("The standard deviation equals that of Balle and Wang's analytic mechanism") {
  auto const sigma = [](double epsilon, double delta) {
    return GaussianNoise{.epsilon = epsilon, .delta = delta}.standard_deviation();
  };
  CHECK(sigma(1, 1e-5) == Approx(3.7306316348).epsilon(0).margin(1e-9));
  CHECK(sigma(1, 1e-6) == Approx(4.2246788893).epsilon(0).margin(1e-9));
  CHECK(sigma(4, 1e-5) == Approx(1.0811618495).epsilon(0).margin(1e-9));
}

TEST_CASE("The standard deviation is rounded up, also where the two terms of delta are nearly equal") {
  // Reference values were computed with 80 digits (mpmath).
  struct Row {
    double epsilon, delta, sigma;
  };
  for (auto const& row : {Row{1, 1e-5, 3.73063163481594181}, Row{0.1, 1e-5, 30.7495661319774485},
                          Row{0.001, 1e-5, 1724.25903358380749}, Row{1e-5, 1e-12, 458412.286660431744},
                          Row{1e-5, 1e-20, 742354.847324764435}, Row{0.00005, 1e-30, 202546.064618514915},
                          Row{10, 1e-12, 0.744612322921754357}, Row{50, 1e-5, 0.149760607560836019},
                          Row{2.5e-6, 1e-6, 198757.161772528831}, Row{2.5e-6, 1e-30, 3934314.89413556293}}) {
    double const sigma = GaussianNoise{.epsilon = row.epsilon, .delta = row.delta}.standard_deviation();
    INFO(row.epsilon << ", " << row.delta);
    CHECK(sigma >= row.sigma);
    CHECK(sigma <= row.sigma * 1.0001);
    if (row.epsilon >= 0.1) CHECK(sigma <= row.sigma * (1.0 + 1e-12));
  }
}

TEST_CASE("GaussianNoise accepts sensitivities whose noise scale is just below a power of two") {
  for (double sensitivity = 1.07220191; sensitivity < 1.07220197; sensitivity += 1e-9) {
    auto const message =
        GaussianNoise{.epsilon = 1.0, .sensitivity = sensitivity}.privatize(LocalWeights{{0.1F}, 1}, {1, 1, {}});
    REQUIRE(std::isfinite(message.values[0]));
  }
  CHECK_NOTHROW(GaussianNoise{.delta = 1e-30}.grid(46));
}

TEST_CASE("The standard deviation grows with the sensitivity and falls with epsilon and delta") {
  CHECK(GaussianNoise{.epsilon = 1, .delta = 1e-5, .sensitivity = 10}.standard_deviation() ==
        Approx(37.306316348).epsilon(1e-9));
  double last = std::numeric_limits<double>::infinity();
  for (double const epsilon : {0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0}) {
    double const sigma = GaussianNoise{.epsilon = epsilon, .delta = 1e-5}.standard_deviation();
    CHECK(sigma > 0.0);
    CHECK(sigma < last);
    last = sigma;
  }
  CHECK(GaussianNoise{.delta = 1e-3}.standard_deviation() < GaussianNoise{.delta = 1e-5}.standard_deviation());
}

TEST_CASE("The hockey-stick divergence of the continuous mechanism, by integration, equals delta") {
  // delta is the integral of max(0, p(x) - e^eps p(x - 1)), where p is the density of N(0, sigma^2).
  for (double const epsilon : {0.5, 2.0}) {
    double const sigma = GaussianNoise{.epsilon = epsilon, .delta = 1e-3}.standard_deviation();
    double sum = 0.0;
    double const step = sigma * 1e-4;
    for (double x = -12 * sigma; x < 12 * sigma; x += step) {
      double const here = std::exp(-x * x / (2 * sigma * sigma));
      double const there = std::exp(-(x - 1) * (x - 1) / (2 * sigma * sigma));
      sum += std::max(0.0, here - std::exp(epsilon) * there);
    }
    CHECK(sum * step / (sigma * std::sqrt(2 * std::numbers::pi)) == Approx(1e-3).epsilon(1e-5));
  }
}

TEST_CASE("Every message is clipped to half the sensitivity and has normal noise") {
  GaussianNoise const mechanism{.epsilon = 1.0, .delta = 1e-5, .sensitivity = 4.0};
  double const sigma = 4.0 * 3.7306316348;
  std::vector<float> weights(50'000, 0.0F);
  weights[0] = 1000.0F;  // clipped to 2
  auto const message = mechanism.privatize(LocalWeights{weights, 5}, {10, 5, {.seed = 131}});
  CHECK(message.interactions == 5);
  CHECK(std::abs(static_cast<double>(message.values[0]) - 2.0) < 6 * sigma);
  std::vector<double> noise(message.values.begin() + 1, message.values.end());
  CHECK(fltr::testing::ks_distance(noise, [&](double x) { return fltr::testing::normal_cdf(x / sigma); }) <
        fltr::testing::ks_critical(noise.size()));

  std::vector<float> clipped{30.0F, 40.0F};
  mechanism.constrain(clipped);
  CHECK(clipped[0] == Approx(1.2).epsilon(1e-6));
  CHECK(clipped[1] == Approx(1.6).epsilon(1e-6));
}

TEST_CASE("For epsilon 1 the drawn noise is at most 0.2 % larger than that of the continuous mechanism") {
  for (std::size_t const dimension : {1U, 46U, 136U, 8832U}) {
    GaussianNoise const mechanism{.epsilon = 1.0, .delta = 1e-5, .sensitivity = 4.0};
    auto const grid = mechanism.grid(dimension);
    double const drawn = static_cast<double>(grid.scale()) * grid.step();
    CHECK(drawn >= mechanism.standard_deviation());
    CHECK(drawn <= mechanism.standard_deviation() * 1.002);
  }
  // 8,832 values with this epsilon would require a finer grid.
  CHECK_THROWS_WITH((GaussianNoise{.epsilon = 1e-4}.grid(8832)), Catch::Contains("for 8832 values, got 0.0001"));
}

TEST_CASE("The drawn noise pays for the grid: it is that of epsilon - 2 eta and delta e^-eta") {
  for (std::size_t const dimension : {1U, 46U, 136U, 8832U})
    for (double const epsilon : {0.1, 1.0, 8.0}) {
      GaussianNoise const mechanism{.epsilon = epsilon, .delta = 1e-5, .sensitivity = 4.0};
      auto const d = static_cast<double>(dimension);
      double const eta = std::sqrt(d) * (std::sqrt(d) + 20.0) / 0x1p24 + d / 0x1p49;  // a scale of 2^23 steps
      auto const grid = mechanism.grid(dimension);
      double const drawn = static_cast<double>(grid.scale()) * grid.step();
      double const required = 4.0 * fltr::exact_gaussian_sigma(epsilon - 2.0 * eta, 1e-5 * std::exp(-eta));
      CHECK(drawn >= required);
      CHECK(drawn <= required * (1.0 + 0x1p-22));
    }
}

TEST_CASE("A message with Gaussian noise costs epsilon and delta") {
  auto const loss = GaussianNoise{.epsilon = 0.7, .delta = 1e-6}.loss(
      {.asked = 1000, .reported = 1000, .dimension = 46, .interactions = 4});
  CHECK(loss.epsilon_nominal == 0.7);
  CHECK(loss.epsilon_accounted == 0.7);
  CHECK(loss.delta == 1e-6);
}

TEST_CASE("GaussianNoise refuses parameters outside their ranges") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  std::vector<float> weights{1.0F};
  auto const refused = [&](GaussianNoise const& mechanism) {
    CHECK_THROWS_AS(mechanism.constrain(weights), std::invalid_argument);
    CHECK_THROWS_AS(mechanism.standard_deviation(), std::invalid_argument);
    CHECK_THROWS_AS(mechanism.privatize(LocalWeights{{1.0F}, 1}, {}), std::invalid_argument);
  };
  for (double const bad : {0.0, -1.0, nan}) {
    refused({.epsilon = bad});
    refused({.delta = bad});
    refused({.sensitivity = bad});
  }
  refused({.delta = 1.0});
  refused({.sensitivity = inf});
}
