#include <fltr/privatizers/polya_noise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>

#include <fltr/accounting/audit.hpp>
#include <fltr/accounting/privacy_account.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/privatizers/detail/missing_noise_loss.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

constexpr double infinite = std::numeric_limits<double>::infinity();

RoundRelease sealed(PolyaNoise const& p, std::uint64_t reported, std::size_t dimension = 1) {
  return {.asked = 1000,
          .reported = reported,
          .dimension = dimension,
          .interactions = 4,
          .view = ServerView::sealed_sum,
          .sum_step = p.step};
}
PrivacyContext context(std::vector<float> const& broadcast, std::uint64_t seed, std::uint32_t client = 0) {
  return {1000, 4, Streams{seed, 1, client}, broadcast};
}

/// Chi-squared of integers against probabilities of the integers from −k to k (or 0 to k), divided by its critical value
/// for a false alarm in a million. Neighbouring integers share a cell until it has 8 expected draws.
double deviation(std::map<std::int64_t, std::uint64_t> const& seen, std::map<std::int64_t, double> const& probability) {
  double total = 0.0;
  for (auto const& [k, n] : seen) total += static_cast<double>(n);
  double sum = 0.0;
  double expected = 0.0;
  double counted = 0.0;
  double left = 1.0;
  double missing = total;
  int cells = 0;
  auto const close = [&] {
    sum += (counted - expected) * (counted - expected) / expected;
    ++cells;
    expected = counted = 0.0;
  };
  for (auto const& [k, p] : probability) {
    auto const found = seen.find(k);
    double const n = found == seen.end() ? 0.0 : static_cast<double>(found->second);
    expected += p * total;
    counted += n;
    left -= p;
    missing -= n;
    if (expected >= 8.0) close();
  }
  expected += left * total;
  counted += missing;
  if (expected >= 8.0) close();
  REQUIRE(cells >= 2);
  return sum / boost::math::quantile(boost::math::complement(boost::math::chi_squared(cells - 1), 1e-6));
}

/// The probabilities of a Polya number of shape ν: those of the negative binomial distribution.
std::vector<double> polya_probabilities(double shape, double scale, std::size_t count) {
  std::vector<double> p(count);
  for (std::size_t k = 0; k < count; ++k) {
    auto const x = static_cast<double>(k);
    p[k] = std::exp(std::lgamma(x + shape) - std::lgamma(shape) - std::lgamma(x + 1.0) - x / scale +
                    shape * std::log(-std::expm1(-1.0 / scale)));
  }
  return p;
}
/// f(k), k ≥ 0: the distribution of the difference of two Polya numbers, by convolution.
double difference_probability(std::vector<double> const& p, std::size_t k) {
  double sum = 0.0;
  for (std::size_t j = 0; j + k < p.size(); ++j) sum += p[j] * p[j + k];
  return sum;
}

}  // namespace

TEST_CASE("Polya numbers have the probabilities of the negative binomial distribution") {
  for (std::uint64_t const shares : {1U, 2U, 3U, 50U, 1000U})
    for (std::uint64_t const scale : {1U, 3U, 8U, 100U}) {
      Stream stream(1000 * shares + scale);
      constexpr std::size_t count = 400'000;
      std::vector<std::int64_t> numbers(count);
      detail::polya_steps(stream, scale, shares, count, [&](std::uint64_t i, std::int64_t j) { numbers[i] += j; });
      std::map<std::int64_t, std::uint64_t> seen;
      for (auto const k : numbers) ++seen[k];
      auto const p = polya_probabilities(1.0 / static_cast<double>(shares), static_cast<double>(scale), 12 * scale);
      std::map<std::int64_t, double> expected;
      for (std::size_t k = 0; k < p.size(); ++k) expected[static_cast<std::int64_t>(k)] = p[k];
      INFO("shares " << shares << ", scale " << scale);
      CHECK(deviation(seen, expected) < 1.0);
    }
}

