#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/fine_tune.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/opposite_clients.hpp"
#include "support/same_bits.hpp"

namespace {

using namespace fltr;
using fltr::testing::OppositeClients;
using fltr::testing::same_bits;

auto trained(OppositeClients const& two, auto execution, std::uint64_t seed = 3) {
  auto training = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{})
                      .with_execution(execution)
                      .start(two.clients(36), {.seed = seed});
  training.run(5);
  return training;
}

// Fine-tuning takes a training that it cannot change.
static_assert(requires(decltype(trained(std::declval<OppositeClients const&>(), Serial{})) const& training) {
  fine_tune(training, FineTuning{});
});

/// Remembers nothing; its "training" writes the first random number of each purpose into the weights.
struct ShowsItsNumbers {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  std::uint32_t train(ParametricRanker auto& local, auto const& client, auto& session) const {
    auto const weights = local.parameters();
    weights[0] = static_cast<float>(session.streams.of(Purpose::queries).uniform());
    weights[1] = static_cast<float>(session.streams.of(Purpose::ranking).uniform());
    weights[2] = static_cast<float>(session.streams.of(Purpose::clicks).uniform());
    weights[3] = static_cast<float>(client.interactions);
    return client.interactions;
  }
};

}  // namespace

TEST_CASE("Fine-tuned rankers suit their clients better than the global ranker") {
  OppositeClients const two;
  auto const training = trained(two, Serial{});
  auto const tuned = fine_tune(training, {.steps = 60});
  REQUIRE(tuned.size() == 36);
  auto const values = tuned.evaluate_personal(
      Ndcg{.cutoff = 10}, [&](Client const& client) -> QueryPool const& { return two.queries_of(client.id); });
  REQUIRE(values.size() == 36);
  for (std::size_t i = 0; i < 36; ++i) {
    auto const& queries = two.queries_of(static_cast<ClientId>(i));
    CHECK(*values[i] == evaluate(tuned.ranker_of(i), queries, Ndcg{.cutoff = 10}));
    CHECK(*values[i] > evaluate(training.ranker(), queries, Ndcg{.cutoff = 10}));
  }
  CHECK_THROWS_WITH(tuned.ranker_of(36), "ClientRankers::ranker_of: required a client of the population, got 36");
  CHECK_THROWS_WITH(fine_tune(training, {.steps = 0}), "fine_tune: required steps >= 1, got 0");
}

TEST_CASE("Fine-tuning has the same bits on any number of threads") {
  OppositeClients const two;
  auto const expected = fine_tune(trained(two, Serial{}), {.steps = 3});
  for (int threads : {1, 2, 3}) {
    auto const tuned = fine_tune(trained(two, Threads{threads}), {.steps = 3});
    for (std::size_t i = 0; i < 36; ++i) CHECK(same_bits(tuned.ranker_of(i), expected.ranker_of(i)));
  }
}

TEST_CASE("Fine-tuning draws random numbers that depend on seed and client and that no round uses") {
  OppositeClients const two;
  auto const federation = make_federation(LinearRanker(5), CascadeModel::perfect(3), ShowsItsNumbers{}, FedAvg{});
  auto const one_client = std::vector<Client>{two.clients(1)};
  std::vector<float> seen;
  for (std::uint64_t seed : {1U, 2U}) {
    auto training = federation.start(one_client, {.seed = seed});
    for (int round = 0; round < 20; ++round) {
      auto const tuned = fine_tune(training, {.steps = 9}).ranker_of(0);
      CHECK(tuned.parameters()[3] == 9.0F);
      training.advance();
      for (std::size_t k = 0; k < 3; ++k) {
        seen.push_back(tuned.parameters()[k]);
        seen.push_back(training.ranker().parameters()[k]);
      }
    }
  }
  // 240 uniform floats: two equal ones among independent numbers have probability below 240² / 2 · 2^-24 = 0.002.
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

TEST_CASE("Fine-tuning starts with a client's own parameters, and no privatizer clips what is not sent") {
  OppositeClients const two;
  auto training = make_federation(SplitNeuralRanker(5, {.hidden = 3}), CascadeModel::perfect(3),
                                  Personal<Pdgd>{{.learning_rate = 0.0F}}, FedAvg{},
                                  LaplaceNoise{.epsilon = 1.0, .sensitivity = 1e-3})
                      .start(two.clients(4));
  training.run(2);
  auto const tuned = fine_tune(training, {.steps = 3});
  for (std::size_t i = 0; i < 4; ++i) CHECK(same_bits(tuned.ranker_of(i), training.ranker_of(i)));  // rate 0
}
