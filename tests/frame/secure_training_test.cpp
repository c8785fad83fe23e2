// SecureSum and IdealSum in complete federations.
#include <fltr/aggregators/secure_sum.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/privatizers/polya_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// 40 clients of which 30 are asked, and of which about 30 % do not report. `phases`: whether a client can be lost in
/// every phase. Otherwise it is lost in the phase of the message if it would have been lost before or in it.
struct Lossy {
  std::vector<Client> clients;
  bool phases = true;

  std::size_t size() const { return clients.size(); }
  Client operator[](std::size_t i) const { return clients[i]; }
  std::vector<std::uint32_t> participants(std::uint32_t round, Stream&) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < size(); ++i)
      if ((i + round) % 4 != 0) out.push_back(i);
    return out;
  }
  static bool lost(std::uint32_t round, std::size_t phase, std::size_t i) {
    return Stream(1000 * round + 100 * phase + i).uniform() < (phase == 2 ? 0.2 : 0.05);
  }
  bool reports(RoundPhase const& at, std::size_t i, Stream&) const {
    if (at.phase == Phase::exchange_before) return !lost(at.round, at.exchange, i);
    if (at.phase == Phase::exchange_after) return !lost(at.round, 3 + at.exchange, i);
    return !lost(at.round, 2, i) && (phases || (!lost(at.round, 0, i) && !lost(at.round, 1, i)));
  }
};

/// The same sums without masks.
template <class A, SecureServer S, class Word>
IdealSum<A, Word> ideal_of(SecureSum<A, S, Word> const& secure) {
  return {secure.aggregator, secure.grid};
}

}  // namespace

TEST_CASE("A sealed training has the bits of the ideal one, on any number of threads, with sampling and 30 % dropout") {
  auto const data = toy_dataset(20, 6);
  Lossy all{{}, true};
  std::vector<ClientId> ids;
  for (std::uint32_t i = 0; i < 40; ++i) {
    all.clients.push_back({3 * i + 1, 4, QueryPool(data)});
    ids.push_back(3 * i + 1);
  }
  auto const ideal_clients = Lossy{all.clients, false};
  auto const check = [&](auto const& learner, auto secure, auto const& privatizer) {
    secure.setting = {.dropout = 0.45, .corrupt = 0.0};
    secure.identities = Identities::simulated(ids);
    auto const federation =
        make_federation(LinearRanker(5), CascadeModel::perfect(3), learner, secure.prepared_for(30), privatizer)
            .with_execution(Threads{1});
    auto one = federation.start(all, {.seed = 3});
    auto three = federation.with_execution(Threads{3}).start(all, {.seed = 3});
    auto ideal = federation.with_aggregator(ideal_of(secure)).start(ideal_clients, {.seed = 3});
    LinearRanker before(5);
    for (int round = 0; round < 3; ++round) {
      one.advance();
      three.advance();
      ideal.advance();
      CHECK_FALSE(one.round().statistics.discarded);
      CHECK(one.round().statistics.reported < 28);
      CHECK(one.round().statistics.reported == ideal.round().statistics.reported);
      CHECK_FALSE(same_bits(one.ranker(), before));
      before = one.ranker();
      CHECK(same_bits(one.ranker(), three.ranker()));
      CHECK(same_bits(one.ranker(), ideal.ranker()));
      CHECK(same_bits(one.server_state(), ideal.server_state()));
      if (one.round().privacy)
        CHECK(one.round().privacy->epsilon_accounted == ideal.round().privacy->epsilon_accounted);
    }
  };
  check(Pdgd{}, SecureSum<FedAvg>{}, NoPrivacy{});
  check(Pdgd{}, SecureSum<FedAvg, SecureServer::malicious>{}, NoPrivacy{});
  check(EvolutionStrategy<>{}, SecureSum<EsGradient<>>{}, RandomizedMetric::max_rr(0.5));
  // Noise of which each client adds a share, modulo 2^32.
  DistributedGaussian const gaussian{.sigma = 0.5, .fewest_reports = 15, .colluding = 2, .step = 0x1p-12};
  PolyaNoise const polya{.epsilon = 0.5, .fewest_reports = 15, .colluding = 2, .step = 0x1p-12};
  FixedPoint const grid{.step = 0x1p-12, .clamp = false, .clip = 0.1};
  check(Pdgd{}, SecureSum<FedAvg, SecureServer::curious, std::uint32_t>{.grid = grid}, gaussian);
  check(Pdgd{}, SecureSum<FedAvg, SecureServer::malicious, std::uint32_t>{.grid = grid}, polya);
}

