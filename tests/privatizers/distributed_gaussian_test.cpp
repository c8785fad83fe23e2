#include <fltr/privatizers/distributed_gaussian.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/accounting/audit.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fixed_point.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using namespace fltr;
namespace stats = fltr::testing;

constexpr double infinite = std::numeric_limits<double>::infinity();

RoundRelease sealed(std::uint64_t reported, std::size_t dimension = 136, double step = 0x1p-16) {
  return {.asked = 1000,
          .reported = reported,
          .dimension = dimension,
          .interactions = 4,
          .view = ServerView::sealed_sum,
          .sum_step = step};
}
PrivacyContext context(std::vector<float> const& broadcast, std::uint64_t seed, std::uint32_t client = 0) {
  return {1000, 4, Streams{seed, 1, client}, broadcast};
}

}  // namespace

TEST_CASE("The price of a sum of discrete Gaussians is that of the reference values") {
  // τd/2 at d 136, h 1000: .039 at s/γ = 1, 5e-15 at 2.
  auto const grid_cost = [](double s) {
    // At distance 0 the smaller form is ½ (τ√d)².
    return std::sqrt(2.0 * discrete_gaussian_sum_zcdp(0.0, s, 1.0, 1000, 136) / 136.0) * 68.0;
  };
  CHECK(grid_cost(1.0) / 0.039 == Approx(1.0).epsilon(0.02));
  CHECK(grid_cost(2.0) / 5e-15 == Approx(1.0).epsilon(0.1));
  // Without the grid's share: ½ Δ² / (h s²).
  CHECK(discrete_gaussian_sum_zcdp(0.2, 0.44, 0x1p-16, 1000, 46) == Approx(0.5 * 0.04 / (1000 * 0.44 * 0.44)));
  CHECK(discrete_gaussian_sum_zcdp(0.2, 0.44, 0x1p-16, 1, 46) == Approx(0.5 * 0.04 / (0.44 * 0.44)));
}

TEST_CASE("Noise for a total epsilon is that of the reference values, T = 200, delta = 1e-5") {
  // σ in units of 2S, by the improved conversion of Renyi divergences.
  for (auto const& [epsilon, expected] : {std::pair{0.5, 108.43}, {1.0, 57.21}, {2.0, 30.39}, {4.5, 14.77}}) {
    auto const p = DistributedGaussian::for_total(epsilon, 1e-5, 200, 46, {.fewest_reports = 1000});
    CHECK(p.sigma / 0.2 == Approx(expected).epsilon(0.002));
    // The smallest: one part in 10^4 less noise has a larger loss.
    auto less = p;
    less.sigma *= 0.9999;
    CHECK(200 * less.round_rho(1000, 46) > 200 * p.round_rho(1000, 46));
  }
  // t − c honest clients make the same noise.
  auto const p = DistributedGaussian::for_total(1.0, 1e-5, 200, 46, {.fewest_reports = 700, .colluding = 50});
  CHECK(p.sigma / 0.2 == Approx(57.21).epsilon(0.002));
  CHECK(static_cast<double>(p.scale()) * p.step * std::sqrt(650.0) == Approx(p.sigma).epsilon(1e-3));
}

TEST_CASE("A single client has nobody beside it who could know a part of the noise") {
  DistributedGaussian const p;
  CHECK(p.fewest_reports == 1);
  CHECK(p.colluding == 1);
  auto const price = p.loss(sealed(1));
  CHECK(price.rho == p.round_rho(1, 136));
  CHECK(price.rho < infinite);
  CHECK(price.assumption.empty());
  CHECK(p.scale() == (std::uint64_t{1} << 16U) + 1);  // σ / step, rounded up: the client makes all the noise
  auto const chosen = DistributedGaussian::for_total(1.0, 1e-5, 200, 46, {});
  CHECK(chosen.sigma / 0.2 == Approx(57.21).epsilon(0.002));
  CHECK_THROWS_AS((DistributedGaussian{.colluding = 2}.loss(sealed(1))), std::invalid_argument);
}

