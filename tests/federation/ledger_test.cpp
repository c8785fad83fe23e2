// The ledger of a Training: the price of a round, given what happened in it, for every privatizer that states a loss.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/exact_gaussian.hpp>
#include <fltr/accounting/renyi_conversion.hpp>
#include <fltr/accounting/renyi_curve.hpp>
#include <fltr/accounting/shuffle_renyi.hpp>
#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/no_attack.hpp>
#include <fltr/attacks/sign_flip.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/messages/evolution_message.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/detail/gamma_differences.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/privatizers/polya_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/policies.hpp"

namespace {

using namespace fltr;

double const infinity = std::numeric_limits<double>::infinity();

struct SendsZeros {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size()), client.interactions};
  }
};

/// Messages that do not fit the ranker.
struct SendsTooMany {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size() + 1), client.interactions};
  }
};

struct SendsMeasurements {
  using Message = EvolutionMessage;
  static constexpr bool shows_lists = false;
  EvolutionMessage learn(auto const&, auto const& client, auto&) const {
    return {1, std::vector<float>(client.interactions, 0.5F)};
  }
};

/// Ten clients. In odd rounds only the first `reporting` of them answer.
struct TenClients {
  std::uint32_t reporting = 10;
  std::uint32_t interactions = 4;

  [[nodiscard]] std::size_t size() const { return 10; }
  Client operator[](std::size_t i) const { return {static_cast<ClientId>(i), interactions, QueryPool()}; }
  bool reports(RoundPhase const& at, std::size_t i, Stream&) const { return at.round % 2 == 0 || i < reporting; }
};

struct KeepsTheRanker {
  void aggregate(std::span<ClientMessage<EvolutionMessage> const>, auto&) const {}
};

/// Gathers and averages.
struct GatheredMean {
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, ParametricRanker auto& ranker) const {
    FedAvg{}.aggregate(sum_messages(FedAvg{}, all, ranker), ranker);
  }
};

/// Leaves the ranker as it is if there are fewer than eight messages.
struct NeedsEight : GatheredMean {
  [[nodiscard]] std::size_t minimum_messages() const { return 8; }
};

/// The more messages arrive, the less each of them shows.
struct SharedNoise {
  LocalWeights privatize(LocalWeights m, PrivacyContext const&) const { return m; }
  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    return {.epsilon_accounted = 1.0 / static_cast<double>(release.reported)};
  }
};

template <class P>
auto federation(P privatizer, std::size_t d = 4) {
  return make_federation(LinearRanker(d), NoClicks{}, SendsZeros{}, FedAvg{}, std::move(privatizer));
}

/// A seal for which too few clients answer after they were asked to open it.
struct NeverOpens : IdealSum<FedAvg> {
  [[nodiscard]] bool open(Sum const&, auto const&, SealRound const&) const { return false; }
};

/// The price of one round.
template <class F>
PrivacyLoss price(F const& federation, TenClients clients = {}, std::uint64_t minimum_reports = 1) {
  auto training = federation.start(clients, {.minimum_reports = minimum_reports});
  training.advance();
  return training.round().privacy.value();
}

/// With the figure against the server alone: complete noise has the closed form ε √d.
GammaNoise const gamma_noise{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};

std::string const against_server =
    "against the server alone: assumes that no client uses its knowledge of its own noise";
std::string const missing_noise =
    "half of the noise or more is missing or known: clients did not report, added none, or may use what they know of "
    "their own";

}  // namespace

TEST_CASE("The price of a local mechanism depends neither on the reports nor on the server's view") {
  LaplaceNoise const laplace{.epsilon = 0.25};
  GaussianNoise const gaussian{.epsilon = 0.5, .delta = 1e-5};
  for (std::uint32_t const reporting : {10U, 6U, 1U}) {
    TenClients const clients{reporting};
    auto const check = [&](auto const& streaming) {
      for (auto const& loss :
           {price(streaming, clients), price(streaming.with_aggregator(fltr::testing::SealedFedAvg{}), clients),
            price(streaming.with_aggregator(GatheredMean{}), clients),
            price(streaming, clients, 10)}) {  // also if it is discarded: messages were sent
        CHECK(loss.assumption.empty());
        CHECK(loss.reason.empty());
        CHECK(loss.epsilon_accounted == loss.epsilon_nominal);
      }
    };
    check(federation(laplace));
    check(federation(gaussian));
    CHECK(price(federation(laplace), clients).epsilon_accounted == 0.25);
    CHECK(price(federation(laplace), clients).delta == 0.0);
    CHECK(price(federation(gaussian), clients).epsilon_accounted == 0.5);
    CHECK(price(federation(gaussian), clients).delta == 1e-5);
  }
}