TEST_CASE("An ideal sum of updates is the average of the messages within half a step") {
  auto const data = toy_dataset(20, 6);
  auto const clients = split_iid(data, {.clients = 20, .interactions = 3});
  auto const plain =
      make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{}).with_execution(Threads{1});
  auto a = plain.start(clients, {.seed = 1});
  auto b = plain.with_aggregator(IdealSum<FedAvg>{}).start(clients, {.seed = 1});
  a.advance();
  b.advance();
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(a.ranker().parameters()[i] == Approx(b.ranker().parameters()[i]).margin(1e-7));
  CHECK(b.round().statistics.reported == 20);
}

namespace {

struct SendsZeros {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size()), client.interactions};
  }
};

/// Ten clients, of which `reporting` answer.
struct TenClients {
  std::uint32_t reporting = 10;

  [[nodiscard]] std::size_t size() const { return 10; }
  Client operator[](std::size_t i) const { return {static_cast<ClientId>(i), 4, QueryPool()}; }
  bool reports(RoundPhase const&, std::size_t i, Stream&) const { return i < reporting; }
};

/// The price of one round that asks ten clients and requires ten reports.
template <SecureServer S, class P>
PrivacyLoss price(SecureGraph graph, P const& privatizer, TenClients clients = {}, double step = 0x1p-12) {
  SecureSum<FedAvg, S> seal{
      .setting = {.dropout = 0.0, .corrupt = 0.0}, .grid = {.step = step, .clamp = false}, .graph = graph};
  std::vector<ClientId> const ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  seal.identities = Identities::simulated(ids);
  auto training = make_federation(LinearRanker(4), NoClicks{}, SendsZeros{}, seal, privatizer)
                      .start(clients, {.minimum_reports = 10});
  auto const worst = training.worst_loss().value();
  training.advance();
  auto const after = training.round().privacy.value();
  if (clients.reporting == 10) CHECK(worst.reason == after.reason);
  return after;
}

constexpr SecureGraph all_pairs{10, 9, 6};
constexpr SecureGraph ring{10, 4, 3};

}  // namespace

TEST_CASE(
    "Against a malicious server on a neighbour graph, noise that relies on the number of reports is not charged as a "
    "sum") {
  double const infinity = std::numeric_limits<double>::infinity();
  constexpr auto malicious = SecureServer::malicious;
  constexpr auto curious = SecureServer::curious;
  std::string const why =
      "every message counts alone, because a malicious server can open sums of fewer than minimum_reports messages on "
      "a neighbour graph that is not complete";

  GammaNoise const gamma{.epsilon = 0.5, .sensitivity = 1.0};  // needs a fine grid
  auto const of_sum = price<curious>(ring, gamma, {}, 0x1p-32);
  CHECK(of_sum.epsilon_accounted < 2.0);
  CHECK(price<malicious>(all_pairs, gamma, {}, 0x1p-32).epsilon_accounted == of_sum.epsilon_accounted);
  CHECK(price<malicious>(all_pairs, gamma, {}, 0x1p-32).reason.empty());
  auto const split = price<malicious>(ring, gamma, {}, 0x1p-32);
  CHECK(split.epsilon_accounted == infinity);
  CHECK(split.reason.substr(0, why.size()) == why);

  // What is left is the noise of the message itself: h = 1 of the ten discrete Gaussians, so that rho is ten times as
  // large; a share of 1/10 of the Polya noise.
  DistributedGaussian const gaussian{.sigma = 0.5, .fewest_reports = 10, .colluding = 0, .step = 0x1p-12};
  CHECK(price<malicious>(all_pairs, gaussian).rho == price<curious>(ring, gaussian).rho);
  CHECK(price<malicious>(ring, gaussian).rho == Approx(10 * price<curious>(ring, gaussian).rho).epsilon(1e-3));
  PolyaNoise const polya{.epsilon = 0.5, .fewest_reports = 10, .colluding = 0, .step = 0x1p-12};
  CHECK(price<malicious>(all_pairs, polya).epsilon_accounted == price<curious>(ring, polya).epsilon_accounted);
  CHECK(price<malicious>(ring, polya).epsilon_accounted > 5 * price<curious>(ring, polya).epsilon_accounted);

  // With nine of ten required reports the sum is not opened, unless the server splits the graph.
  CHECK(price<malicious>(all_pairs, gaussian, {9}).rho == 0.0);
  CHECK(price<malicious>(ring, gaussian, {9}).rho == price<malicious>(ring, gaussian).rho);
}