TEST_CASE("The loss counts the reports without colluding clients, and one message if nothing is sealed") {
  DistributedGaussian const p{.clip = 0.1, .sigma = 10.0, .fewest_reports = 700, .colluding = 50};
  auto const price = p.loss(sealed(700));
  CHECK(price.rho == p.round_rho(650, 136));
  CHECK(price.epsilon_accounted == infinite);  // there is no pure epsilon
  CHECK(price.reason.empty());
  CHECK(price.assumption == "assumes that at most 50 of the reporting clients collude or add no noise");
  CHECK(p.loss(sealed(1000)).rho == p.round_rho(950, 136));
  CHECK(p.loss(sealed(1000)).rho < price.rho);

  auto release = sealed(1000);
  release.noiseless = 100;
  CHECK(p.loss(release).rho == p.round_rho(850, 136));
  release.noiseless = 950;  // the noise of the client itself always counts
  CHECK(p.loss(release).rho == p.round_rho(1, 136));
  release.noiseless = 1000;
  CHECK(p.loss(release).rho == infinite);
  CHECK_FALSE(p.loss(release).reason.empty());

  for (auto const view : {ServerView::assumed_sum, ServerView::messages}) {
    auto open = sealed(1000);
    open.view = view;
    CHECK(p.loss(open).rho == p.round_rho(1, 136));
    CHECK(p.loss(open).rho > 600 * price.rho);
    CHECK(p.loss(open).assumption.empty());
  }
  // Another grid, clamped numbers, or a seal of which the grid is not known.
  for (double const step : {0x1p-32, 0x1p-15, 0.0}) CHECK(p.loss(sealed(1000, 136, step)).rho == p.round_rho(1, 136));
  auto clamped = sealed(1000);
  clamped.sum_clamps = true;
  CHECK(p.loss(clamped).rho == p.round_rho(1, 136));
  auto discarded = sealed(600);
  discarded.discarded = true;
  CHECK(p.loss(discarded).zcdp() == 0.0);
  CHECK(p.loss(discarded).epsilon_accounted == 0.0);
  auto weightless = sealed(1000);
  weightless.smallest_weight = 0.0;
  CHECK(p.loss(weightless).rho == infinite);
}

TEST_CASE("Clipped updates in whole steps are never longer than the clip, and sums get the exact integers back") {
  DistributedGaussian const p{.clip = 0.1, .sigma = 0.5, .fewest_reports = 10};
  FixedPoint const grid{.step = p.step, .clamp = false};
  Stream stream(1);
  std::vector<float> broadcast(20);
  for (float& v : broadcast) v = static_cast<float>(stream.normal() * 5.0);
  for (std::uint64_t run = 0; run < 200; ++run) {
    LocalWeights message{broadcast, 3};
    for (float& v : message.values) v += static_cast<float>(stream.normal());
    auto const noisy = p.privatize(message, context(broadcast, run));
    CHECK(noisy.interactions == 1);
    auto const words = grid.words<std::uint32_t>(FedAvg{}.contribution(noisy, broadcast), 1000);
    // The same noise, and the clipped update on its own.
    Streams const streams{run, 1, 0};
    Stream again = streams.of(Purpose::privacy);
    std::int64_t squares = 0;
    for (std::size_t i = 0; i < broadcast.size(); ++i) {
      auto const k =
          static_cast<std::int64_t>(static_cast<std::int32_t>(words[i])) - discrete_gaussian(again, p.scale());
      squares += k * k;
      double const update = static_cast<double>(message.values[i]) - static_cast<double>(broadcast[i]);
      CHECK((k == 0 || (k > 0) == (update > 0)));
    }
    CHECK(squares <= 6553 * 6553);  // ⌊.1 · 2^16⌋
    CHECK(squares > 6500 * 6500);
  }
}

TEST_CASE("The noise of all clients together is Gaussian with the standard deviation of the formula") {
  // 20 clients, t = 16, c = 4: each adds σ²/12. The sum of the 20 has σ² · 20/12.
  DistributedGaussian const p{.clip = 0.1, .sigma = 1.0, .fewest_reports = 16, .colluding = 4};
  std::vector<float> const broadcast(10);
  std::vector<double> sums;
  for (std::uint64_t run = 0; run < 1000; ++run) {
    std::vector<double> total(10);
    for (std::uint32_t client = 0; client < 20; ++client) {
      auto const noisy = p.privatize(LocalWeights{broadcast, 1}, context(broadcast, run, client));
      for (std::size_t i = 0; i < 10; ++i) total[i] += static_cast<double>(noisy.values[i]);
    }
    sums.insert(sums.end(), total.begin(), total.end());
  }
  CHECK(stats::ks_distance(sums, [](double x) { return stats::normal_cdf(x / std::sqrt(20.0 / 12.0)); }) <
        stats::ks_critical(sums.size()));
}

