// Audits of whole small federations whose server sees the sums of all rounds: ten clients, four parameters, five rounds, a
// total epsilon of 1 at delta 1e-5 by DistributedGaussian and PolyaNoise; and randomised metrics, of which the server sees
// the sum of the perturbations.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/accounting/audit.hpp>
#include <fltr/accounting/renyi_conversion.hpp>
#include <fltr/accounting/shuffle_renyi.hpp>
#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/polya_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

constexpr double clip = 0.1;

/// Client 0 sends the update (±1, 0, 0, 0), far beyond the clip; the others send no update.
struct SendsSecret {
  using Message = LocalWeights;
  bool positive = true;

  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    auto const parameters = ranker.parameters();
    LocalWeights message{{parameters.begin(), parameters.end()}, 1};
    if (client.id == 0) message.values[0] += positive ? 1.0F : -1.0F;
    return message;
  }
};

struct Clients {
  std::vector<Client> clients;
  std::size_t size() const { return clients.size(); }
  Client operator[](std::size_t i) const { return clients[i]; }
};

struct Audited {
  double proven = 0.0;
  PrivacyLoss stated{};
};

/// The federation with this noise. The total in the first coordinate decides between the secrets: of Gaussian sums the
/// log-likelihood ratio is proportional to it.
Audited audit_with(auto const& noise) {
  static auto const data = toy_dataset(3, 3);
  Clients all;
  for (std::uint32_t i = 0; i < 10; ++i) all.clients.push_back({i, 1, QueryPool(data)});
  Audited out;
  auto const draw = [&](std::size_t secret, std::uint64_t trial) {
    IdealSum<FedAvg, std::uint32_t> const sum{.grid = {.step = noise.step, .clamp = false}};
    auto training = make_federation(LinearRanker(4), NoClicks{}, SendsSecret{secret == 1}, sum, noise)
                        .start(all, {.seed = 2 * trial + secret, .minimum_reports = 10, .delta = 1e-5});
    training.run(5);
    out.stated = *training.round().privacy;
    return std::vector<double>{static_cast<double>(training.ranker().parameters()[0])};
  };
  out.proven = audit(draw, threshold_events,
                     {.draws = 100'000, .selection = 10'000, .kept = 3, .delta = 1e-5, .significance = 0.001})
                   .epsilon;
  return out;
}
/// The stated loss holds, at least `least` of it is proven, and the smaller noise is flagged.
void check_audits(auto const& noise, auto const& smaller, double least) {
  auto const whole = audit_with(noise);
  INFO("proven " << whole.proven << ", stated " << whole.stated.epsilon_accounted);
  CHECK(whole.stated.epsilon_accounted <= 1.0 + 1e-12);
  CHECK(whole.stated.epsilon_accounted >= 0.99);
  CHECK(whole.proven <= whole.stated.epsilon_accounted);
  CHECK(whole.proven >= least);
  auto const less = audit_with(smaller);
  INFO("with the smaller noise proven " << less.proven);
  CHECK(less.proven > whole.stated.epsilon_accounted);
  CHECK(less.stated.epsilon_accounted > 1.0);  // the ledger knows the smaller noise
}

/// Client 0 sends the metric 0 or 1, the others send 0. All clients have the same seed, which is independent of the data
/// and the worst case: the server then sees the sum of the metrics.
struct SendsMetric {
  using Message = EvolutionMessage;
  float secret = 0.0F;

  EvolutionMessage learn(auto const&, auto const& client, auto&) const { return {7, {client.id == 0 ? secret : 0.0F}}; }
};

/// The audit of 20 clients with randomised response on two levels, four rounds.
Audited audit_metrics(double keep) {
  static auto const data = toy_dataset(3, 3);
  Clients all;
  for (std::uint32_t i = 0; i < 20; ++i) all.clients.push_back({i, 1, QueryPool(data)});
  Audited out;
  auto const draw = [&](std::size_t secret, std::uint64_t trial) {
    IdealSum<EsGradient<Sgd>> const sum{.aggregator = {.optimizer = {.learning_rate = 1.0F}, .antithetic = false}};
    auto training = make_federation(LinearRanker(1), NoClicks{}, SendsMetric{secret == 1 ? 1.0F : 0.0F}, sum,
                                    RandomizedMetric::even(keep, 2))
                        .start(all, {.seed = 2 * trial + secret, .minimum_reports = 20, .delta = 1e-5});
    training.run(4);
    out.stated = *training.round().privacy;
    return std::vector<double>{static_cast<double>(training.ranker().parameters()[0])};
  };
  out.proven = audit(draw, threshold_events,
                     {.draws = 100'000, .selection = 10'000, .kept = 3, .delta = 1e-5, .significance = 0.001})
                   .epsilon;
  return out;
}

}  // namespace

// What 10⁵ draws a side can prove of a Gaussian sum whose means differ by m standard deviations: with k₀ = n Φ(−t) and
// k₁ = n Φ(m − t) draws above the best threshold t, about ln((k₁ − z√k₁) / (k₀ + z√k₀)), z = 3.3, with a deviation of
// √(1/k₀ + 1/k₁). For a total ε of 1, m = √(2ρ) = .20: .35 ± .03 at t = 2.15. With half of the noise .88 ± .06, which
// proves no more than 1. With a third 1.47 ± .10.
TEST_CASE("audit of a federation with shared Gaussian noise: the ledger holds, and a third of the noise is flagged") {
  auto const whole = DistributedGaussian::for_total(1.0, 1e-5, 5, 4, {.clip = clip, .fewest_reports = 10});
  auto third = whole;
  third.sigma /= 3.0;
  check_audits(whole, third, 0.25);  // three deviations below .35
}

TEST_CASE("audit of a federation with shared Polya noise: the ledger holds, and half of the noise is flagged") {
  // Five rounds of .2. The clip is 512 steps, the noise scale 5120.
  PolyaNoise const whole{.epsilon = 0.2, .clip = 0.125, .fewest_reports = 10, .step = 0x1p-12};
  auto half = whole;
  half.epsilon *= 2.0;
  check_audits(whole, half, 0.4);
}

TEST_CASE("audit of sealed metrics: the bound for 20 shuffled messages holds, and that for 2,000 is flagged") {
  auto const seen = audit_metrics(0.75);
  double const local = 4 * std::log(3.0);
  auto curve = shuffled_renyi_curve(std::log(3.0), 2000);
  for (double& d : curve) d *= 4.0;
  double const too_small = renyi_epsilon(renyi_orders, curve, 1e-5).value;
  INFO("proven " << seen.proven << ", stated " << seen.stated.epsilon_accounted << ", local " << local
                 << ", for 2,000 clients " << too_small);
  CHECK(seen.stated.epsilon_accounted < 0.85 * local);
  CHECK(seen.proven <= seen.stated.epsilon_accounted);
  CHECK(seen.proven > too_small);
}
