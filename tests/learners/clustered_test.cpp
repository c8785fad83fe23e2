// Clusters of clients: the bits of the plain learner for one cluster, the choice of a model, and what it discloses.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/clustered.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/learners/proximal.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/opposite_clients.hpp"
#include "support/privacy_audit.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::OppositeClients;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

static_assert(Learner<Clustered<Pdgd>, ClusteredRanker<LinearRanker>>);
static_assert(Learner<Clustered<Proximal<Personal<Pdgd>>>, ClusteredRanker<SplitNeuralRanker>>);
static_assert(!Learner<Clustered<Pdgd>, LinearRanker>);  // it needs several models
template <class L>
concept CanBeClustered = requires { typename Clustered<L>; };
static_assert(!CanBeClustered<EvolutionStrategy<>> && !CanBeClustered<Clustered<Pdgd>>);
template <class L>
concept CanBeProximal = requires { typename Proximal<L>; };
static_assert(!CanBeProximal<Clustered<Pdgd>>);  // Clustered is the outermost wrapper

double const infinity = std::numeric_limits<double>::infinity();

auto opposite(auto execution, std::size_t clusters = 2) {
  return make_federation(ClusteredRanker(LinearRanker(5), clusters), CascadeModel::navigational(3), Clustered<Pdgd>{},
                         PerCluster<>{})
      .with_execution(execution);
}

double mean(std::vector<std::optional<double>> const& values) {
  double sum = 0.0;
  for (auto const& value : values) sum += value.value();
  return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("One cluster gives the bits of the plain learner and aggregator, and the price of any privatizer") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 40, .interactions = 3});
  auto const check = [&](auto const& ranker, auto const& learner, auto const& server, auto const& privatizer) {
    using L = std::remove_cvref_t<decltype(learner)>;
    using A = std::remove_cvref_t<decltype(server)>;
    auto const clicks = CascadeModel::informational(3);
    auto plain = make_federation(ranker, clicks, learner, server, privatizer).start(clients, {.seed = 4});
    PerCluster<A> one_server;
    one_server.aggregator = server;
    auto one = make_federation(ClusteredRanker(ranker, 1), clicks, Clustered<L>{learner}, one_server, privatizer)
                   .start(clients, {.seed = 4});
    CHECK(same_bits(one.ranker().model(0), plain.ranker()));  // the start model
    plain.run(4);
    one.run(4);
    // Noise is a function of the message, and a message that names its cluster is another one.
    if (!composition::draws_noise<std::remove_cvref_t<decltype(privatizer)>>()) {
      CHECK(same_bits(one.ranker().model(0), plain.ranker()));
      CHECK(same_bits(one.ranker_of(7), plain.ranker()));
      CHECK(same_bits(one.round().statistics, plain.round().statistics));
    }
    REQUIRE(one.round().privacy.has_value() == plain.round().privacy.has_value());
    if (one.round().privacy) CHECK(same_bits(*one.round().privacy, *plain.round().privacy));
    auto const loss = one.worst_loss();
    REQUIRE(loss.has_value() == plain.worst_loss().has_value());
    if (loss) CHECK(same_bits(*loss, *plain.worst_loss()));
  };
  check(LinearRanker(5), Pdgd{}, FedAvg{}, NoPrivacy{});
  check(LinearRanker(5), Pdgd{}, FedOpt<>{}, Clip{.bound = 0.5});
  check(NeuralRanker(5, {.hidden = 3}), Proximal<Pdgd>{{}, 0.5F}, FedAvg{}, NoPrivacy{});
  check(NeuralRanker(5, {.hidden = 3}), Proximal<Pdgd>{{}, 0.5F}, FedAvg{}, LaplaceNoise{.epsilon = 3.0});
  check(LinearRanker(5), Pdgd{}, FedAvg{}, GammaNoise{.epsilon = 4.0, .sensitivity = 2.0});
}

