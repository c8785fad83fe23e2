#include <fltr/privatizers/gamma_noise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>

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

/// The density at x of the difference of two Gamma(share), by integration of the convolution
/// ∫ γ(u) γ(u + x) du, γ(u) = u^(share−1) e^−u / Γ(share), over u > 0.
double density(double share, double x) {
  static boost::math::quadrature::exp_sinh<double> integrator;
  double const integral = integrator.integrate(
      [&](double u) { return std::exp((share - 1.0) * (std::log(u) + std::log(u + x)) - 2.0 * u - x); });
  return integral / (std::tgamma(share) * std::tgamma(share));
}

/// What ten clients reveal in a round with a sum in the clear.
RoundRelease release_of(std::uint64_t reported, std::size_t dimension = 1) {
  return {.asked = 10, .reported = reported, .dimension = dimension, .interactions = 4};
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

TEST_CASE("the price of missing noise: figures") {
  auto const g = &GammaNoise::missing_noise_loss;
  CHECK(g(0.6, 0.5) == Approx(1.771).margin(5e-4));
  CHECK(g(0.7, 0.5) == Approx(1.162).margin(5e-4));
  CHECK(g(0.9, 0.5) == Approx(0.640).margin(5e-4));
  CHECK(g(0.99, 0.5) == Approx(0.512).margin(5e-4));
  GammaNoise const mechanism{.epsilon = 1.2, .sensitivity = 5.0};
  auto const priced = [&](std::uint64_t reported) {
    return mechanism.loss({.asked = 100, .reported = reported, .dimension = 46, .interactions = 4}).epsilon_accounted;
  };
  CHECK(priced(60) == Approx(53.5).margin(0.05));
  CHECK(priced(70) == Approx(29.6).margin(0.05));
  CHECK(priced(90) == Approx(12.0).margin(0.05));
  CHECK(priced(99) == Approx(8.45).margin(0.005));
  CHECK(priced(100) == Approx(8.14).margin(0.005));
  // Attackers add no noise: 9 of 10 with one attacker is as 8 of 10.
  auto attacked = release_of(9);
  attacked.noiseless = 1;
  CHECK(mechanism.loss(attacked).epsilon_accounted == mechanism.loss(release_of(8)).epsilon_accounted);
  // The clip at Δ doubles the shift: as twice the ε.
  GammaNoise const delta{.epsilon = 0.6, .sensitivity = 5.0, .clip_at = ClipAt::delta};
  CHECK(delta.loss(release_of(7, 46)).epsilon_accounted == mechanism.loss(release_of(7, 46)).epsilon_accounted);
}

TEST_CASE("the price of missing noise is the ratio of the densities, by integration of the convolution") {
  for (double const share : {0.55, 0.6, 0.75, 0.9, 0.99})
    for (double const shift : {0.01, 0.1, 0.5, 1.0, 4.5, 20.0}) {
      double const at_peak = std::log(density(share, 0.0) / density(share, shift));
      INFO("share " << share << ", shift " << shift);
      CHECK(GammaNoise::missing_noise_loss(share, shift) == Approx(at_peak).epsilon(1e-6));
      // Nowhere else is the ratio of the densities larger.
      for (double const x : {0.001, 0.05, 0.3, 1.0, 3.0}) {
        CHECK(std::log(density(share, x) / density(share, std::abs(x - shift))) <= at_peak + 1e-6);
        CHECK(std::log(density(share, x) / density(share, x + shift)) <= at_peak + 1e-6);
      }
    }
}

TEST_CASE("the price of missing noise is continuous where nothing is missing") {
  // dg/dν at ν = 1 is some units, so 1e-9 less than all of the noise moves the price by as little.
  for (double const shift : {1e-6, 0.01, 0.5, 4.5, 100.0, 1000.0}) {
    double const almost = GammaNoise::missing_noise_loss(1.0 - 1e-9, shift);
    CHECK(almost == Approx(shift).margin(1e-7));
    CHECK(almost >= shift * (1.0 - 1e-9) - 1e-12);
  }
  CHECK(GammaNoise::missing_noise_loss(0.75, 0.0) == 0.0);
}

TEST_CASE("the price of missing noise is continuous where the asymptotic series takes over, and above the exact one") {
  // The first term that is left out, (4μ²−1)(4μ²−9) / (2 (8x)²) with μ = ν − ½, is below 9 / (2 · 2400²) = 7.8e-7.
  for (double const share : {0.501, 0.6, 0.75, 0.9, 0.999}) {
    double const before = GammaNoise::missing_noise_loss(share, std::nextafter(300.0, 0.0));
    double const after = GammaNoise::missing_noise_loss(share, 300.0);
    CHECK(after >= before - 1e-10);
    CHECK(after - before < 8e-7);
    double const order = share - 0.5;
    for (double const shift : {300.0, 450.0, 650.0}) {  // beyond 700 K underflows
      double const exact = std::log(std::tgamma(order)) + (order - 1.0) * std::log(2.0) - order * std::log(shift) -
                           std::log(boost::math::cyl_bessel_k(order, shift));
      CHECK(GammaNoise::missing_noise_loss(share, shift) >= exact - 1e-10);
      CHECK(GammaNoise::missing_noise_loss(share, shift) < exact + 8e-7);
    }
  }
}

TEST_CASE("the price of missing noise rises with the shift and with what is missing") {
  std::vector<double> shifts;
  for (double s = 1e-4; s < 2000.0; s *= 1.3) shifts.push_back(s);
  std::vector<double> shares;
  for (double share = 0.51; share < 0.995; share += 0.02) shares.push_back(share);
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (std::size_t j = 0; j < shifts.size(); ++j) {
      double const price = GammaNoise::missing_noise_loss(shares[i], shifts[j]);
      CHECK(price > shifts[j]);  // the price of complete noise
      if (j > 0) CHECK(price > GammaNoise::missing_noise_loss(shares[i], shifts[j - 1]));
      if (i > 0) CHECK(price < GammaNoise::missing_noise_loss(shares[i - 1], shifts[j]));
    }
}

TEST_CASE("the equal split of a shift over the coordinates costs most") {
  // With g(√x) concave, Σ g(s_i) for Σ s_i² = S² is largest at s_i = S/√d.
  for (double const share : {0.51, 0.6, 0.75, 0.9, 0.99}) {
    auto const of_square = [&](double x) { return GammaNoise::missing_noise_loss(share, std::sqrt(x)); };
    for (double x = 1e-6; x < 1e5; x *= 2.0)
      for (double const ratio : {1.01, 1.5, 4.0, 100.0})
        CHECK(of_square(0.5 * (x + ratio * x)) >= 0.5 * (of_square(x) + of_square(ratio * x)) - 1e-9);
  }
  fltr::Stream stream(4);
  for (int i = 0; i < 2000; ++i) {
    std::size_t const d = 2 + stream.below(5);
    double const share = 0.5 + 0.5 * stream.uniform();
    std::vector<double> parts(d);
    double squares = 0.0;
    for (double& part : parts) {
      part = std::pow(stream.uniform(), 3.0);
      squares += part * part;
    }
    double const norm = 0.01 + 5.0 * stream.uniform();
    double split = 0.0;
    for (double const part : parts) split += GammaNoise::missing_noise_loss(share, norm * part / std::sqrt(squares));
    auto const n = static_cast<double>(d);
    CHECK(n * GammaNoise::missing_noise_loss(share, norm / std::sqrt(n)) >= split - 1e-9);
  }
}

TEST_CASE("the price of missing noise needs a share above 1/2 and below 1") {
  for (double const share : {0.0, 0.5, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(GammaNoise::missing_noise_loss(share, 1.0), std::invalid_argument);
}

TEST_CASE("an infinite price has a reason, a finite one has an assumption unless messages are sealed") {
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
  // The message of the only client that was asked has all the noise.
  RoundRelease const alone{.asked = 1, .reported = 1, .dimension = 1, .view = ServerView::messages};
  CHECK(mechanism.loss(alone).epsilon_accounted == 0.5);
  CHECK(mechanism.loss(alone).reason.empty());
}

TEST_CASE("a discarded round costs nothing if it was sealed, and is charged like others if not") {
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
