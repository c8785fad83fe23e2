#include <fltr/privatizers/laplace_noise.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::LaplaceNoise;
using fltr::LocalWeights;

double l1(std::vector<float> const& values) {
  double sum = 0.0;
  for (float const v : values) sum += std::abs(static_cast<double>(v));
  return sum;
}

}  // namespace

TEST_CASE("The L1 norm after the clip is at most half the sensitivity, rounding included") {
  fltr::Stream stream(121);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<float> weights(1 + stream.below(300));
    double const size = std::exp(40.0 * stream.uniform() - 20.0);
    for (float& w : weights) w = static_cast<float>(size * stream.normal());
    double const before = l1(weights);
    LaplaceNoise const mechanism{.epsilon = 1.0, .sensitivity = 2.0 * before * (0.01 + 1.2 * stream.uniform())};
    auto clipped = weights;
    mechanism.constrain(clipped);
    double const bound = mechanism.sensitivity / 2.0;
    REQUIRE(l1(clipped) <= bound);
    if (before <= bound)
      CHECK(clipped == weights);
    else
      CHECK(l1(clipped) == Approx(bound).epsilon(3e-6));
  }
}

TEST_CASE("The L1 clip keeps the direction") {
  std::vector<float> weights{3.0F, -1.0F};
  LaplaceNoise{.sensitivity = 4.0}.constrain(weights);
  CHECK(weights[0] == Approx(1.5).epsilon(3e-6));
  CHECK(weights[1] == Approx(-0.5).epsilon(3e-6));
}

TEST_CASE("Every message has Laplace noise of scale sensitivity / epsilon, after the clip") {
  LaplaceNoise const mechanism{.epsilon = 2.0, .sensitivity = 3.0};
  std::vector<float> weights(50'000, 0.0F);
  weights[0] = 1000.0F;  // clipped to 1.5
  auto const message = mechanism.privatize(LocalWeights{weights, 7}, {10, 7, {.seed = 122}});
  CHECK(message.interactions == 7);
  std::vector<double> noise(message.values.begin(), message.values.end());
  noise[0] -= 1.5;
  CHECK(std::abs(noise[0]) < 1.5 * 20);  // P = exp(-20)
  CHECK(fltr::testing::ks_distance(noise, [](double x) { return fltr::testing::laplace_cdf(x, 1.5); }) <
        fltr::testing::ks_critical(noise.size()));
  auto const other = mechanism.privatize(LocalWeights{weights, 7}, {10, 7, {.seed = 122, .client = 1}});
  CHECK(other.values != message.values);
}

TEST_CASE("LaplaceNoise accepts sensitivities next to a power of two") {
  for (double const sensitivity : {std::nextafter(1.0, 0.0), 4.0 * (1.0 - 0x1p-25), 1.0, std::nextafter(1.0, 2.0)})
    CHECK_NOTHROW(LaplaceNoise{.sensitivity = sensitivity}.privatize(LocalWeights{{0.1F}, 1}, {1, 1, {}}));
}

TEST_CASE("A message with Laplace noise costs epsilon") {
  auto const loss =
      LaplaceNoise{.epsilon = 0.7}.loss({.asked = 1000, .reported = 1000, .dimension = 46, .interactions = 4});
  CHECK(loss.epsilon_nominal == 0.7);
  CHECK(loss.epsilon_accounted == 0.7);
  CHECK(loss.delta == 0.0);
}

TEST_CASE("LaplaceNoise refuses parameters outside their ranges") {
  std::vector<float> weights{1.0F};
  double const inf = std::numeric_limits<double>::infinity();
  for (double const bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(LaplaceNoise{.epsilon = bad}.constrain(weights), std::invalid_argument);
    CHECK_THROWS_AS(LaplaceNoise{.sensitivity = bad}.constrain(weights), std::invalid_argument);
    CHECK_THROWS_AS(LaplaceNoise{.epsilon = bad}.privatize(LocalWeights{{1.0F}, 1}, {}), std::invalid_argument);
  }
  CHECK_THROWS_AS(LaplaceNoise{.sensitivity = inf}.constrain(weights), std::invalid_argument);
}
