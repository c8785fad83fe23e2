#include <fltr/privatizers/randomized_metric.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/accounting/shuffle_renyi.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

/// Chi-squared of the sent levels of one measured level, against the probabilities p and (1 − p) / (n − 1).
double chi_squared(RandomizedMetric const& mechanism, float metric, std::size_t kept, int draws) {
  std::map<float, int> seen;
  EvolutionMessage const message{0, std::vector<float>(static_cast<std::size_t>(draws), metric)};
  for (float m : mechanism.privatize(message, {1, static_cast<std::uint32_t>(draws), Streams{5, 1, 0}}).metrics)
    ++seen[m];
  double sum = 0;
  for (std::size_t i = 0; i < mechanism.levels.size(); ++i) {
    double const p =
        i == kept ? mechanism.keep : (1 - mechanism.keep) / static_cast<double>(mechanism.levels.size() - 1);
    double const difference = seen[mechanism.levels[i]] - p * draws;
    sum += difference * difference / (p * draws);
    seen.erase(mechanism.levels[i]);
  }
  CHECK(seen.empty());  // only levels were sent
  return sum;
}

}  // namespace

TEST_CASE("A metric is kept with probability p, and the other levels are equally likely") {
  // Eleven levels: df 10, alpha 1e-6: 48.3 (boost::math chi-squared quantile).
  for (double p : {0.25, 0.5, 0.9})
    for (std::size_t level = 0; level <= 10; ++level) {
      auto const mechanism = RandomizedMetric::max_rr(p);
      CHECK(chi_squared(mechanism, mechanism.levels[level], level, 50'000) < 48.3);
    }
  auto const even = RandomizedMetric::even(0.6, 5);
  CHECK(even.levels == std::vector<float>{0.0F, 0.25F, 0.5F, 0.75F, 1.0F});
  CHECK(chi_squared(even, 0.5F, 2, 50'000) < 33.4);  // df 4
  CHECK(chi_squared(even, 0.0F, 0, 50'000) < 33.4);  // also for the level 0
}

TEST_CASE("The expected sent metric is a linear function of the measurement") {
  // Every level is a false answer with probability q = (1 − p) / (n − 1): E = q Σ levels + (p − q) m.
  for (auto const& mechanism : {RandomizedMetric::even(0.6, 5), RandomizedMetric::max_rr(0.9)}) {
    auto const n = static_cast<double>(mechanism.levels.size());
    double const q = (1 - mechanism.keep) / (n - 1);
    double all = 0;
    for (float level : mechanism.levels) all += static_cast<double>(level);
    for (float const metric : {0.0F, 0.05F, 0.3F, 0.6F, 0.95F, 1.0F}) {
      EvolutionMessage const message{0, std::vector<float>(100'000, metric)};
      double mean = 0;
      for (float m : mechanism.privatize(message, {1, 100'000, Streams{5, 1, 0}}).metrics)
        mean += static_cast<double>(m) / 1e5;
      // Five standard errors: a value in [0, 1] has a standard deviation of at most 1/2.
      CHECK(std::abs(mean - (q * all + (mechanism.keep - q) * static_cast<double>(metric))) < 5 * 0.5 / std::sqrt(1e5));
    }
  }
}

TEST_CASE("Values of MaxRR are levels and are not rounded at random") {
  auto const mechanism = RandomizedMetric::max_rr(0.999999999);
  for (int rank = 1; rank <= 10; ++rank) {
    auto const metric = static_cast<float>(1.0 / rank);
    auto const out = mechanism.privatize({0, std::vector<float>(1000, metric)}, {1, 1000, Streams{5, 1, 0}});
    CHECK(out.metrics == std::vector<float>(1000, 1.0F / static_cast<float>(rank)));
  }
}

TEST_CASE("p = 1 sends measurements unchanged, also between levels") {
  EvolutionMessage const message{7, {0.123F, 0.5F, 1.0F}};
  auto const out = RandomizedMetric::max_rr(1.0).privatize(message, {1, 0, {}});
  CHECK(out.metrics == message.metrics);
  CHECK(out.seed == 7);
}

TEST_CASE(
    "RandomizedMetric states epsilon per measurement and per message, and refuses parameters outside their ranges") {
  CHECK(RandomizedMetric::max_rr(0.25).epsilon() == Approx(1.204).margin(5e-4));
  CHECK(RandomizedMetric::max_rr(0.5).epsilon() == Approx(2.303).margin(5e-4));
  CHECK(RandomizedMetric::max_rr(0.9).epsilon() == Approx(4.500).margin(5e-4));
  auto const loss =
      RandomizedMetric::max_rr(0.9).loss({.asked = 2000, .reported = 2000, .dimension = 46, .interactions = 4});
  CHECK(loss.epsilon_nominal == Approx(4.4998).epsilon(1e-4));
  CHECK(loss.epsilon_accounted == Approx(4 * 4.4998).epsilon(1e-4));
  EvolutionMessage const message{0, {1.0F}};
  for (double p : {1.0 / 11, 0.05, 0.0, -1.0, 1.1, std::nan("")})
    CHECK_THROWS_AS(RandomizedMetric::max_rr(p).privatize(message, {1, 0, {}}), std::invalid_argument);
  CHECK_THROWS_AS((RandomizedMetric{0.9, {}}.privatize(message, {1, 0, {}})), std::invalid_argument);
  CHECK_THROWS_AS((RandomizedMetric{0.9, {0.1F, 0.2F}}.privatize(message, {1, 0, {}})), std::invalid_argument);
  CHECK_THROWS_AS((RandomizedMetric{0.9, {0.0F, 0.5F, 0.5F}}.privatize(message, {1, 0, {}})), std::invalid_argument);
  CHECK_THROWS_AS(RandomizedMetric::even(0.9, 1), std::invalid_argument);
}

TEST_CASE(
    "Under a seal the loss has the smaller divergences of the local bound and of the bound for shuffled messages") {
  auto mechanism = RandomizedMetric::max_rr(0.25);
  mechanism.colluding = 0;
  RoundRelease release{.asked = 1000,
                       .reported = 900,
                       .noiseless = 20,
                       .dimension = 46,
                       .interactions = 2,
                       .fewest_interactions = 2,
                       .view = ServerView::assumed_sum,
                       .sum_step = 0x1p-32};
  auto const local = mechanism.loss(release);
  CHECK(local.assumption.empty());
  release.view = ServerView::sealed_sum;
  auto const sealed = mechanism.loss(release);
  CHECK(sealed.epsilon_accounted == local.epsilon_accounted);  // B ε₀ still holds
  CHECK(sealed.assumption ==
        "assumes that the seeds of perturbations are not sent and do not depend on the data; against the server alone: "
        "assumes that no client uses its knowledge of what it sent");
  auto const curve = shuffled_renyi_curve(local.epsilon_accounted, 880);
  for (std::size_t i = 0; i < renyi_orders.size(); ++i) CHECK(sealed.rdp[i] == std::min(local.rdp[i], curve[i]));
  auto const total = [](PrivacyLoss const& loss) { return PrivacySum::of(loss).bound(BoundsAt(1e-5)).epsilon; };
  CHECK(total(sealed) < 0.7 * total(local));
  // The default is the bound against another client, which knows what it sent.
  auto const against_client = RandomizedMetric::max_rr(0.25).loss(release);
  auto const others_curve = shuffled_renyi_curve(local.epsilon_accounted, 879);
  for (std::size_t i = 0; i < renyi_orders.size(); ++i)
    CHECK(against_client.rdp[i] == std::min(local.rdp[i], others_curve[i]));
  CHECK(against_client.assumption ==
        "assumes that the seeds of perturbations are not sent and do not depend on the data, and that at most 1 of the "
        "reporting clients colludes");
  // 200 rounds of 1,000 clients: the figures of ARCHITECTURE.md.
  auto const of_rounds = [&](double keep, std::uint32_t measurements, ServerView view) {
    RoundRelease const round{.asked = 1000,
                             .reported = 1000,
                             .interactions = measurements,
                             .fewest_interactions = measurements,
                             .view = view,
                             .sum_step = 0x1p-32};
    auto const one = PrivacySum::of(RandomizedMetric::max_rr(keep).loss(round));
    PrivacySum sum;
    for (int i = 0; i < 200; ++i) sum += one;
    return sum.bound(BoundsAt(1e-5)).epsilon;
  };
  CHECK(of_rounds(0.25, 2, ServerView::sealed_sum) == Approx(14.2).margin(0.05));
  CHECK(of_rounds(0.25, 2, ServerView::assumed_sum) == Approx(145.0).margin(0.05));
  CHECK(of_rounds(0.5, 4, ServerView::sealed_sum) == of_rounds(0.5, 4, ServerView::assumed_sum));

  mechanism.colluding = 880 - 64;
  auto const colluding = mechanism.loss(release);
  CHECK(total(colluding) > total(sealed));
  CHECK(
      colluding.assumption ==
      "assumes that the seeds of perturbations are not sent and do not depend on the data, and that at most 816 of the "
      "reporting clients collude");
  mechanism.colluding = 879;
  CHECK(mechanism.loss(release).rdp == local.rdp);
  mechanism.colluding = 2000;
  CHECK(mechanism.loss(release).rdp == local.rdp);
  mechanism.colluding = 0;
  // The bound does not hold: messages of different lengths, changed messages, a seal of unknown form, single messages.
  std::vector<RoundRelease> others(4, release);
  others[0].fewest_interactions = 1;
  others[1].altered = true;
  others[2].sum_step = 0.0;
  others[3].view = ServerView::messages;
  for (auto const& other : others) {
    CHECK(mechanism.loss(other).rdp == local.rdp);
    CHECK(mechanism.loss(other).assumption.empty());
  }
  // For a large ε₀ the local bound remains, and without noise there is none.
  CHECK(total(RandomizedMetric::max_rr(0.999).loss(release)) == total(RandomizedMetric::max_rr(0.999).loss(others[3])));
  CHECK(RandomizedMetric::max_rr(1.0).loss(release).rdp.empty());
  release.discarded = true;
  CHECK(mechanism.loss(release).epsilon_accounted == 0.0);
  CHECK(mechanism.loss(release).rdp.empty());
}
