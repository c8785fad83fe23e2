// Noise on updates: the clip, the distribution of the noise on the grid, and the bounds that the mechanisms state. The
// options of GammaNoise that keep its noise complete.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/accounting/laplace_renyi.hpp>
#include <fltr/accounting/response_renyi.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/normal_cdf.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using namespace fltr;
using namespace fltr::testing;

/// Chi-squared of a sample in 24 classes of equal probability under `cdf`.
template <class Cdf>
double in_24_classes(std::vector<double> const& sample, Cdf const& cdf) {
  std::array<std::uint64_t, 24> counts{};
  for (double const x : sample) ++counts[std::min<std::size_t>(23, static_cast<std::size_t>(24.0 * cdf(x)))];
  return chi_squared(counts);
}

/// The noise of a message whose weights are the broadcast parameters, and whether all of it is on the grid.
template <class P>
std::vector<double> noise_of(P const& mechanism, double step) {
  std::vector<float> const broadcast(100'000, 0.0F);
  auto const message =
      mechanism.privatize(LocalWeights{broadcast, 5},
                          {.participants = 1, .interactions = 5, .streams = {.seed = 77}, .broadcast = broadcast});
  std::vector<double> noise(message.values.begin(), message.values.end());
  for (double const x : noise) REQUIRE(std::fmod(x, step) == 0.0);
  return noise;
}

}  // namespace