TEST_CASE("The prices of rounds are composed, and the smallest bound for the run's delta is reported with its name") {
  GaussianNoise const gaussian{.epsilon = 0.5, .delta = 1e-5};
  auto training = federation(gaussian).start(TenClients{}, {.delta = 3e-5});
  CHECK(training.round().privacy->epsilon_accounted == 0.0);
  CHECK(training.round().privacy->bound == "sum of epsilons");
  for (int i = 0; i < 3; ++i) training.advance();
  auto const total = training.round().privacy.value();
  CHECK(total.epsilon_nominal == 1.5);
  CHECK(total.delta == 3e-5);
  CHECK(total.bound == "Renyi divergence");
  // Three rounds of Gaussian noise: rho = 3 / 2 sigma^2, by the improved conversion, and above the exact value.
  double const sigma = exact_gaussian_sigma(0.5, 1e-5);
  CHECK(total.rho == Approx(1.5 / (sigma * sigma)).epsilon(1e-12));
  CHECK(total.epsilon_accounted ==
        Approx(RenyiCurve::gaussian(1.0, sigma).times(3).epsilon(3e-5).value).epsilon(1e-12));
  CHECK(total.epsilon_accounted >= exact_gaussian_epsilon(3e-5, sigma / std::sqrt(3.0)));
  CHECK(total.epsilon_accounted < 1.5);

  // With a delta below the sum of the rounds' delta, the sum of epsilons does not hold. With delta 0 nothing does.
  auto one = federation(gaussian).start(TenClients{}, {.delta = 1e-5});
  one.advance();
  CHECK(one.round().privacy->epsilon_accounted == 0.5);
  CHECK(one.round().privacy->bound == "sum of epsilons");
  auto smaller = federation(gaussian).start(TenClients{}, {.delta = 1e-6});
  smaller.advance();
  CHECK(smaller.round().privacy->bound == "Renyi divergence");
  CHECK(smaller.round().privacy->epsilon_accounted > 0.5);
  auto none = federation(gaussian).start(TenClients{}, {.delta = 0.0});
  none.advance();
  CHECK(none.round().privacy->epsilon_accounted == infinity);
  CHECK(none.round().privacy->reason == "the mechanism states no bound that can be composed at this delta");
  CHECK_THROWS_WITH(federation(gaussian).start(TenClients{}, {.delta = 1.0}),
                    "Training: required a delta in [0, 1), got 1");
}

TEST_CASE("1,000 rounds of the published mechanism: the totals of the table, by name") {
  // Twelve clients stand for any number: all report, with equal weights.
  struct Row {
    std::uint32_t rounds;
    std::size_t d;
    double epsilon, total, unit;
  };
  for (Row const& r : {Row{200, 46, 1.2, 212.3, 0.1}, Row{200, 46, 4.5, 1905, 1}, Row{1000, 46, 1.2, 852.6, 0.1},
                       Row{1000, 46, 4.5, 8805, 1}, Row{1000, 136, 1.2, 871.6, 0.1}}) {
    auto training =
        federation(GammaNoise{.epsilon = r.epsilon, .sensitivity = 3.0, .colluding = 0}, r.d).start(TenClients{});
    training.run(r.rounds);
    auto const total = training.round().privacy.value();
    INFO(r.rounds << " rounds, d " << r.d << ", epsilon " << r.epsilon);
    CHECK(std::abs(total.epsilon_accounted - r.total) <= 0.5 * r.unit);
    CHECK(total.bound == "Renyi divergence");
    CHECK(total.delta == 1e-5);
    CHECK(total.epsilon_nominal == Approx(r.epsilon * r.rounds));
    CHECK(total.rho == Approx(r.rounds * r.epsilon * r.epsilon / 2));
  }
}

TEST_CASE("RandomizedMetric is charged per measurement") {
  auto const of = [](double keep, TenClients clients) {
    return price(make_federation(LinearRanker(4), NoClicks{}, SendsMeasurements{}, KeepsTheRanker{},
                                 RandomizedMetric::max_rr(keep)),
                 clients);
  };
  // ε(p) = ln(p (n−1) / (1−p)), n = 11: p = .5 → 2.303; 4 measurements per client.
  CHECK(of(0.5, {}).epsilon_nominal == Approx(2.303).margin(5e-4));
  CHECK(of(0.5, {}).epsilon_accounted == Approx(4 * std::log(10.0)).epsilon(1e-14));
  CHECK(of(0.5, {.reporting = 1}).epsilon_accounted == Approx(4 * std::log(10.0)).epsilon(1e-14));
  CHECK(of(0.5, {.reporting = 10, .interactions = 1}).epsilon_accounted == Approx(std::log(10.0)).epsilon(1e-14));
  CHECK(of(0.5, {}).reason.empty());
  CHECK(of(1.0, {}).epsilon_accounted == infinity);
  CHECK(of(1.0, {}).reason == "measurements are sent as they are");
}

