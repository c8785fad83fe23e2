#include <fltr/privatizers/gamma_noise.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::ClipAt;
using fltr::GammaNoise;
using fltr::LocalWeights;
using fltr::PrivacyContext;
using namespace fltr::testing;

/// The sum of what the first `reporting` of `n` clients add to zeros.
std::vector<double> noise_of(GammaNoise const& mechanism, std::uint32_t n, std::uint32_t reporting, std::size_t d) {
  std::vector<double> sum(d);
  for (std::uint32_t client = 0; client < reporting; ++client) {
    PrivacyContext const context{n, 4, {.seed = 111, .round = 3, .client = client}};
    auto const message = mechanism.privatize(LocalWeights{std::vector<float>(d), 4}, context);
    for (std::size_t i = 0; i < d; ++i) sum[i] += static_cast<double>(message.values[i]);
  }
  return sum;
}

double variance(std::vector<double> const& values) {
  double squares = 0.0;
  for (double const v : values) squares += v * v;
  return squares / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("the noise of all clients together is Laplace") {
  GammaNoise const mechanism{.epsilon = 4.5, .sensitivity = 5.0};
  for (std::uint32_t const n : {1U, 2U, 10U, 50U})
    CHECK(ks_distance(noise_of(mechanism, n, n, 10'000), [](double x) { return laplace_cdf(x, 5.0 / 4.5); }) <
          ks_critical(10'000));
}

TEST_CASE("clients that do not report take their share of the noise away") {
  // The variance is 2 b^2 s with s the share that reports. The fourth cumulant is 12 b^4 s, so that the standard
  // error of the variance of d coordinates is b^2 sqrt((12 s + 8 s^2) / d).
  double const b = 5.0 / 4.5;
  std::size_t const d = 20'000;
  for (std::uint32_t const reporting : {2U, 5U, 10U}) {
    double const s = reporting / 10.0;
    double const measured = variance(noise_of({.epsilon = 4.5, .sensitivity = 5.0}, 10, reporting, d));
    double const error = b * b * std::sqrt((12 * s + 8 * s * s) / static_cast<double>(d));
    CHECK(std::abs(measured - 2 * b * b * s) < 5 * error);
  }
}

TEST_CASE("the weights are clipped at half the sensitivity, or at all of it") {
  std::vector<float> const far{30.0F, 40.0F};
  auto weights = far;
  GammaNoise{.epsilon = 1.0, .sensitivity = 5.0}.constrain(weights);
  CHECK(weights[0] == Approx(1.5).epsilon(1e-6));
  CHECK(weights[1] == Approx(2.0).epsilon(1e-6));
  weights = far;
  GammaNoise{.epsilon = 1.0, .sensitivity = 5.0, .clip_at = ClipAt::delta}.constrain(weights);
  CHECK(weights[0] == Approx(3.0).epsilon(1e-6));
  CHECK(weights[1] == Approx(4.0).epsilon(1e-6));
}

TEST_CASE("the loss states what the paper says and what holds") {
  // L1 sensitivity: sqrt(d) times the L2 one with the clip at half, twice that with the clip at delta.
  auto const half = GammaNoise{.epsilon = 4.5, .sensitivity = 5.0}.loss({.asked = 50, .reported = 50, .dimension = 46, .interactions = 4});
  CHECK(half.epsilon_nominal == 4.5);
  CHECK(half.epsilon_accounted == Approx(4.5 * std::sqrt(46.0)).epsilon(1e-15));
  CHECK(half.delta == 0.0);
  auto const delta = GammaNoise{.epsilon = 4.5, .sensitivity = 5.0, .clip_at = ClipAt::delta}.loss({.asked = 50, .reported = 50, .dimension = 136, .interactions = 4});
  CHECK(delta.epsilon_nominal == 4.5);
  CHECK(delta.epsilon_accounted == Approx(4.5 * 2 * std::sqrt(136.0)).epsilon(1e-15));
  CHECK(half.epsilon_accounted / 4.5 == Approx(6.8).margin(0.05));
  CHECK(delta.epsilon_accounted / 2 / 4.5 == Approx(11.7).margin(0.05));
}

TEST_CASE("noise is a function of the streams; the interactions that were asked for are sent") {
  GammaNoise const mechanism;
  LocalWeights const message{{1.0F, 2.0F, 3.0F}, 2};
  auto const noisy = [&](fltr::Streams streams) { return mechanism.privatize(message, {1, 4, streams}); };
  CHECK(noisy({.seed = 1}).values == noisy({.seed = 1}).values);
  CHECK(noisy({.seed = 1}).values != noisy({.seed = 2}).values);
  CHECK(noisy({.seed = 1}).values != noisy({.seed = 1, .round = 1}).values);
  CHECK(noisy({.seed = 1}).values != noisy({.seed = 1, .client = 1}).values);
  CHECK(noisy({.seed = 1}).values != message.values);
  CHECK(noisy({.seed = 1}).interactions == 4);
}

TEST_CASE("among a million clients nobody's noise is NaN") {
  auto const message = GammaNoise{}.privatize(LocalWeights{std::vector<float>(10'000), 1}, {1'000'000, 1, {.seed = 1}});
  for (float const v : message.values) REQUIRE(std::isfinite(v));
}

TEST_CASE("GammaNoise refuses parameters that mean nothing") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  std::vector<float> weights{1.0F};
  auto const refused = [&](GammaNoise const& mechanism) {
    CHECK_THROWS_AS(mechanism.constrain(weights), std::invalid_argument);
    CHECK_THROWS_AS(mechanism.privatize(LocalWeights{{1.0F}, 1}, {1, 0, {}}), std::invalid_argument);
  };
  for (double const bad : {0.0, -1.0, nan}) {
    refused({.epsilon = bad});
    refused({.sensitivity = bad});
  }
  refused({.sensitivity = inf});
  CHECK_THROWS_WITH(GammaNoise{.epsilon = 0.0}.constrain(weights), "GammaNoise: required an epsilon > 0, got 0");
  CHECK_THROWS_AS(GammaNoise{}.privatize(LocalWeights{{1.0F}, 1}, {0, 0, {}}), std::invalid_argument);
}