TEST_CASE("Clients of opposite preferences find two clusters, in which each has a ranker that suits it") {
  OppositeClients const two;
  auto const queries_of = [&](Client const& client) -> QueryPool const& { return two.queries_of(client.id); };
  for (std::uint64_t seed : {1U, 2U, 3U}) {
    auto training = opposite(Serial{}).start(two.clients(20), {.seed = seed});
    training.run(60);
    auto const cluster = [&](std::size_t i) { return training.client_state(i).learner.cluster; };
    CHECK(cluster(0) != cluster(1));
    for (std::size_t i = 2; i < 20; ++i) CHECK(cluster(i) == cluster(i % 2));
    CHECK(same_bits(training.ranker_of(0), training.ranker().model(cluster(0))));
    // The models rank by feature 0, upwards or downwards.
    CHECK(training.ranker_of(0).parameters()[0] > 0.0F);
    CHECK(training.ranker_of(1).parameters()[0] < 0.0F);
    CHECK(mean(training.evaluate_personal(Ndcg{.cutoff = 10}, queries_of)) > 0.95);

    auto plain = make_federation(LinearRanker(5), CascadeModel::navigational(3), Pdgd{}, FedAvg{})
                     .start(two.clients(20), {.seed = seed});
    plain.run(60);
    CHECK(mean(plain.evaluate_personal(Ndcg{.cutoff = 10}, queries_of)) < 0.8);
  }
}

TEST_CASE("A client keeps its first cluster during the warm-up, then takes the model that agrees with its clicks") {
  OppositeClients const two;
  ClusteredRanker models(LinearRanker(5), 2);
  models.model(0).parameters()[0] = 1.0F;   // suits even clients
  models.model(1).parameters()[0] = -1.0F;  // suits odd clients
  auto const federation = make_federation(models, CascadeModel::perfect(3),
                                          Clustered<Pdgd>{{.learning_rate = 0.0F}, 3, 0.5}, PerCluster<>{});
  auto training = federation.start(two.clients(32));
  std::vector<std::uint32_t> first;
  training.run(1);
  for (std::size_t i = 0; i < 32; ++i) first.push_back(training.client_state(i).learner.cluster);
  // 32 fair coins: all equal with probability 2^-31.
  CHECK(std::ranges::count(first, 0U) > 0);
  CHECK(std::ranges::count(first, 1U) > 0);
  training.run(1);
  for (std::size_t i = 0; i < 32; ++i) CHECK(training.client_state(i).learner.cluster == first[i]);
  training.run(1);
  for (std::size_t i = 0; i < 32; ++i) {
    auto const& state = training.client_state(i).learner;
    CHECK(state.cluster == i % 2);
    // The own model agrees with every perfect click, the other with none: 4 lists in each of 3 rounds, 4 + 2 + 1.
    CHECK(state.agreements[i % 2] <= 7.0);
    CHECK(state.agreements[i % 2] > 0.0);
    CHECK(state.agreements[1 - i % 2] == 0.0);
  }
}

TEST_CASE("Clusters have the same bits on any number of threads, and in a training that was saved and restored") {
  OppositeClients const two;
  auto const clients = two.clients(40);
  auto whole = opposite(Threads{1}).start(clients, {.seed = 6});
  whole.run(4);
  auto const saved = field_bytes(whole);
  whole.run(4);
  for (int threads : {2, 3}) {
    auto other = opposite(Threads{threads}).start(clients, {.seed = 6});
    other.run(8);
    CHECK(field_bytes(other) == field_bytes(whole));
  }
  auto resumed = opposite(Serial{}).start(clients, {.seed = 6});
  restore(resumed, saved);
  resumed.run(4);
  CHECK(field_bytes(resumed) == field_bytes(whole));

  auto three = opposite(Serial{}, 3).start(clients, {.seed = 6});
  CHECK_THROWS_WITH(restore(three, saved),
                    "Training: required a ranker of the same shape, got another number of models or parameters");
}