TEST_CASE("A Chain keeps the assumptions and reasons of its links") {
  auto const chain =
      Chain(Clip{}, gamma_noise, LaplaceNoise{.epsilon = 0.25}, GaussianNoise{.epsilon = 1.0, .delta = 1e-5});
  auto const all = price(federation(chain));
  CHECK(all.epsilon_nominal == 1.75);
  CHECK(chain.loss({.asked = 10, .reported = 10, .dimension = 4}).epsilon_accounted ==
        Approx(1.0 + 0.25 + 1.0).epsilon(1e-15));  // .5 √4 of GammaNoise
  CHECK(all.epsilon_accounted < 2.25);             // by Rényi divergences
  CHECK(all.delta == 1e-5);
  CHECK(all.assumption == "assumes a server that keeps only sums; " + against_server);
  CHECK(all.reason.empty());
  CHECK(price(federation(chain).with_aggregator(fltr::testing::SealedFedAvg{})).assumption ==
        against_server + "; assumes a seal that adds messages without rounding them");

  auto const missing = price(federation(chain), {.reporting = 8});
  CHECK(missing.epsilon_accounted <= 4 * detail::missing_noise_loss(0.8, 0.25) + 1.25);
  CHECK(missing.epsilon_accounted > all.epsilon_accounted);

  auto const half = price(federation(chain), {.reporting = 5});
  CHECK(half.epsilon_accounted == infinity);
  CHECK(half.reason == missing_noise);
  auto const gathered = price(federation(chain).with_aggregator(GatheredMean{}));
  CHECK(gathered.epsilon_accounted == infinity);
  CHECK(gathered.reason == "the server or attackers see single messages, which carry a small share of the noise");
  CHECK(gathered.epsilon_nominal == 1.75);
}

TEST_CASE("After an infinite loss, the total stays infinite and keeps the first reason") {
  auto training = federation(gamma_noise).start(TenClients{.reporting = 4});
  training.advance();
  CHECK(training.round().privacy->epsilon_accounted == infinity);
  training.advance();  // all report
  CHECK(training.round().statistics.reported == 10);
  CHECK(training.round().privacy->epsilon_accounted == infinity);
  CHECK(training.round().privacy->epsilon_nominal == 1.0);
  CHECK(training.round().privacy->reason == missing_noise);
  CHECK(training.round().privacy->assumption == "assumes a server that keeps only sums; " + against_server);
}

TEST_CASE("The ledger's figure is against another client unless the privatizer says otherwise") {
  GammaNoise const by_default{.epsilon = 0.5, .sensitivity = 1.0};
  auto const client = price(federation(by_default));
  CHECK(client.epsilon_accounted == Approx(4 * detail::missing_noise_loss(0.9, 0.25)).epsilon(1e-14));
  CHECK(client.assumption ==
        "assumes a server that keeps only sums; assumes that at most 1 of the reporting clients colludes or adds no "
        "noise");
  CHECK(price(federation(by_default), {.reporting = 9}).epsilon_accounted ==
        price(federation(gamma_noise), {.reporting = 8}).epsilon_accounted);
  // Many rounds are composed by Rényi divergences, also with missing noise.
  auto training = federation(by_default, 46).start(TenClients{}, {.delta = 1e-5});
  training.run(200);
  CHECK(training.round().privacy->bound == "Renyi divergence");
  CHECK(training.round().privacy->epsilon_accounted <
        0.1 * 200 * 46 * detail::missing_noise_loss(0.9, 0.5 / std::sqrt(46)));
}

TEST_CASE("A round without messages costs nothing") {
  auto const check = [](auto const& federated) {
    auto training = federated.start(TenClients{.reporting = 0});
    training.advance();
    CHECK(training.round().statistics.dropped == 10);
    REQUIRE(training.round().privacy);
    CHECK(training.round().privacy->epsilon_nominal == 0.0);
    CHECK(training.round().privacy->epsilon_accounted == 0.0);
    CHECK(training.round().privacy->delta == 0.0);
    CHECK(training.round().privacy->assumption.empty());
    CHECK(training.round().privacy->reason.empty());
    training.advance();  // all report
    CHECK(training.round().privacy->epsilon_accounted > 0.0);
  };
  check(federation(gamma_noise));
  check(federation(gamma_noise).with_aggregator(fltr::testing::SealedFedAvg{}));
  check(federation(gamma_noise).with_aggregator(GatheredMean{}));
  check(federation(LaplaceNoise{}));
  check(federation(GaussianNoise{}));
  check(federation(Chain(Clip{}, gamma_noise, LaplaceNoise{})));
}

TEST_CASE(
    "A discarded round is charged as if exactly minimum_reports messages had arrived; a sealed one costs nothing") {
  for (std::uint32_t const reporting : {1U, 4U, 7U}) {
    auto const open = price(federation(gamma_noise), {reporting}, 8);
    CHECK(open.epsilon_accounted == Approx(4 * detail::missing_noise_loss(0.8, 0.25)).epsilon(1e-14));
    CHECK(open.assumption == "assumes a server that keeps only sums, and none of a discarded round; " + against_server);
    auto const sealed = price(federation(gamma_noise).with_aggregator(fltr::testing::SealedFedAvg{}), {reporting}, 8);
    CHECK(sealed.epsilon_accounted == 0.0);
    CHECK(sealed.assumption.empty());
    CHECK(price(federation(gamma_noise).with_aggregator(GatheredMean{}), {reporting}, 8).epsilon_accounted == infinity);
  }
}