TEST_CASE("Exact Poisson numbers and the coin of probability 2/e have their probabilities") {
  Stream stream(5);
  std::map<std::int64_t, std::uint64_t> seen;
  for (int i = 0; i < 200'000; ++i) ++seen[static_cast<std::int64_t>(detail::exact_poisson(stream, 37, 10))];
  std::map<std::int64_t, double> expected;
  for (int k = 0; k < 30; ++k) expected[k] = std::exp(k * std::log(3.7) - 3.7 - std::lgamma(k + 1.0));
  CHECK(deviation(seen, expected) < 1.0);
  int heads = 0;
  for (int i = 0; i < 1'000'000; ++i) heads += detail::exact_two_over_e(stream) ? 1 : 0;
  // Five standard errors: 5 √(.736 · .264 / 10^6).
  CHECK(std::abs(heads / 1e6 - 2.0 / std::exp(1.0)) < 0.0022);
}

TEST_CASE("The noise of n clients adds up to the discrete Laplace distribution, n = 2, 10, 100, 1000") {
  // Scale 5 steps: P(k) = tanh(1/10) e^(−|k|/5).
  PolyaNoise p{.epsilon = 3.2, .clip = 0.5, .colluding = 0, .step = 0x1p-4};
  REQUIRE(p.scale() == 5);
  std::map<std::int64_t, double> expected;
  for (int k = -60; k <= 60; ++k) expected[k] = std::tanh(0.1) * std::exp(-std::abs(k) / 5.0);
  constexpr std::size_t d = 80'000;
  std::vector<float> const broadcast(d);
  for (std::uint32_t const n : {2U, 10U, 100U, 1000U}) {
    auto const sum_of = [&](std::uint32_t reports) {
      std::vector<std::int64_t> sum(d);
      for (std::uint32_t client = 0; client < reports; ++client) {
        auto const noisy = p.privatize(LocalWeights{broadcast, 1}, context(broadcast, n, client));
        for (std::size_t i = 0; i < d; ++i) sum[i] += std::llrint(static_cast<double>(noisy.values[i]) / p.step);
      }
      std::map<std::int64_t, std::uint64_t> seen;
      for (auto const k : sum) ++seen[k];
      return seen;
    };
    p.fewest_reports = n;
    INFO("clients " << n);
    CHECK(deviation(sum_of(n), expected) < 1.0);
    CHECK(deviation(sum_of(n - n / 10 - (n < 10 ? 1 : 0)), expected) > 1.0);  // a tenth of the clients is missing
  }
  // With t = 7 and c = 2, five clients make all the noise.
  p.fewest_reports = 7;
  p.colluding = 2;
  std::map<std::int64_t, std::uint64_t> seen;
  std::vector<std::int64_t> sum(d);
  for (std::uint32_t client = 0; client < 5; ++client) {
    auto const noisy = p.privatize(LocalWeights{broadcast, 1}, context(broadcast, 3, client));
    for (std::size_t i = 0; i < d; ++i) sum[i] += std::llrint(static_cast<double>(noisy.values[i]) / p.step);
  }
  for (auto const k : sum) ++seen[k];
  CHECK(deviation(seen, expected) < 1.0);
}

TEST_CASE("Clipped updates are no longer than the clip in either norm, and sums get the exact integers back") {
  for (auto const norm : {ClipNorm::l1, ClipNorm::l2}) {
    PolyaNoise const p{.epsilon = 2.0, .clip = 0.1, .norm = norm, .fewest_reports = 10, .colluding = 0};
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
      std::vector<std::int64_t> k(20);  // without the noise
      for (std::size_t i = 0; i < 20; ++i) k[i] = static_cast<std::int32_t>(words[i]);
      Stream again = Streams{run, 1, 0}.of(Purpose::privacy);
      detail::polya_steps(again, p.scale(), 10, 40,
                          [&](std::uint64_t i, std::int64_t j) { k[i / 2] -= i % 2 == 0 ? j : -j; });
      double length = 0.0;
      for (std::size_t i = 0; i < 20; ++i) {
        auto const v = static_cast<double>(k[i]);
        length += norm == ClipNorm::l1 ? std::abs(v) : v * v;
        double const update = static_cast<double>(message.values[i]) - static_cast<double>(broadcast[i]);
        CHECK((k[i] == 0 || (k[i] > 0) == (update > 0)));
      }
      if (norm == ClipNorm::l2) length = std::sqrt(length);
      CHECK(length <= 6553.0);  // ⌊.1 · 2^16⌋
      CHECK(length > 6500.0);
    }
  }
}