TEST_CASE("Noise on the grid has the distribution of its mechanism, by chi-squared") {
  LaplaceNoise const laplace{.epsilon = 0.5, .sensitivity = 1.0, .of = ClipOf::update};
  CHECK(in_24_classes(noise_of(laplace, laplace.grid().step()), [](double x) { return laplace_cdf(x, 2.0); }) <
        chi2_critical_df23);
  GaussianNoise const gaussian{.epsilon = 1.0, .delta = 1e-5, .sensitivity = 1.0, .of = ClipOf::update};
  double const sigma = static_cast<double>(gaussian.grid(100'000).scale()) * gaussian.grid(100'000).step();
  CHECK(in_24_classes(noise_of(gaussian, gaussian.grid(100'000).step()),
                      [&](double x) { return fltr::normal_cdf(x / sigma); }) < chi2_critical_df23);
}

TEST_CASE("ClipOf::update clips the difference from the broadcast parameters, and nothing during local steps") {
  // With an epsilon of 2^28 the noise is far below the clip.
  std::vector<float> const broadcast{100.0F, -50.0F, 0.0F};
  PrivacyContext const context{.participants = 1, .interactions = 5, .broadcast = broadcast};
  LaplaceNoise const laplace{.epsilon = 0x1p28, .sensitivity = 2.0, .of = ClipOf::update};
  auto const l1 = laplace.privatize(LocalWeights{{103.0F, -51.0F, 0.0F}, 5}, context);
  CHECK(l1.values[0] == Approx(100.75).margin(1e-4));  // (3, −1, 0) scaled to an L1 norm of 1
  CHECK(l1.values[1] == Approx(-50.25).margin(1e-4));
  CHECK(l1.values[2] == Approx(0.0).margin(1e-4));
  std::vector<float> weights{100.0F, 200.0F};
  laplace.constrain(weights);
  CHECK(weights == std::vector<float>{100.0F, 200.0F});
  GaussianNoise const gaussian{.epsilon = 50.0, .delta = 0.1, .sensitivity = 2e-3, .of = ClipOf::update};
  auto const l2 = gaussian.privatize(LocalWeights{{103.0F, -54.0F, 0.0F}, 5}, context);
  CHECK(l2.values[0] == Approx(100.0).margin(0.02));
  gaussian.constrain(weights);
  CHECK(weights[1] == 200.0F);
  CHECK_THROWS_WITH(laplace.privatize(LocalWeights{{1.0F}, 5}, context),
                    "ClipOf::update: required a broadcast ranker with as many parameters as values, got 3");
  // An update that is not finite counts as 0: it must not show in the message.
  auto const broken = laplace.privatize(LocalWeights{{std::nanf(""), 7.0F, 7.0F}, 5}, context);
  CHECK(broken.values[0] == Approx(100.0).margin(1e-4));
  CHECK(broken.values[1] == Approx(-50.0).margin(1e-4));
}

TEST_CASE("The distance of two messages without their noise is at most the sensitivity, and reaches it") {
  // Weights or updates far beyond the clip, in opposite directions. The noise of 400 pairs of messages has the mean 0 and
  // for epsilon 50 a standard deviation of at most .15 Δ, so that the standard error of a coordinate of the mean difference
  // is below .15 Δ √(2/400) = .011 Δ, and that of the distance below √4 · .011 Δ.
  double const delta = 3.0;
  std::vector<float> const broadcast{0.5F, -0.25F, 1.0F, 0.0F};
  std::vector<float> const direction{30.0F, -40.0F, 20.0F, 10.0F};
  auto const distance_of = [&](auto const& mechanism, bool update, auto const& norm) {
    std::vector<double> mean(4);
    for (std::uint32_t pair = 0; pair < 400; ++pair)
      for (double const sign : {1.0, -1.0}) {
        std::vector<float> values(4);
        for (std::size_t i = 0; i < 4; ++i)
          values[i] = (update ? broadcast[i] : 0.0F) + static_cast<float>(sign) * direction[i];
        fltr::PrivacyContext const context{1, 1, {.seed = 9, .round = pair, .client = sign > 0 ? 0U : 1U}, broadcast};
        auto const sent = mechanism.privatize(LocalWeights{values, 1}, context);
        for (std::size_t i = 0; i < 4; ++i) mean[i] += sign * static_cast<double>(sent.values[i]) / 400.0;
      }
    return norm(mean);
  };
  auto const l2 = [](std::vector<double> const& v) {
    double sum = 0.0;
    for (double const x : v) sum += x * x;
    return std::sqrt(sum);
  };
  auto const l1 = [](std::vector<double> const& v) {
    double sum = 0.0;
    for (double const x : v) sum += std::abs(x);
    return sum;
  };
  for (auto const of : {ClipOf::weights, ClipOf::update}) {
    GaussianNoise const gaussian{.epsilon = 50.0, .delta = 0.1, .sensitivity = delta, .of = of};
    LaplaceNoise const laplace{.epsilon = 50.0, .sensitivity = delta, .of = of};
    REQUIRE(gaussian.standard_deviation() < 0.15 * delta);
    CHECK(distance_of(gaussian, of == ClipOf::update, l2) == Approx(delta).margin(5 * 0.022 * delta));
    CHECK(distance_of(laplace, of == ClipOf::update, l1) == Approx(delta).margin(5 * 0.022 * delta));
  }
}

TEST_CASE("A message that is clipped before GaussianNoise or GammaNoise has the same bits as one that they clip") {
  std::vector<float> const far{30.0F, -40.0F, 20.0F, 10.0F};
  std::vector<float> near = far;
  clip_norm(near, 1.5);
  fltr::PrivacyContext const context{1, 1, {.seed = 9, .round = 2}};
  auto const same = [&](auto const& mechanism) {
    return mechanism.privatize(LocalWeights{far, 1}, context).values ==
           mechanism.privatize(LocalWeights{near, 1}, context).values;
  };
  CHECK(same(GaussianNoise{.epsilon = 50.0, .delta = 0.1, .sensitivity = 3.0}));
  CHECK(same(GammaNoise{.epsilon = 50.0, .sensitivity = 3.0}));
  CHECK_FALSE(same(GaussianNoise{.epsilon = 50.0, .delta = 0.1, .sensitivity = 6.0}));
}

TEST_CASE(
    "GaussianNoise clips in exact arithmetic: a vector that is too long by less than a double shows is shortened") {
  // In steps of 2^-26 the weights are (2^26, 1): longer than 2^26, but their norm is 1 when it is rounded to a double.
  GaussianNoise const mechanism{.epsilon = 50.0, .delta = 0.5, .sensitivity = 2.0};
  double const step = mechanism.grid(2).step();
  REQUIRE(step == 0x1p-26);
  REQUIRE(std::sqrt(1.0 + step * step) == 1.0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fltr::PrivacyContext const context{1, 1, {.seed = seed}};
    auto const second = [&](float v) { return mechanism.privatize(LocalWeights{{1.0F, v}, 1}, context).values[1]; };
    auto const shorter = [&](float v) { return mechanism.privatize(LocalWeights{{0.5F, v}, 1}, context).values[1]; };
    auto const one = static_cast<float>(step);
    if (std::abs(second(0.0F)) >= 0.25F) continue;  // noise beyond 2^24 steps: a float does not hold every step
    CHECK(second(one) == second(0.0F));
    CHECK(shorter(one) == shorter(0.0F) + one);
  }
}

TEST_CASE("With fewest_reports t, the noise of t clients is Laplace noise, and that of weighted clients covers w_max") {
  auto const sum_of = [](GammaNoise const& mechanism, std::uint32_t asked, std::uint32_t reporting,
                         std::uint32_t weight) {
    std::vector<double> sum(10'000);
    for (std::uint32_t client = 0; client < reporting; ++client) {
      std::uint32_t const own = client % 2 == 0 ? weight : 1;
      auto const message = mechanism.privatize(LocalWeights{std::vector<float>(sum.size()), own},
                                               {asked, own, {.seed = 5, .round = 3, .client = client}});
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own * static_cast<double>(message.values[i]);
    }
    return sum;
  };
  GammaNoise const restored{.epsilon = 2.0, .sensitivity = 1.0, .fewest_reports = 6, .colluding = 0};
  CHECK(ks_distance(sum_of(restored, 10, 6, 1), [](double x) { return laplace_cdf(x, 0.5); }) < ks_critical(10'000));
  CHECK(ks_distance(sum_of(restored, 4, 4, 1), [](double x) { return laplace_cdf(x, 0.5); }) < ks_critical(10'000));
  GammaNoise const plain{.epsilon = 2.0, .sensitivity = 1.0};
  CHECK(ks_distance(sum_of(plain, 10, 6, 1), [](double x) { return laplace_cdf(x, 0.5); }) > ks_critical(10'000));
  GammaNoise const weighted{.epsilon = 2.0, .sensitivity = 1.0, .largest_weight = 8.0};
  CHECK(ks_distance(sum_of(weighted, 10, 10, 8), [](double x) { return laplace_cdf(x, 8 * 0.5); }) <
        ks_critical(10'000));
  CHECK(ks_distance(sum_of(plain, 10, 10, 8), [](double x) { return laplace_cdf(x, 8 * 0.5); }) > ks_critical(10'000));
}

TEST_CASE("Mechanisms state zCDP and Renyi divergences beside their epsilon") {
  RoundRelease const release{.asked = 10, .reported = 10, .dimension = 46, .interactions = 4};
  auto const metric = RandomizedMetric::max_rr(0.25);
  auto const response = metric.loss(release);
  double const one = metric.epsilon();
  CHECK(response.rho == Approx(4 * one * one / 2));
  auto const laplace = LaplaceNoise{.epsilon = 0.7}.loss(release);
  CHECK(laplace.rho == Approx(0.245));
  auto const gamma =
      GammaNoise{.epsilon = 0.7, .sensitivity = 1.0, .clip_at = ClipAt::delta, .colluding = 0}.loss(release);
  CHECK(gamma.rho == Approx(0.98));  // (2 ε)²/2
  for (std::size_t i = 0; i < renyi_orders.size(); ++i) {
    CHECK(response.rdp[i] == Approx(4 * response_renyi(renyi_orders[i], 0.25, 11)));
    CHECK(laplace.rdp[i] == Approx(laplace_renyi(renyi_orders[i], 0.7)).epsilon(1e-6));
    CHECK(laplace.rdp[i] >= laplace_renyi(renyi_orders[i], 0.7));
    CHECK(gamma.rdp[i] == Approx(46 * laplace_renyi(renyi_orders[i], 1.4 / std::sqrt(46.0))));
  }
  // With missing noise: more than complete noise, and less than the pure epsilon of each coordinate.
  GammaNoise const server{.epsilon = 1.4, .sensitivity = 1.0, .colluding = 0};
  auto const missing = server.loss({.asked = 10, .reported = 9, .dimension = 46});
  CHECK(missing.rho == Approx(missing.epsilon_accounted * missing.epsilon_accounted / 46 / 2));
  for (std::size_t i = 0; i < renyi_orders.size(); ++i) {
    CHECK(missing.rdp[i] > gamma.rdp[i]);
    CHECK(missing.rdp[i] <= std::min(missing.epsilon_accounted, missing.rho * renyi_orders[i]) * (1.0 + 1e-9));
  }
  double const sigma = exact_gaussian_sigma(1.0, 1e-5);
  CHECK(GaussianNoise{.epsilon = 1.0, .delta = 1e-5}.loss(release).rho == Approx(0.5 / (sigma * sigma)));
}