TEST_CASE("A federation whose privatizer has no loss has no price and no budget") {
  auto const check = [](auto const& federated) {
    auto training = federated.start(TenClients{}, {.epsilon_budget = 0.0});
    CHECK_FALSE(training.worst_loss());
    CHECK_FALSE(training.exhausted());
    CHECK_FALSE(training.round().privacy);
    training.advance();
    CHECK_FALSE(training.round().privacy);
    CHECK_FALSE(training.exhausted());
  };
  check(federation(NoPrivacy{}));
  check(federation(Clip{}));
  check(federation(Chain(Clip{}, NoPrivacy{})));
}

TEST_CASE("The budget check assumes the fewest reports that the rules allow") {
  // All ten report: .5 √4 = 1 per round. With nine the price is 4 g(.25) at ν = .9.
  double const nine = 4 * detail::missing_noise_loss(0.9, 0.25);
  REQUIRE(nine > 1.0);
  auto const exhausted = [](std::uint64_t minimum_reports, double budget) {
    return federation(gamma_noise)
        .start(TenClients{}, {.minimum_reports = minimum_reports, .epsilon_budget = budget})
        .exhausted();
  };
  CHECK_FALSE(exhausted(10, 1.0));
  CHECK(exhausted(10, 0.999));
  CHECK(exhausted(9, 1.0));
  CHECK_FALSE(exhausted(9, nine + 1e-9));
  CHECK(exhausted(5, 1e300));  // half of the noise may be missing
  CHECK(federation(gamma_noise).start(TenClients{}, {.minimum_reports = 9}).worst_loss()->epsilon_accounted ==
        Approx(nine).epsilon(1e-14));
}

namespace {

/// Asks no client in the first round.
struct LateClients : TenClients {
  std::vector<std::uint32_t> participants(std::uint32_t round, Stream&) const {
    return round == 1 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{0, 1};
  }
};

}  // namespace

TEST_CASE("A round that asks no client fits every budget") {
  auto training = federation(gamma_noise).start(LateClients{}, {.minimum_reports = 2, .epsilon_budget = 1.5});
  CHECK(training.worst_loss()->epsilon_accounted == 0.0);
  CHECK_FALSE(training.exhausted());
  training.advance();
  CHECK(training.round().privacy->epsilon_accounted == 0.0);
  CHECK_FALSE(training.exhausted());
  training.advance();
  CHECK(training.round().privacy->epsilon_accounted == 1.0);  // .5 √4
  CHECK(training.exhausted());
}

TEST_CASE("A round without measurements costs nothing, also if measurements are not randomized") {
  for (double const keep : {0.5, 1.0}) {
    auto const loss = RandomizedMetric::max_rr(keep).loss({.asked = 1, .reported = 1, .interactions = 0});
    CHECK(loss.epsilon_accounted == 0.0);
    CHECK(loss.reason.empty());
  }
}

TEST_CASE("In a Chain, a link without a loss after noise that protects sums removes the guarantee") {
  LaplaceNoise const laplace{.epsilon = 0.25};
  auto const of = [](auto const& chain) {
    return chain.loss({.asked = 10, .reported = 10, .dimension = 4}).epsilon_accounted;
  };
  CHECK(of(Chain(Clip{}, gamma_noise)) == 1.0);
  CHECK(of(Chain(gamma_noise, Clip{})) == infinity);
  CHECK(of(Chain(Chain(gamma_noise), Clip{})) == infinity);
  CHECK(of(Chain(gamma_noise, gamma_noise, Clip{})) == infinity);
  // The last link with a loss protects any input. Laplace noise protects each single message.
  CHECK(of(Chain(gamma_noise, Clip{}, gamma_noise)) == 2.0);
  CHECK(of(Chain(gamma_noise, Clip{}, laplace)) == 1.25);
  CHECK(of(Chain(Chain(gamma_noise, Clip{}), laplace, Clip{})) == infinity);  // more than necessary: .25 holds
  CHECK(of(Chain(laplace, Clip{})) == 0.25);
}

namespace {

/// A message of four values, for any ranker.
struct FourValues {
  std::vector<float> values = std::vector<float>(4);
  [[nodiscard]] bool fits(auto const&, std::uint32_t) const { return values.size() == 4; }
  void complete(std::uint32_t) {}
  auto fields(auto&& visit) { return visit(values); }
};
struct SendsFourValues {
  using Message = FourValues;
  static constexpr bool shows_lists = false;
  FourValues learn(auto const&, auto const&, auto&) const { return {}; }
};
struct CountsValues {
  struct Sum {
    static constexpr bool linear = true;
    std::uint64_t count = 0;
    void add(FourValues const&) { ++count; }
    void merge(Sum const& other) { count += other.count; }
    auto fields(auto&& visit) { return visit(count); }
  };
  Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const&, auto&) const {}
};

}  // namespace

