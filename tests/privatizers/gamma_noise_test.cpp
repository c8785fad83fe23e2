#include <fltr/privatizers/gamma_noise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/core/random.hpp>

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

std::string const against_server =
    "against the server alone: assumes that no client uses its knowledge of its own noise";

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
  auto const half = GammaNoise{.epsilon = 4.5, .sensitivity = 5.0, .colluding = 0}.loss(
      {.asked = 50, .reported = 50, .dimension = 46, .interactions = 4});
  CHECK(half.epsilon_nominal == 4.5);
  CHECK(half.epsilon_accounted == Approx(4.5 * std::sqrt(46.0)).epsilon(1e-15));
  CHECK(half.delta == 0.0);
  auto const delta = GammaNoise{.epsilon = 4.5, .sensitivity = 5.0, .clip_at = ClipAt::delta, .colluding = 0}.loss(
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
  GammaNoise const mechanism{.epsilon = 1.2, .sensitivity = 5.0, .colluding = 0};
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
  GammaNoise const delta{.epsilon = 0.6, .sensitivity = 5.0, .clip_at = ClipAt::delta, .colluding = 0};
  CHECK(delta.loss(release_of(7, 46)).epsilon_accounted == mechanism.loss(release_of(7, 46)).epsilon_accounted);
}

