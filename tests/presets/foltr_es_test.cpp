#include <cstdint>
#include <string>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/expected_max_rr.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/plain_threads.hpp"
#include "support/same_bits.hpp"
#include "support/shuffled_execution.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::PlainThreads;
using fltr::testing::same_bits;
using fltr::testing::ShuffledExecution;
using fltr::testing::toy_dataset;

}  // namespace

TEST_CASE("FOLtR-ES: results have the same bits for any number of threads and any order") {
  auto const data = toy_dataset();
  auto const run = [&](auto execution) {
    auto training = foltr_es(LinearRanker(5), CascadeModel::informational(3))
                        .with_privatizer(RandomizedMetric::max_rr(0.9))
                        .with_execution(execution)
                        .start(split_iid(data, {.clients = 203, .interactions = 4}), {.seed = 7, .delta = 0.0});
    for (int i = 0; i < 5; ++i) training.advance();
    return training;
  };
  auto const expected = run(Serial{});
  for (int threads : {1, 2, 3, 8}) {
    auto const training = run(Threads{threads});
    CHECK(same_bits(training.ranker(), expected.ranker()));
    CHECK(same_bits(training.round().statistics, expected.round().statistics));
  }
  CHECK(same_bits(run(PlainThreads{3}).ranker(), expected.ranker()));
  for (std::uint64_t seed : {1U, 2U}) CHECK(same_bits(run(ShuffledExecution{seed}).ranker(), expected.ranker()));
  CHECK(expected.round().privacy->epsilon_accounted == Approx(5 * 4 * 4.4998).epsilon(1e-4));
}

TEST_CASE("The sum of evolution messages depends on the order of addition") {
  // Added from the last to the first they give other bits: the test above can fail.
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 203, .interactions = 4});
  EvolutionStrategy<> const learner;
  LinearRanker const start(5);
  EsGradient<> const server;
  std::vector<EvolutionMessage> messages;
  NoState state;
  for (std::size_t i = 0; i < clients.size(); ++i)
    messages.push_back(simulated_message(learner, CascadeModel::informational(3), NoPrivacy{}, start, clients[i],
                                         RoundInfo{7, 1, 203}, state));
  auto forward = server.sum(start);
  for (auto const& m : messages) forward.add(m);
  auto backward = server.sum(start);
  for (std::size_t i = messages.size(); i > 0; --i) backward.add(messages[i - 1]);
  CHECK_FALSE(same_bits(forward, backward));
}

TEST_CASE("FOLtR-ES improves nDCG") {
  auto const data = toy_dataset(100, 20);
  auto training =
      foltr_es(LinearRanker(5), CascadeModel::perfect(3), EvolutionStrategy<>{}, Adam{.learning_rate = 0.01})
          .start(split_iid(data, {.clients = 300, .interactions = 4}));
  training.advance();
  double const before = training.round().statistics.objective();
  for (int i = 0; i < 60; ++i) training.advance();
  CHECK(training.round().statistics.objective() > before + 0.05);
  CHECK(evaluate(training.ranker(), data, Ndcg{}) > 0.9);
}

TEST_CASE("The simulated MaxRR agrees with its closed form") {
  auto const data = toy_dataset(30, 15);
  LinearRanker const ranker(std::vector<float>{-1.0F, 1.0F, -1.0F, 1.0F, -0.2F});
  for (auto const& users : {CascadeModel::perfect(3), CascadeModel::navigational(3), CascadeModel::informational(3)}) {
    // Practically unperturbed: all clients show the list of the ranker itself.
    auto training = foltr_es(ranker, users, EvolutionStrategy<>{.noise_std = 1e-9}, Sgd{.learning_rate = 0.0})
                        .start(split_iid(data, {.clients = 5000, .interactions = 4}));
    training.advance();
    auto const statistics = training.round().statistics;
    double const expected = evaluate(ranker, data, ExpectedMaxRr{.click_probability = users.click_probability});
    // 20,000 lists; MaxRR lies in [0, 1], so its standard deviation is at most 1/2.
    CHECK(std::abs(statistics.objective() - expected) < 5 * 0.5 / std::sqrt(20'000.0));
  }
}