TEST_CASE("The price uses the number of values of the message, also if it exceeds the ranker's parameters") {
  auto training =
      make_federation(LinearRanker(1), NoClicks{}, SendsFourValues{}, CountsValues{}, gamma_noise).start(TenClients{});
  training.advance();
  CHECK(training.round().statistics.dimension == 4);
  CHECK(training.round().privacy->epsilon_accounted == Approx(0.5 * 2.0));  // ε √4
}

namespace {

/// FedAvg that leaves large messages out: its sum is not linear in the messages.
struct SkipsLarge {
  struct Sum {
    WeightSum total;
    void add(LocalWeights const& message) {
      if (std::abs(message.values[0]) < 1.0F) total.add(message);
    }
    void merge(Sum const& other) { total.merge(other.total); }
    auto fields(auto&& visit) { return visit(total); }
  };
  Sum sum(auto const& ranker) const { return {weight_sum_for(ranker)}; }
  void aggregate(Sum const& all, auto& ranker) const { FedAvg{}.aggregate(all.total, ranker); }
};

/// A message whose weight the server does not know in advance.
struct OwnWeight : FourValues {
  [[nodiscard]] double weight() const { return 7.0; }
};
struct SendsOwnWeight {
  using Message = OwnWeight;
  static constexpr bool shows_lists = false;
  OwnWeight learn(auto const&, auto const&, auto&) const { return {}; }
};

}  // namespace

TEST_CASE("Noise that protects sums has no bound if the aggregator's Sum is not linear") {
  auto training = make_federation(LinearRanker(1), NoClicks{}, SendsZeros{}, SkipsLarge{}, GammaNoise{.epsilon = 0.5})
                      .start(TenClients{});
  training.advance();
  CHECK(training.round().privacy->epsilon_accounted == infinity);
  CHECK(training.round().privacy->reason.find("not linear") != std::string::npos);
  auto local = make_federation(LinearRanker(1), NoClicks{}, SendsZeros{}, SkipsLarge{}, LaplaceNoise{.epsilon = 0.5})
                   .start(TenClients{});
  local.advance();
  CHECK(local.round().privacy->epsilon_accounted == 0.5);
}

TEST_CASE("advance throws before a round that could exceed the budget, and names the budget that the round needs") {
  auto training = make_federation(LinearRanker(1), NoClicks{}, SendsZeros{}, FedAvg{}, LaplaceNoise{.epsilon = 0.1})
                      .start(TenClients{}, {.epsilon_budget = 0.3});
  for (int i = 0; i < 3; ++i) CHECK_NOTHROW(training.advance());  // .1 + .1 + .1 is above .3 in doubles
  CHECK(training.exhausted());
  CHECK_THROWS_WITH(training.advance(), "Training::advance: required epsilon_budget >= 0.4 for round 4, got 0.3");
  CHECK(training.number() == 3);
}

TEST_CASE("The budget check assumes the worst for unknown dimensions and weights") {
  auto const gamma = GammaNoise{.epsilon = 0.5, .sensitivity = 1.0};
  RunOptions const options{.minimum_reports = 10, .epsilon_budget = 100.0};
  auto const values = make_federation(LinearRanker(1), NoClicks{}, SendsFourValues{}, CountsValues{}, gamma);
  // The number of values is not known: no bound by the sum of epsilons. zCDP does not depend on it.
  CHECK(values.start(TenClients{}, options).worst_loss()->epsilon_accounted > 1e9);
  CHECK(values.start(TenClients{}, options).worst_total()->bound == "Renyi divergence");
  CHECK(values.start(TenClients{}, {.minimum_reports = 10, .epsilon_budget = 100.0, .delta = 0.0}).exhausted());
  auto const weights = make_federation(LinearRanker(1), NoClicks{}, SendsOwnWeight{}, CountsValues{}, gamma);
  auto training = weights.start(TenClients{}, options);
  CHECK(training.worst_loss()->epsilon_accounted == infinity);
  CHECK(training.exhausted());
  CHECK_FALSE(make_federation(LinearRanker(1), NoClicks{}, SendsZeros{}, FedAvg{}, gamma)
                  .start(TenClients{}, options)
                  .exhausted());
}

namespace {

/// Ten clients, of which each round asks the first `asked(round)`.
struct SampledClients : TenClients {
  std::vector<std::uint32_t> participants(std::uint32_t round, Stream&) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 10 - (round - 1) % 5; ++i) out.push_back(i);
    return out;
  }
};

}  // namespace