TEST_CASE("The noise of colluding clients does not count: 10 reports of which 4 collude have the noise of 6") {
  GammaNoise const colluding{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 10, .colluding = 4};
  GammaNoise const six{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 6, .colluding = 0};
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

TEST_CASE("By default the figure is against another client: one reporting client knows its noise") {
  GammaNoise const mechanism{.epsilon = 0.5, .sensitivity = 1.0};
  GammaNoise const server{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};
  auto const loss = mechanism.loss(release_of(10));
  CHECK(loss.epsilon_accounted == server.loss(release_of(9)).epsilon_accounted);
  CHECK(loss.epsilon_accounted > server.loss(release_of(10)).epsilon_accounted);
  CHECK(loss.assumption ==
        "assumes a server that keeps only sums; assumes that at most 1 of the reporting clients colludes or adds no "
        "noise");
  CHECK(server.loss(release_of(10)).assumption == "assumes a server that keeps only sums; " + against_server);
  // The noise is the paper's, whatever the account assumes.
  LocalWeights const message{{0.25F, -0.125F, 0.0F}, 1};
  PrivacyContext const context{10, 1, {.seed = 1, .round = 1, .client = 3}};
  CHECK(privatized(mechanism, message, context).values == privatized(server, message, context).values);
  // With `fewest_reports` the noise is complete against another client.
  GammaNoise const complete{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 10};
  CHECK(complete.loss(release_of(10)).epsilon_accounted == 0.5);
  CHECK(complete.loss(release_of(9)).epsilon_accounted > 0.5);
  GammaNoise complete_for_server = complete;
  complete_for_server.colluding = 0;
  CHECK(privatized(complete, message, context).values != privatized(complete_for_server, message, context).values);
}

TEST_CASE("A single reporting client has nobody beside it who could know a part of the noise") {
  for (std::uint64_t const fewest_reports : {0U, 1U})
    for (std::uint64_t const colluding : {0U, 1U}) {
      GammaNoise const mechanism{
          .epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = fewest_reports, .colluding = colluding};
      auto const loss = mechanism.loss({.asked = 1, .reported = 1, .dimension = 1});
      CHECK(loss.epsilon_accounted == 0.5);
      CHECK(loss.assumption == "assumes a server that keeps only sums");
    }
  // With t = 1 each message has the whole noise, also if others collude.
  GammaNoise const alone{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 1};
  CHECK(alone.loss(release_of(10)).epsilon_accounted == 0.5);
  CHECK(alone.loss(release_of(1)).epsilon_accounted == 0.5);
  CHECK_THROWS_AS((GammaNoise{.fewest_reports = 1, .colluding = 2}.loss(release_of(10))), std::invalid_argument);
}

TEST_CASE("FPDGD with 46 parameters for 1,000 rounds: the figures against another client of 100 and of 1,000") {
  // Against the server alone it is 8,805. A sum of pure epsilons would be 31,151 and 30,583. Numerical integration of the
  // Rényi divergences of equal shifts, by another program, gives 8,948.4 and 8,819.4.
  fltr::BoundsAt const at(1e-5);
  auto const total = [&](std::uint64_t clients, std::uint64_t colluding) {
    GammaNoise const mechanism{.epsilon = 4.5, .sensitivity = 5.0, .colluding = colluding};
    auto const round = fltr::PrivacySum::of(mechanism.loss({.asked = clients, .reported = clients, .dimension = 46}));
    auto sum = round;
    for (int i = 1; i < 1000; ++i) sum += round;
    return sum.bound(at);
  };
  CHECK(total(1000, 0).epsilon == Approx(8805).margin(1));
  CHECK(total(1000, 1).epsilon == Approx(8882).margin(1));
  CHECK(total(100, 1).epsilon == Approx(9019).margin(1));
  CHECK(total(100, 1).name == "Renyi divergence");
}

TEST_CASE("Under a seal the grid must be finer than that of the noise, and the step is paid for") {
  // Δ/ε = 2: the noise has a grid of 2^-22, so that the sum needs 2^-23 at least.
  GammaNoise const mechanism{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};
  REQUIRE(fltr::detail::NoiseGrid(2.0).step() == 0x1p-22);
  auto release = release_of(10);
  release.view = ServerView::sealed_sum;
  release.sum_step = 0x1p-32;
  auto const loss = mechanism.loss(release);
  CHECK(loss.epsilon_accounted == 0.5 + 0x1p-33);
  CHECK(loss.assumption ==
        against_server +
            "; does not cover the rounding of each message to floats, which the sum shows (PolyaNoise has none)");
  release.dimension = 16;  // √d (ε + √d step/scale)
  CHECK(mechanism.loss(release).epsilon_accounted == 4.0 * (0.5 + 4.0 * 0x1p-33));
  CHECK(mechanism.loss(release).rho == Approx(0.5 * std::pow(0.5 + 4.0 * 0x1p-33, 2)).epsilon(1e-15));
  release.dimension = 1;
  release.sum_step = 0x1p-23;
  CHECK(mechanism.loss(release).epsilon_accounted == 0.5 + 0x1p-24);
  for (double const step : {0x1p-22, 0x1p-16, 0x1p-4, 4.0}) {
    release.sum_step = step;
    auto const coarse = mechanism.loss(release);
    CHECK(coarse.epsilon_accounted == infinity);
    CHECK(coarse.rho == infinity);
    CHECK(coarse.rdp.empty());
    CHECK_THAT(coarse.reason, ContainsSubstring("rounded noise does not add up to Laplace noise: it needs a "
                                                "FixedPoint::step of at most 2^-23"));
  }
  // A message that has the whole noise alone may be rounded: its noise needs no other.
  GammaNoise const alone{.epsilon = 0.5, .sensitivity = 1.0, .fewest_reports = 1};
  CHECK(alone.loss(release).epsilon_accounted == 0.5);
  // Without a known grid the loss says what it assumes.
  release.sum_step = 0.0;
  CHECK(mechanism.loss(release).epsilon_accounted == 0.5);
  CHECK(mechanism.loss(release).assumption ==
        against_server + "; assumes a seal that adds messages without rounding them");
}

TEST_CASE("On a grid that the loss permits, a seal moves all messages by the same amount") {
  GammaNoise const mechanism{.epsilon = 0.5, .sensitivity = 1.0};
  // The broadcast parameters include halves of a step and numbers far below it.
  auto const same_moves = [&](double step) {
    std::size_t const d = 200;
    fltr::Stream stream(7);
    std::vector<float> broadcast(d);
    for (std::size_t i = 0; i < d; ++i)
      broadcast[i] = static_cast<float>(std::array{step / 2.0, step * 0.3, 1e-12, stream.uniform()}[i % 4]);
    fltr::FixedPoint const grid{.step = step, .clamp = false};
    std::vector<std::int64_t> moves(d);
    bool same = true;
    for (std::uint32_t client = 0; client < 50; ++client) {
      std::vector<float> weights(d);
      for (float& v : weights) v = static_cast<float>(0.02 * stream.normal());
      PrivacyContext const context{50, 1, {.seed = 5, .round = 2, .client = client}};
      auto const message = mechanism.privatize(LocalWeights{weights, 1}, context);
      auto const words = grid.words<std::uint64_t>(fltr::FedAvg{}.contribution(message, broadcast), 50);
      for (std::size_t i = 0; i < d; ++i) {
        auto const own = static_cast<std::int64_t>(static_cast<double>(message.values[i]) / step);
        auto const move = static_cast<std::int64_t>(words[i]) - own;
        if (client == 0) moves[i] = move;
        same = same && move == moves[i] && static_cast<double>(own) * step == static_cast<double>(message.values[i]);
      }
    }
    return same;
  };
  double const noise_step = fltr::detail::NoiseGrid(2.0).step();
  CHECK(same_moves(noise_step / 2048.0));
  CHECK(same_moves(noise_step / 2.0));
  CHECK_FALSE(same_moves(noise_step));  // halves of a step are rounded to even numbers
}

TEST_CASE("An infinite loss has a reason, and a finite loss has an assumption unless messages are sealed") {
  GammaNoise const mechanism{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};
  std::string const missing =
      "half of the noise or more is missing or known: clients did not report, added none, or may use what they know of "
      "their own";
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
    CHECK(finite.assumption == (view == ServerView::assumed_sum
                                    ? "assumes a server that keeps only sums; " + against_server
                                    : against_server + "; assumes a seal that adds messages without rounding them"));
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

TEST_CASE("A late message is in no sum: the assumption says that the server does not keep it") {
  GammaNoise const mechanism{};
  RoundRelease release{.asked = 10, .reported = 9, .dimension = 4};
  CHECK_THAT(mechanism.loss(release).assumption, !Catch::Contains("late"));
  release.late = 1;
  CHECK_THAT(mechanism.loss(release).assumption, Catch::Contains("keeps only sums, and no late message"));
  release.view = ServerView::sealed_sum;
  CHECK_THAT(mechanism.loss(release).assumption, !Catch::Contains("late"));
}