TEST_CASE("Complete noise costs epsilon in the norm l1, and the square root of d times as much in l2") {
  PolyaNoise p{.epsilon = 0.5, .clip = 1.0, .fewest_reports = 700, .colluding = 50, .step = 0x1p-10};
  CHECK(p.scale() == 4096);
  auto const l1 = p.loss(sealed(p, 700, 46));
  CHECK(l1.epsilon_nominal == 0.5);
  CHECK(l1.epsilon_accounted == 0.5);
  CHECK(l1.delta == 0.0);
  CHECK(l1.assumption == "assumes that at most 50 of the reporting clients collude or add no noise");
  CHECK(l1.rdp == laplace_renyi_curve(0.5, 1.0 / 4096.0));
  CHECK(p.loss(sealed(p, 1000, 46)).epsilon_accounted == 0.5);
  p.norm = ClipNorm::l2;
  auto const l2 = p.loss(sealed(p, 700, 46));
  CHECK(l2.epsilon_accounted == Approx(0.5 * std::sqrt(46.0)).epsilon(1e-14));
  CHECK(l2.rho == 0.125);
  auto discarded = sealed(p, 600, 46);
  discarded.discarded = true;
  CHECK(p.loss(discarded).epsilon_accounted == 0.0);
  auto weightless = sealed(p, 700, 46);
  weightless.smallest_weight = 0.0;
  CHECK(p.loss(weightless).epsilon_accounted == infinite);
  auto attacked = sealed(p, 700, 46);
  attacked.noiseless = 650;  // 50 honest reports: the noise of the client itself always counts
  CHECK(p.loss(attacked).epsilon_accounted == p.loss(sealed(p, 51, 46)).epsilon_accounted);
  CHECK(p.loss(attacked).epsilon_accounted > 100.0);
  attacked.noiseless = 700;
  CHECK(p.loss(attacked).epsilon_accounted == infinite);
  CHECK(p.loss(attacked).reason == "no reporting client is known to add noise");
}

TEST_CASE("A single client has nobody beside it who could know a part of its Polya noise") {
  PolyaNoise const p{.epsilon = 0.5, .clip = 1.0, .step = 0x1p-10};
  CHECK(p.fewest_reports == 1);
  CHECK(p.colluding == 1);
  CHECK(p.loss(sealed(p, 1, 46)).epsilon_accounted == 0.5);
  CHECK(p.loss(sealed(p, 1, 46)).assumption.empty());
  CHECK(p.loss(sealed(p, 5, 46)).epsilon_accounted == 0.5);  // each message has the whole noise
  CHECK(p.loss(sealed(p, 5, 46)).assumption.empty());
  CHECK_THROWS_AS((PolyaNoise{.colluding = 2}.loss(sealed(p, 5, 46))), std::invalid_argument);
}