TEST_CASE("Each client pays for the rounds in which it sent a message; the total is that of the worst client") {
  auto const laplace = LaplaceNoise{.epsilon = 0.25};
  auto training = federation(laplace).start(SampledClients{});
  training.run(5);
  // Client 9 was asked in round 1 only, client 5 in all rounds.
  CHECK(training.privacy_of(9)->epsilon_accounted == 0.25);
  CHECK(training.privacy_of(8)->epsilon_accounted == 0.5);
  CHECK(training.privacy_of(5)->epsilon_accounted == training.round().privacy->epsilon_accounted);
  CHECK(training.round().privacy->epsilon_accounted == Approx(1.25).epsilon(0.02));
  CHECK(training.round().privacy->epsilon_nominal == 1.25);
  CHECK_THROWS_WITH(training.privacy_of(10), "Training::privacy_of: required a client of the population, got 10");

  // No amplification: a client that was asked pays the price of the mechanism, however small the sample is.
  auto one = federation(laplace).start(LateClients{});
  one.run(2);
  CHECK(one.privacy_of(1)->epsilon_accounted == 0.25);
  CHECK(one.privacy_of(2)->epsilon_accounted == 0.0);

  // A client that does not answer sends nothing. Its message of a discarded round would have been sent.
  auto dropping = federation(laplace).start(TenClients{.reporting = 3}, {.minimum_reports = 5});
  dropping.advance();
  CHECK(dropping.round().statistics.discarded);
  CHECK(dropping.privacy_of(2)->epsilon_accounted == 0.25);
  CHECK(dropping.privacy_of(3)->epsilon_accounted == 0.0);
}

TEST_CASE("A budget counts the clients that the next round asks") {
  auto const laplace = LaplaceNoise{.epsilon = 0.25};
  auto training = federation(laplace).start(SampledClients{}, {.epsilon_budget = 0.8, .delta = 0.0});
  CHECK(training.run(100) == 3);
  CHECK(training.exhausted());
  CHECK(training.worst_total()->epsilon_accounted == 1.0);
  CHECK(training.round().privacy->epsilon_accounted == 0.75);

  // 200 rounds of .05: 10 by the sum, about 3.8 by Rényi divergences.
  auto many = federation(LaplaceNoise{.epsilon = 0.05}).start(TenClients{}, {.epsilon_budget = 3.0});
  auto const rounds = many.run(1000);
  CHECK(rounds > 60);  // the sum allows 60
  CHECK(many.round().privacy->epsilon_accounted <= 3.0);
  CHECK(many.worst_total()->epsilon_accounted > 3.0);
}

TEST_CASE("GammaNoise keeps its guarantee with fewer reports and with different weights, if the options say so") {
  GammaNoise restored = gamma_noise;
  restored.fewest_reports = 6;
  for (std::uint32_t const reporting : {10U, 7U, 6U})
    CHECK(price(federation(restored), {reporting}).epsilon_accounted == 1.0);
  CHECK(price(federation(restored), {5U}).epsilon_accounted == Approx(4 * detail::missing_noise_loss(5.0 / 6.0, 0.25)));
  CHECK(price(federation(restored), {3U}).epsilon_accounted == infinity);
  auto training = federation(restored).start(TenClients{}, {.minimum_reports = 6, .epsilon_budget = 1.0});
  CHECK_FALSE(training.exhausted());

  GammaNoise weighted = gamma_noise;
  weighted.largest_weight = 8.0;
  RoundRelease release{.asked = 10, .reported = 10, .dimension = 4, .smallest_weight = 1.0, .largest_weight = 8.0};
  CHECK(weighted.loss(release).epsilon_accounted == 1.0);
  CHECK(gamma_noise.loss(release).epsilon_accounted == infinity);
  release.largest_weight = 9.0;
  CHECK(weighted.loss(release).epsilon_accounted == infinity);
  release.largest_weight = 8.0;
  release.smallest_weight = 0.0;
  CHECK(weighted.loss(release).epsilon_accounted == infinity);
  CHECK(weighted.loss(release).reason ==
        "a message may have a weight of 0 or above largest_weight, for which its noise is not scaled");
  CHECK_THROWS_WITH(weighted.privatize(LocalWeights{{0.0F}, 9}, {.participants = 1, .interactions = 9}),
                    "GammaNoise: required a weight above 0 and at most largest_weight = 8, got 9");
}