TEST_CASE("Audit with two secrets: the sum costs at most its price, and a single message costs more") {
  // 16 clients, of which one has the secret. The noise of two clients that collude is known: 14 noise terms are left.
  DistributedGaussian const p{.clip = 1.0, .sigma = 7.5, .fewest_reports = 16, .colluding = 2, .step = 0x1p-10};
  std::vector<float> const broadcast(1);
  auto const seen_of = [&](std::uint32_t messages) {
    return [&, messages](std::size_t secret, std::uint64_t trial) {
      double sum = 0.0;
      for (std::uint32_t client = 0; client < messages; ++client) {
        float const value = client > 0 ? 0.0F : secret == 0 ? 9.0F : -9.0F;
        sum += static_cast<double>(
            p.privatize(LocalWeights{{value}, 1}, context(broadcast, 2 * trial + secret, client)).values[0]);
      }
      return std::vector<double>{sum};
    };
  };
  AuditOptions const how{.draws = 60'000, .selection = 20'000, .delta = 1e-5, .significance = 0.01};
  double const stated = PrivacySum::of(p.loss(sealed(16, 1, p.step))).bound(BoundsAt(1e-5)).epsilon;
  auto const sum = audit(seen_of(14), threshold_events, how);
  INFO("stated " << stated << ", proven " << sum.epsilon << " by " << sum.event);
  CHECK(stated < 1.2);
  CHECK(sum.epsilon <= stated);
  CHECK(sum.epsilon >= 0.3);
  CHECK(audit(seen_of(1), threshold_events, how).epsilon > stated);
}

TEST_CASE("Weights are applied after the clip, and a message that is not finite becomes noise alone") {
  DistributedGaussian p{.clip = 1.0, .sigma = 0x1p-10, .fewest_reports = 1, .step = 0x1p-14, .weight_cap = 8};
  std::vector<float> const broadcast(1);
  auto const value = [&](float update, std::uint32_t interactions) {
    return p.privatize(LocalWeights{{update}, interactions}, context(broadcast, 3)).values[0];
  };
  // The noise has a standard deviation of 0.001.
  CHECK(value(5.0F, 8) == Approx(1.0).margin(0.01));
  CHECK(value(5.0F, 2) == Approx(0.25).margin(0.01));
  CHECK(value(5.0F, 100) == Approx(1.0).margin(0.01));
  CHECK(value(5.0F, 0) == Approx(0.0).margin(0.01));
  CHECK(value(std::numeric_limits<float>::infinity(), 8) == Approx(0.0).margin(0.01));
  CHECK(value(std::numeric_limits<float>::quiet_NaN(), 8) == Approx(0.0).margin(0.01));
}

TEST_CASE("The probability that a sum overflows is stated") {
  auto const p = DistributedGaussian::for_total(1.0, 1e-5, 200, 136, {.fewest_reports = 1000});
  CHECK(p.overflow_probability(1000, 136, 32) < 1e-100);
  CHECK(p.overflow_probability(100'000'000, 136, 32) == 1.0);
  CHECK(p.overflow_probability(100'000, 136, 64) < 1e-100);
}

TEST_CASE("DistributedGaussian refuses wrong parameters") {
  std::vector<float> const broadcast{0.0F};
  auto const run = [&](DistributedGaussian const& p, std::vector<float> const& b) {
    static_cast<void>(p.privatize(LocalWeights{b, 1}, context(b, 1)));
  };
  CHECK_NOTHROW(run({}, broadcast));
  CHECK_THROWS_AS(run({.clip = 0.0}, broadcast), std::invalid_argument);
  CHECK_THROWS_AS(run({.clip = std::nan("")}, broadcast), std::invalid_argument);
  CHECK_THROWS_AS(run({.sigma = 0.0}, broadcast), std::invalid_argument);
  CHECK_THROWS_AS(run({.fewest_reports = 5, .colluding = 5}, broadcast), std::invalid_argument);
  CHECK_THROWS_AS(run({.step = 0.3}, broadcast), std::invalid_argument);
  CHECK_THROWS_WITH(run({.sigma = 1.0, .step = 1.0}, broadcast),
                    "DistributedGaussian: required a step of at most half the standard deviation of a client's noise, "
                    "got 1");
  CHECK_THROWS_AS(run({.sigma = 1000.0}, broadcast), std::invalid_argument);
  CHECK_THROWS_AS(run({}, {33.0F}), std::invalid_argument);
  CHECK_THROWS_AS(DistributedGaussian::for_total(0.0, 1e-5, 10, 4, {}), std::invalid_argument);
  CHECK_THROWS_AS(DistributedGaussian::for_total(1.0, 0.0, 10, 4, {}), std::invalid_argument);
  CHECK_THROWS_AS(DistributedGaussian::for_total(1.0, 1e-5, 0, 4, {}), std::invalid_argument);
  // The order 2048 alone adds ln(1 − 1/2048) + (ln 10^5 − ln 2048) / 2047 = .00141.
  CHECK_THROWS_WITH(DistributedGaussian::for_total(1e-9, 1e-5, 10, 4, {}),
                    ContainsSubstring("a total epsilon above 0.00141"));
  CHECK_THROWS_WITH(DistributedGaussian::for_total(1.0, 1e-5, 10, 4, {.clip = 1e-30}),
                    ContainsSubstring("(use a larger clip, a smaller total epsilon or fewer reports)"));
}