TEST_CASE("Missing noise costs the largest ratio of the probabilities of the noise, which is finite") {
  PolyaNoise const p{
      .epsilon = 0.5, .clip = 1.0, .fewest_reports = 10, .colluding = 0, .step = 0.25};  // distance 8, scale 16
  REQUIRE(p.scale() == 16);
  for (std::uint64_t const reports : {1U, 3U, 5U, 6U, 9U}) {
    auto const c = polya_probabilities(static_cast<double>(reports) / 10.0, 16.0, 1000);
    std::vector<double> f(80);
    for (std::size_t k = 0; k < f.size(); ++k) f[k] = difference_probability(c, k);
    double worst = 0.0;  // over all places, one coordinate
    for (int k = -40; k <= 40; ++k)
      worst = std::max(
          worst, std::log(f[static_cast<std::size_t>(std::abs(k))] / f[static_cast<std::size_t>(std::abs(k + 8))]));
    double const one = p.loss(sealed(p, reports)).epsilon_accounted;
    INFO("reports " << reports << ", worst " << worst);
    CHECK(one == Approx(worst).epsilon(1e-6));
    CHECK(one >= worst);
    CHECK(one > 0.5);
    // Two and three coordinates: the worst of all shifts of L1 norm 8.
    double two = 0.0;
    double three = 0.0;
    auto const g = [&](std::size_t k) { return std::log(f[0] / f[k]); };
    for (std::size_t a = 0; a <= 8; ++a) {
      two = std::max(two, g(a) + g(8 - a));
      for (std::size_t b = 0; a + b <= 8; ++b) three = std::max(three, g(a) + g(b) + g(8 - a - b));
    }
    CHECK(p.loss(sealed(p, reports, 2)).epsilon_accounted == Approx(two).epsilon(1e-6));
    CHECK(p.loss(sealed(p, reports, 3)).epsilon_accounted >= three);
    CHECK(p.loss(sealed(p, reports, 3)).epsilon_accounted == Approx(three).epsilon(0.01));
    // The L2 norm 8 in two coordinates.
    auto l2 = p;
    l2.norm = ClipNorm::l2;
    double round = 0.0;
    for (std::size_t a = 0; a <= 8; ++a)
      for (std::size_t b = 0; a * a + b * b <= 64; ++b) round = std::max(round, g(a) + g(b));
    CHECK(l2.loss(sealed(p, reports, 2)).epsilon_accounted >= round);
    CHECK(l2.loss(sealed(p, reports, 2)).epsilon_accounted == Approx(round).epsilon(0.05));
  }
  // With nearly all noise the loss is nearly that of complete noise.
  PolyaNoise const many{.epsilon = 0.5, .clip = 1.0, .fewest_reports = 1'000'000, .colluding = 0, .step = 0.25};
  CHECK(many.loss(sealed(many, 999'999)).epsilon_accounted == Approx(0.5).epsilon(1e-4));
  // The finest grid: scale 2^15.
  PolyaNoise const fine{.epsilon = 0.5, .clip = 1.0, .fewest_reports = 100, .colluding = 0, .step = 0x1p-13};
  auto const losses = [&](std::uint64_t reports) { return fine.loss(sealed(fine, reports)).epsilon_accounted; };
  // Close to the continuous noise of GammaNoise, which has a higher peak.
  for (std::uint64_t const reports : {60U, 80U, 95U}) {
    double const continuous = detail::missing_noise_loss(static_cast<double>(reports) / 100.0, 0.5);
    CHECK(losses(reports) < continuous);
    CHECK(losses(reports) > 0.93 * continuous);
  }
  CHECK(losses(20) < 20.0);
}

TEST_CASE("Without a seal, with changed messages or on another grid only the noise of one message counts") {
  PolyaNoise const p{.epsilon = 0.5, .clip = 1.0, .fewest_reports = 100, .colluding = 5, .step = 0.25};
  double const one = p.loss(sealed(p, 6)).epsilon_accounted;
  CHECK(one > 5.0);
  CHECK(one < infinite);
  std::vector<RoundRelease> releases(6, sealed(p, 100));
  releases[0].view = ServerView::assumed_sum;
  releases[1].view = ServerView::messages;
  releases[2].altered = true;
  releases[3].sum_step = 0.125;
  releases[4].sum_clamps = true;
  releases[5].sum_step = 0.0;
  for (auto const& release : releases) CHECK(p.loss(release).epsilon_accounted == one);
  // A single client makes all the noise itself.
  PolyaNoise const alone{.epsilon = 0.5, .clip = 1.0, .step = 0.25};
  auto open = sealed(alone, 100);
  open.view = ServerView::messages;
  CHECK(alone.loss(open).epsilon_accounted == 0.5);
}

TEST_CASE("Audit with two secrets: Polya noise holds its price, and half of the noise is flagged") {
  // The target sends ±S in one coordinate; eight clients make the noise. Scale 8 steps, distance 8.
  PolyaNoise const p{.epsilon = 1.0, .clip = 1.0, .fewest_reports = 8, .colluding = 0, .step = 0.25};
  std::vector<float> const broadcast(1);
  auto const seen_of = [&](PolyaNoise const& noise, std::uint32_t clients) {
    return [&, noise, clients](std::size_t secret, std::uint64_t trial) {
      double sum = 0.0;
      for (std::uint32_t client = 0; client < clients; ++client) {
        float const value = client > 0 ? 0.0F : secret == 0 ? 9.0F : -9.0F;
        sum += static_cast<double>(
            noise.privatize(LocalWeights{{value}, 1}, context(broadcast, 2 * trial + secret, client)).values[0]);
      }
      return std::vector<double>{sum};
    };
  };
  AuditOptions const how{.draws = 60'000, .selection = 20'000, .significance = 0.01};
  double const stated = p.loss(sealed(p, 8)).epsilon_accounted;
  CHECK(stated == 1.0);
  auto const whole = audit(seen_of(p, 8), threshold_events, how);
  INFO("proven " << whole.epsilon << " by " << whole.event);
  CHECK(whole.epsilon <= stated);
  CHECK(whole.epsilon >= 0.9);
  auto half = p;  // half of the scale
  half.epsilon = 2.0;
  CHECK(audit(seen_of(half, 8), threshold_events, how).epsilon > stated);
  // Half of the clients: the price of missing noise holds, and that of complete noise does not.
  auto const missing = audit(
      seen_of(p, 4),
      [](auto const&) {
        return std::vector<ThresholdEvent>{
            {"at S", 0, 0.9, true}, {"above 0", 0, 0.0, true}, {"below 0", 0, 0.0, false}};
      },
      how);
  double const price = p.loss(sealed(p, 4)).epsilon_accounted;
  INFO("missing: proven " << missing.epsilon << ", stated " << price);
  CHECK(missing.epsilon > stated);
  CHECK(missing.epsilon <= price);
}

TEST_CASE("Noise for a total epsilon has that total in the ledger, and the next smaller scale has more") {
  auto const total_of = [](PolyaNoise const& p, std::uint32_t rounds, double delta, std::size_t dimension) {
    PrivacyAccount account(1);
    for (std::uint32_t i = 0; i < rounds; ++i)
      account.charge(p.loss(sealed(p, p.fewest_reports, dimension)), ChargedClients{});
    return account.largest(BoundsAt(delta)).epsilon_accounted;
  };
  for (auto const norm : {ClipNorm::l1, ClipNorm::l2})
    for (double const delta : {0.0, 1e-5})
      for (double const epsilon : {0.3, 1.0, 4.5})
        for (std::uint32_t const rounds : {1U, 40U, 200U}) {
          PolyaNoise const like{.clip = 0.3, .norm = norm, .fewest_reports = 700, .colluding = 50};
          auto const p = PolyaNoise::for_total(epsilon, delta, rounds, 46, like);
          INFO("epsilon " << epsilon << ", delta " << delta << ", rounds " << rounds << ", scale " << p.scale());
          CHECK(total_of(p, rounds, delta, 46) <= epsilon);
          CHECK(total_of(p, rounds, delta, 46) > 0.99 * epsilon);
          CHECK((p.clip == 0.3 && p.fewest_reports == 700 && p.colluding == 50));
          auto less = p;
          less.epsilon = 2.0 * p.clip / p.step / (static_cast<double>(p.scale()) - 1.5);
          REQUIRE(less.scale() == p.scale() - 1);
          CHECK(total_of(less, rounds, delta, 46) > epsilon);
        }
  // Without delta the total is the sum: 10 rounds of .5, b = .5 / .5 = 1 = 2^14 steps of 2^-14.
  auto const p = PolyaNoise::for_total(5.0, 0.0, 10, 46, {.clip = 0.25, .step = 0x1p-14});
  CHECK(p.scale() == 16385);  // one more: for_total allows for the rounding errors of the ledger
  // A noise scale above 2^15 steps of 2^-16 has a coarser step.
  CHECK(PolyaNoise{.epsilon = 0.25, .clip = 0.125}.on_coarser_step().step == 0x1p-15);
  CHECK(PolyaNoise{.epsilon = 0.5, .clip = 0.125}.on_coarser_step().step == 0x1p-16);
  CHECK(PolyaNoise{.epsilon = 100.0, .clip = 16.0}.on_coarser_step().step == 0x1p-14);
}

TEST_CASE("The probability that a sum of Polya noise overflows is at most the stated one") {
  // Two clients of clip 4 steps make the noise alone: the sum is discrete Laplace of scale 5, and below 2^7 with clipped
  // updates 8 unless |noise| ≥ 120: 2 e^(−120/5) / (1 + e^(−1/5)).
  PolyaNoise const p{.epsilon = 1.6, .clip = 4.0, .fewest_reports = 2, .colluding = 0, .step = 1.0};
  REQUIRE(p.scale() == 5);
  double const exact = 2.0 * std::exp(-24.0) / (1.0 + std::exp(-0.2));
  CHECK(p.overflow_probability(2, 1, 8) >= exact);
  CHECK(p.overflow_probability(2, 1, 8) == Approx(4.0 * std::exp(-12.0)));  // 2 d 2^1 e^(−120/10)
  CHECK(p.overflow_probability(2, 10, 8) == Approx(40.0 * std::exp(-12.0)));
  CHECK(p.overflow_probability(32, 1, 8) == 1.0);  // the updates alone
  CHECK(PolyaNoise{.fewest_reports = 700}.overflow_probability(1000, 136, 32) < 1e-100);
}

TEST_CASE("PolyaNoise refuses wrong parameters") {
  std::vector<float> const broadcast{0.0F};
  auto const run = [&](PolyaNoise const& p, std::vector<float> const& b) {
    static_cast<void>(p.privatize(LocalWeights{b, 1}, context(b, 1)));
  };
  CHECK_NOTHROW(run({}, broadcast));
  for (double const bad : {0.0, -1.0, infinite, std::nan("")}) {
    CHECK_THROWS_AS(run({.epsilon = bad}, broadcast), std::invalid_argument);
    CHECK_THROWS_AS(run({.clip = bad}, broadcast), std::invalid_argument);
    CHECK_THROWS_AS(run({.step = bad}, broadcast), std::invalid_argument);
  }
  CHECK_THROWS_AS(run({.fewest_reports = 5, .colluding = 5}, broadcast), std::invalid_argument);
  CHECK_THROWS_AS(run({.step = 0.3}, broadcast), std::invalid_argument);
  CHECK_THROWS_WITH(run({.epsilon = 0.001}, broadcast),
                    "PolyaNoise: required a step of at least 2^-15 noise scales and 2^-18 times the clip, got "
                    "1.52588e-05");
  CHECK_THROWS_AS(run({}, {33.0F}), std::invalid_argument);
  for (double const bad : {0.0, infinite, std::nan("")}) {
    CHECK_THROWS_AS(PolyaNoise::for_total(bad, 1e-5, 10, 4, {}), std::invalid_argument);
    CHECK_THROWS_AS(PolyaNoise::for_total(1.0, 1e-5, 10, 4, {.clip = bad}), std::invalid_argument);
  }
  CHECK_THROWS_AS(PolyaNoise::for_total(1.0, 1.0, 10, 4, {}), std::invalid_argument);
  CHECK_THROWS_AS(PolyaNoise::for_total(1.0, 1e-5, 0, 4, {}), std::invalid_argument);
  CHECK_THROWS_WITH(PolyaNoise::for_total(1.0, 0.0, 10, 4, {.clip = 1e-6}),
                    "PolyaNoise: required a clip of at least the finest step, 1.52588e-05, got 1e-06");
  CHECK_NOTHROW(PolyaNoise{.epsilon = 0x1p-13, .clip = 0.1}.on_coarser_step());
  // Noise of at most 2^15 steps for a distance of at least two: ε of a round is at least 2^-14.
  CHECK_THROWS_WITH(PolyaNoise::for_total(1e-6, 0.0, 10, 4, {}),
                    ContainsSubstring("required a larger epsilon (2^-13 in each round is enough)"));
  CHECK_THROWS_WITH((PolyaNoise{.epsilon = 1e-6}.on_coarser_step()),
                    ContainsSubstring("required a larger epsilon (2^-13 in each round is enough)"));
}