TEST_CASE("Shared noise is charged with all reports of a sealed sum on its own grid, and as one message on any other") {
  DistributedGaussian const gaussian{.clip = 0.5, .sigma = 2.0, .fewest_reports = 8, .colluding = 1};
  PolyaNoise const polya{.epsilon = 0.5, .clip = 0.5, .fewest_reports = 8, .colluding = 1, .step = 0x1p-12};
  auto const with = [](auto const& noise, FixedPoint grid) {
    return price(federation(noise).with_aggregator(IdealSum<FedAvg>{.grid = grid}));
  };
  CHECK(with(gaussian, {.step = gaussian.step, .clamp = false}).rho == gaussian.round_rho(9, 4));
  CHECK(with(polya, {.step = polya.step, .clamp = false}).epsilon_accounted == 0.5);
  // FixedPoint's own step shows the rounding errors of the floats in a message.
  double const one_polya = price(federation(polya)).epsilon_accounted;
  CHECK(one_polya > 5.0);
  for (FixedPoint const& grid :
       {FixedPoint{}, FixedPoint{.step = 0x1p-32, .clamp = false}, FixedPoint{.step = 0x1p-8, .clamp = false}}) {
    CHECK(with(gaussian, grid).rho == gaussian.round_rho(1, 4));
    CHECK(with(polya, grid).epsilon_accounted == one_polya);
  }
  CHECK(with(gaussian, {.step = gaussian.step}).rho == gaussian.round_rho(1, 4));  // clamped
  // A seal of which the ledger does not know the grid.
  CHECK(price(federation(gaussian).with_aggregator(fltr::testing::SealedFedAvg{})).rho == gaussian.round_rho(1, 4));

  // Dropouts: what happened is charged. A discarded round costs nothing.
  auto const sum = IdealSum<FedAvg>{.grid = {.step = gaussian.step, .clamp = false}};
  auto const sealed = federation(gaussian).with_aggregator(sum);
  CHECK(price(sealed, {.reporting = 8}, 8).rho == gaussian.round_rho(7, 4));
  CHECK(price(sealed, {.reporting = 7}, 8).rho == 0.0);
  CHECK(price(sealed, {.reporting = 7}, 8).epsilon_accounted == 0.0);
}

TEST_CASE("A discarded round has its price if clients were asked to open the seal, because late answers open it too") {
  DistributedGaussian const gaussian{.clip = 0.5, .sigma = 2.0, .fewest_reports = 8, .colluding = 0};
  NeverOpens const seal{{.grid = {.step = gaussian.step, .clamp = false}}};
  auto const noisy = federation(gaussian).with_aggregator(seal);
  auto training = noisy.start(TenClients{.reporting = 9}, {.minimum_reports = 8});
  training.advance();
  CHECK(training.round().statistics.discarded);
  CHECK(training.round().statistics.unsealing);
  CHECK(training.round().privacy->rho == gaussian.round_rho(9, 4));
  NeverOpens const fine{{.grid = {.clamp = false}}};
  CHECK(price(federation(gamma_noise).with_aggregator(fine), {}, 10).epsilon_accounted == Approx(1.0).epsilon(1e-9));
  CHECK(price(noisy, {.reporting = 7}, 8).rho == 0.0);  // nobody was asked
}

TEST_CASE("GammaNoise has no bound if clients clamp it, because clamped noise does not add up to Laplace noise") {
  // Two secrets, +.5 and −.5. With 32 bits and steps of 2^-32 each of ten clients clamps its number to ±.05, and the sum
  // has its largest value if all ten numbers have. A number has it with the probability P(noise ≥ −.45) = .8 or
  // P(noise ≥ .55) = .2, where noise is the difference of two Gamma(.1, 10). Complete Laplace noise of the scale 10
  // would allow a quotient of at most e^(.1).
  GammaNoise const noise{.epsilon = 0.1, .sensitivity = 1.0, .colluding = 0};
  std::array<int, 2> largest{};
  constexpr int runs = 4000;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Stream stream(run);
    double value = 0.0;
    detail::gamma_differences(stream, 0.1, 1, [&](std::size_t, double difference) { value = 10.0 * difference; });
    FixedPoint const grid{};
    for (std::size_t secret = 0; secret < 2; ++secret) {
      auto const words = grid.words<std::uint32_t>({{(secret == 0 ? 0.5 : -0.5) + value}, 1}, 10);
      largest[secret] += words[0] == FixedPoint::largest<std::uint32_t>(10) ? 1 : 0;
    }
  }
  CHECK(largest[0] > 2 * largest[1]);  // e^(.1) = 1.11
  CHECK(price(federation(noise).with_aggregator(IdealSum<FedAvg, std::uint32_t>{})).epsilon_accounted == infinity);
  CHECK(price(federation(noise).with_aggregator(IdealSum<FedAvg>{.grid = {.clamp = false}})).epsilon_accounted ==
        Approx(0.2).epsilon(1e-9));
}

