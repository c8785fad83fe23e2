#include <fltr/privatizers/gamma_noise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::ClipAt;
using fltr::GammaNoise;
using fltr::LocalWeights;
using fltr::PrivacyContext;
using fltr::RoundRelease;
using fltr::ServerView;
using namespace fltr::testing;

double const infinity = std::numeric_limits<double>::infinity();

/// The sum of the noise of the first `reporting` of `n` clients.
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

/// A round of ten clients whose server is assumed to keep only the sum.
RoundRelease release_of(std::uint64_t reported, std::size_t dimension = 1) {
  return {.asked = 10, .reported = reported, .dimension = dimension, .interactions = 4};
}

}  // namespace

TEST_CASE("The noise of all clients together is Laplace") {
  GammaNoise const mechanism{.epsilon = 4.5, .sensitivity = 5.0};
  for (std::uint32_t const n : {1U, 2U, 10U, 100U, 1000U})
    CHECK(ks_distance(noise_of(mechanism, n, n, 10'000), [](double x) { return laplace_cdf(x, 5.0 / 4.5); }) <
          ks_critical(10'000));
}

TEST_CASE("The noise does not depend on the weights: the same stream adds the same noise to any weights") {
  GammaNoise const mechanism{.epsilon = 4.5, .sensitivity = 5.0};
  fltr::detail::NoiseGrid const grid(5.0 / 4.5);
  // Weights of 8 to 15 steps of the grid: their sum with the noise has a float without rounding if the noise is small,
  // and the differences are compared only there.
  std::size_t const d = 2000;
  std::vector<float> a(d);
  std::vector<float> b(d);
  for (std::size_t i = 0; i < d; ++i) {
    a[i] = grid.to_float(8 + static_cast<std::int64_t>(i % 8));
    b[i] = grid.to_float(-15 + static_cast<std::int64_t>(i % 5));
  }
  std::vector<std::int64_t> const steps_a = grid.to_steps(a);
  std::vector<std::int64_t> const steps_b = grid.to_steps(b);
  auto const steps_of = [&](float v) { return static_cast<std::int64_t>(static_cast<double>(v) / grid.step()); };
  for (std::uint32_t const n : {200U, 1000U}) {
    std::size_t noisy = 0;
    std::size_t compared = 0;
    for (std::uint32_t client = 0; client < 20; ++client) {
      PrivacyContext const context{n, 4, {.seed = 5, .round = 2, .client = client}};
      auto const from_a = mechanism.privatize(LocalWeights{a, 4}, context);
      auto const from_b = mechanism.privatize(LocalWeights{b, 4}, context);
      for (std::size_t i = 0; i < d; ++i) {
        auto const noise_a = steps_of(from_a.values[i]) - steps_a[i];
        auto const noise_b = steps_of(from_b.values[i]) - steps_b[i];
        if (std::abs(noise_a) < (1 << 24) - 16) {
          REQUIRE(noise_a == noise_b);
          ++compared;
        } else {
          REQUIRE(std::abs(static_cast<double>(noise_a - noise_b)) <= 0x1p-22 * std::abs(static_cast<double>(noise_a)));
        }
        if (noise_a != 0) ++noisy;
      }
    }
    CHECK(compared > 20 * d * 9 / 10);
    CHECK(noisy > 100);  // the test would pass without noise
  }
}

TEST_CASE("The noise of clients that do not report is missing in the sum") {
  // s is the share of clients that report. The variance is 2 b^2 s and the fourth cumulant 12 b^4 s, so that the
  // standard error of the variance of d coordinates is b^2 sqrt((12 s + 8 s^2) / d).
  double const b = 5.0 / 4.5;
  std::size_t const d = 20'000;
  for (std::uint32_t const reporting : {2U, 5U, 10U}) {
    double const s = reporting / 10.0;
    double const measured = variance(noise_of({.epsilon = 4.5, .sensitivity = 5.0}, 10, reporting, d));
    double const error = b * b * std::sqrt((12 * s + 8 * s * s) / static_cast<double>(d));
    CHECK(std::abs(measured - 2 * b * b * s) < 5 * error);
  }
}

TEST_CASE("The weights are clipped at half the sensitivity or at the sensitivity") {
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

TEST_CASE("The loss gives the paper's epsilon as nominal and the one that holds as accounted") {
  // The L1 sensitivity is sqrt(d) times the L2 sensitivity with the clip at Δ / 2, and twice that with the clip at Δ.
  auto const half = GammaNoise{.epsilon = 4.5, .sensitivity = 5.0}.loss(
      {.asked = 50, .reported = 50, .dimension = 46, .interactions = 4});
  CHECK(half.epsilon_nominal == 4.5);
  CHECK(half.epsilon_accounted == Approx(4.5 * std::sqrt(46.0)).epsilon(1e-15));
  CHECK(half.delta == 0.0);
  auto const delta = GammaNoise{.epsilon = 4.5, .sensitivity = 5.0, .clip_at = ClipAt::delta}.loss(
      {.asked = 50, .reported = 50, .dimension = 136, .interactions = 4});
  CHECK(delta.epsilon_nominal == 4.5);
  CHECK(delta.epsilon_accounted == Approx(4.5 * 2 * std::sqrt(136.0)).epsilon(1e-15));
  CHECK(half.epsilon_accounted / 4.5 == Approx(6.8).margin(0.05));
  CHECK(delta.epsilon_accounted / 2 / 4.5 == Approx(11.7).margin(0.05));
}

TEST_CASE("Noise is a function of the streams, and the message holds the requested interactions") {
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

TEST_CASE("The noise of one of a million clients is finite") {
  auto const message = GammaNoise{}.privatize(LocalWeights{std::vector<float>(10'000), 1}, {1'000'000, 1, {.seed = 1}});
  for (float const v : message.values) REQUIRE(std::isfinite(v));
}

TEST_CASE("GammaNoise refuses parameters outside their ranges") {
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

TEST_CASE("GammaNoise accounts for missing noise: values for 46 parameters") {
  GammaNoise const mechanism{.epsilon = 1.2, .sensitivity = 5.0};
  auto const accounted = [&](std::uint64_t reported) {
    return mechanism.loss({.asked = 100, .reported = reported, .dimension = 46, .interactions = 4}).epsilon_accounted;
  };
  CHECK(accounted(60) == Approx(53.5).margin(0.05));
  CHECK(accounted(70) == Approx(29.6).margin(0.05));
  CHECK(accounted(90) == Approx(12.0).margin(0.05));
  CHECK(accounted(99) == Approx(8.45).margin(0.005));
  CHECK(accounted(100) == Approx(8.14).margin(0.005));
  // Attackers add no noise: 9 reports of 10 clients with one attacker have the loss of 8 reports.
  auto attacked = release_of(9);
  attacked.noiseless = 1;
  CHECK(mechanism.loss(attacked).epsilon_accounted == mechanism.loss(release_of(8)).epsilon_accounted);
  // The clip at Δ doubles the shift, like twice the ε.
  GammaNoise const delta{.epsilon = 0.6, .sensitivity = 5.0, .clip_at = ClipAt::delta};
  CHECK(delta.loss(release_of(7, 46)).epsilon_accounted == mechanism.loss(release_of(7, 46)).epsilon_accounted);
}

TEST_CASE("The noise of colluding clients does not count: 10 reports of which 4 collude have the noise of 6") {
  GammaNoise const colluding{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 10, .colluding = 4};
  GammaNoise const six{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 6};
  auto const complete = colluding.loss(release_of(10));
  CHECK(complete.epsilon_accounted == 0.5);
  CHECK(complete.assumption ==
        "assumes a server that keeps only sums; assumes that at most 4 of the reporting clients collude or add no "
        "noise");
  CHECK(colluding.loss(release_of(9)).epsilon_accounted == six.loss(release_of(5)).epsilon_accounted);
  CHECK(colluding.loss(release_of(7)).epsilon_accounted == infinity);  // 3 of 6
  LocalWeights const message{{0.25F, -0.125F, 0.0F}, 1};
  PrivacyContext const context{10, 1, {.seed = 1, .round = 1, .client = 3}};
  CHECK(colluding.privatize(message, context).values == six.privatize(message, context).values);
  CHECK_THROWS_WITH((GammaNoise{.fewest_reports = 4, .colluding = 4}.loss(release_of(10))),
                    ContainsSubstring("required more fewest_reports than colluding clients, got 4"));
}

TEST_CASE("Under a seal with a grid, the rounding of messages to floats is named as not covered") {
  auto release = release_of(10);
  release.view = ServerView::sealed_sum;
  release.sum_step = 0x1p-32;
  auto const loss = GammaNoise{.epsilon = 0.5, .sensitivity = 1.0}.loss(release);
  CHECK(loss.epsilon_accounted == 0.5);
  CHECK(loss.assumption ==
        "does not cover the rounding of each message to floats, which the sum shows (PolyaNoise has none)");
}

TEST_CASE("An infinite loss has a reason, and a finite loss has an assumption unless messages are sealed") {
  GammaNoise const mechanism{.epsilon = 0.5, .sensitivity = 1.0};
  std::string const missing = "half of the noise or more is missing: clients did not report or added none";
  std::string const weights = "messages have different weights, so their noise does not add up to Laplace noise";
  std::string const single = "the server or attackers see single messages, which carry a small share of the noise";
  auto const infinite = [&](RoundRelease const& release, std::string const& reason) {
    auto const loss = mechanism.loss(release);
    CHECK(loss.epsilon_nominal == 0.5);
    CHECK(loss.epsilon_accounted == infinity);
    CHECK(loss.reason == reason);
    CHECK(loss.assumption.empty());
  };
  for (auto const view : {ServerView::sealed_sum, ServerView::assumed_sum}) {
    for (std::uint64_t const reported : {0U, 1U, 4U, 5U}) {
      auto release = release_of(reported);
      release.view = view;
      infinite(release, missing);
    }
    auto noiseless = release_of(10);
    noiseless.view = view;
    noiseless.noiseless = 5;
    infinite(noiseless, missing);
    noiseless.noiseless = 10;
    infinite(noiseless, missing);
    auto unequal = release_of(10);
    unequal.view = view;
    unequal.largest_weight = 2.0;
    infinite(unequal, weights);

    auto release = release_of(10);
    release.view = view;
    auto const finite = mechanism.loss(release);
    CHECK(finite.epsilon_accounted == 0.5);
    CHECK(finite.reason.empty());
    CHECK(finite.assumption ==
          (view == ServerView::assumed_sum ? "assumes a server that keeps only sums" : std::string()));
  }
  auto seen = release_of(10);
  seen.view = ServerView::messages;
  infinite(seen, single);
  // If one client was asked, its message has all the noise.
  RoundRelease const alone{.asked = 1, .reported = 1, .dimension = 1, .view = ServerView::messages};
  CHECK(mechanism.loss(alone).epsilon_accounted == 0.5);
  CHECK(mechanism.loss(alone).reason.empty());
}

TEST_CASE("A discarded round costs nothing if messages are sealed, and the usual loss otherwise") {
  GammaNoise const mechanism{.epsilon = 0.5, .sensitivity = 1.0};
  for (std::uint64_t const reported : {1U, 5U, 6U, 10U}) {
    auto release = release_of(reported);
    release.discarded = true;
    release.view = ServerView::sealed_sum;
    CHECK(mechanism.loss(release).epsilon_accounted == 0.0);
    CHECK(mechanism.loss(release).reason.empty());
    release.view = ServerView::assumed_sum;
    CHECK(mechanism.loss(release).epsilon_accounted == mechanism.loss(release_of(reported)).epsilon_accounted);
    release.view = ServerView::messages;
    CHECK(mechanism.loss(release).epsilon_accounted == infinity);
  }
}