TEST_CASE("More clusters than clients, and a memory outside [0, 1), are errors") {
  OppositeClients const two;
  CHECK_THROWS_WITH(opposite(Serial{}, 5).start(two.clients(4)),
                    "Training: required at least 5 clients for this ranker, got 4");
  CHECK_NOTHROW(opposite(Serial{}, 4).start(two.clients(4)));
  for (double memory : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    auto training = opposite(Serial{}).with_learner(Clustered<Pdgd>{{}, 1, memory}).start(two.clients(4));
    CHECK_THROWS_AS(training.advance(), std::invalid_argument);
  }
}

TEST_CASE("Clustered wraps FedProx and FedPer: each client has its own output layer on the model of its cluster") {
  OppositeClients const two;
  auto training = make_federation(ClusteredRanker(SplitNeuralRanker(5, {.hidden = 3}), 2), CascadeModel::perfect(3),
                                  Clustered<Proximal<Personal<Pdgd>>>{{{}, 0.1F}}, PerCluster<>{})
                      .start(two.clients(6));
  training.run(5);
  for (std::size_t i = 0; i < 6; ++i) {
    auto const& state = training.client_state(i).learner;
    SplitNeuralRanker const own = training.ranker_of(i);
    CHECK(std::ranges::equal(own.shared(), training.ranker().model(state.cluster).shared()));
    CHECK(std::ranges::equal(personal_parameters(own), state.inner.own));
  }
  CHECK(training.round().statistics.dimension == 3 * 6);  // output layers do not travel
}

TEST_CASE("The ledger says that the message names the cluster, whatever noise the values have") {
  OppositeClients const two;
  auto const federation = opposite(Serial{}).with_privatizer(LaplaceNoise{.epsilon = 1.0, .sensitivity = 1.0});
  auto training = federation.start(two.clients(6));
  training.advance();
  REQUIRE(training.round().privacy);
  CHECK(training.round().privacy->epsilon_nominal == 1.0);
  CHECK(training.round().privacy->epsilon_accounted == infinity);
  CHECK(training.round().privacy->reason ==
        "the message names the client's cluster, which the client chose by its clicks");
  CHECK(training.worst_loss()->epsilon_accounted == infinity);

  auto with_budget = federation.start(two.clients(6), {.epsilon_budget = 100.0});
  CHECK(with_budget.exhausted());
  CHECK_THROWS_AS(with_budget.advance(), std::runtime_error);
}

TEST_CASE("The leak is real: the cluster in the second message reveals the client's preference through strong noise") {
  OppositeClients const two;
  ClusteredRanker models(LinearRanker(5), 2);
  models.model(0).parameters()[0] = 1.0F;
  models.model(1).parameters()[0] = -1.0F;
  auto const clicks = CascadeModel::perfect(3);
  LaplaceNoise const noise{.epsilon = 0.01, .sensitivity = 1.0};
  Clustered<Pdgd> const learner{{}, 1, 0.9};
  // Two secrets: the same client with the data of either kind. The server sees the cluster of its second message.
  constexpr std::uint64_t trials = 200;
  std::array<std::uint64_t, 2> named_first{};
  for (std::size_t secret = 0; secret < 2; ++secret)
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      Client const client{0, 4, two.queries_of(static_cast<ClientId>(secret))};
      State<Clustered<Pdgd>> state;
      ClusterWeights sent;
      for (std::uint32_t round : {1U, 2U})
        sent = simulated_message(learner, clicks, noise, models, client, {.seed = trial, .number = round}, state);
      named_first[secret] += sent.cluster == 0 ? 1U : 0U;
    }
  // The values alone would allow at most epsilon = 0.02 in two rounds.
  CHECK(fltr::testing::proven_epsilon(named_first[0], named_first[1], trials, 0.001, 0.0) > 3.0);
}