TEST_CASE("Sealed metrics have the bound for shuffled messages if all clients are asked for as many measurements") {
  auto const metrics = RandomizedMetric::max_rr(0.25);
  auto const sealed =
      make_federation(LinearRanker(4), NoClicks{}, SendsMeasurements{}, IdealSum<EsGradient<>>{}, metrics);
  auto const total = [&](auto const& clients) {
    auto training = sealed.start(clients, {.delta = 1e-5});
    for (int round = 0; round < 20; ++round) training.advance();
    return training.round().privacy.value();
  };
  TenClients const equal{.interactions = 1};
  auto const shuffled = total(equal);
  CHECK(shuffled.bound == "Renyi divergence");
  CHECK(shuffled.assumption ==
        "assumes that the seeds of perturbations are not sent and do not depend on the data, and that at most 1 of the "
        "reporting clients colludes");
  auto curve = shuffled_renyi_curve(metrics.epsilon(), 9);
  auto const local = metrics.loss({.asked = 10, .reported = 10, .interactions = 1}).rdp;
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i] = 20.0 * std::min(curve[i], local[i]);
  CHECK(shuffled.epsilon_accounted == Approx(renyi_epsilon(renyi_orders, curve, 1e-5).value).epsilon(1e-12));
  // One client is asked for another number.
  struct Unequal : TenClients {
    Client operator[](std::size_t i) const { return {static_cast<ClientId>(i), i == 3 ? 2U : 1U, QueryPool()}; }
  };
  CHECK(total(Unequal{}).assumption.empty());
}

TEST_CASE("A round whose messages are all rejected has its price, because the server has read them") {
  auto training = federation(LaplaceNoise{.epsilon = 0.25}).with_learner(SendsTooMany{}).start(TenClients{});
  training.advance();
  CHECK(training.round().statistics.reported == 0);
  CHECK(training.round().statistics.rejected == 10);
  CHECK(training.round().privacy->epsilon_accounted == Approx(0.25));
}

TEST_CASE("The budget check and a discarded round count the messages without which the aggregator does nothing") {
  auto const federated = federation(SharedNoise{}).with_aggregator(NeedsEight{});
  CHECK(federated.start(TenClients{}).worst_loss()->epsilon_accounted == 1.0 / 8);
  CHECK(federated.start(TenClients{}, {.minimum_reports = 9}).worst_loss()->epsilon_accounted == 1.0 / 9);
  CHECK(price(federated, {.reporting = 10}).epsilon_accounted == 1.0 / 10);
  CHECK(price(federated, {.reporting = 8}).epsilon_accounted == 1.0 / 8);
  CHECK(price(federated, {.reporting = 5}).epsilon_accounted == 1.0 / 8);
}

/// Writes down the releases for which its loss is asked.
struct WritesReleases {
  static constexpr bool draws_noise = false;
  static inline std::vector<RoundRelease> seen{};

  LocalWeights privatize(LocalWeights message, PrivacyContext const&) const { return message; }
  PrivacyLoss loss(RoundRelease const& release) const {
    seen.push_back(release);
    return {.epsilon_nominal = 0.1, .epsilon_accounted = 0.1};
  }
};

TEST_CASE("Attackers add no noise, and one that sees all messages shows them to the server") {
  auto const worst = [](auto const& attack, std::uint64_t minimum_reports) {
    WritesReleases::seen.clear();
    auto const training = make_federation(LinearRanker(4), NoClicks{}, SendsZeros{}, FedAvg{}, WritesReleases{})
                              .with_attack(attack)
                              .start(TenClients{}, {.minimum_reports = minimum_reports});
    CHECK(training.worst_loss()->epsilon_accounted == 0.1);
    return WritesReleases::seen.at(0);
  };
  CHECK(worst(NoAttack{}, 5).noiseless == 0);
  CHECK(worst(NoAttack{}, 5).view == ServerView::assumed_sum);
  for (std::uint32_t const attackers : {1U, 3U, 7U}) {
    auto const malicious = MaliciousClients::first(attackers);
    auto const blind = worst(SignFlip<PartialKnowledge>{malicious}, 5);
    CHECK(blind.noiseless == std::min(attackers, 5U));  // all attackers among the fewest reports
    CHECK(blind.reported == 5);
    CHECK(blind.view == ServerView::assumed_sum);
    auto const omniscient = worst(SignFlip<FullKnowledge>{malicious}, 5);
    CHECK(omniscient.noiseless == std::min(attackers, 5U));
    CHECK(omniscient.view == ServerView::messages);
  }
}

TEST_CASE("The price of a round depends on the late messages that reach the server, as on the others") {
  WritesReleases::seen.clear();
  std::vector<Client> clients;
  for (ClientId id = 0; id < 10; ++id) clients.push_back({id, 4, QueryPool()});
  auto training = make_federation(LinearRanker(4), NoClicks{}, SendsZeros{}, FedAvg{}, WritesReleases{})
                      .start(Dropout<std::vector<Client>>{clients, 0.0, 0.0, 0.0, 0.5});
  std::uint64_t late = 0;
  for (int round = 0; round < 5; ++round) {
    training.advance();
    auto const statistics = training.round().statistics;
    CHECK(WritesReleases::seen.back().late == statistics.late);
    CHECK(WritesReleases::seen.back().reported == statistics.reported);
    late += statistics.late;
  }
  CHECK(late > 0);
}
