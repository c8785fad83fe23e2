#include <cstdint>
#include <vector>

#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/naive_clicks.hpp>
#include <fltr/learners/propensity_em.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/presets/fedips.hpp>
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

LinearRanker production() { return LinearRanker(std::vector<float>{0.5F, 0.4F, 0.0F, 0.6F, 0.3F}); }

}  // namespace

TEST_CASE("FedIPS: results have the same bits for any number of threads and any order") {
  auto const data = toy_dataset();
  LoggedPopulation const clients(data, production(), {.clients = 203});
  auto const run = [&](auto learner, auto execution) {
    auto training = fedips(LinearRanker(5), learner, Yogi{}).with_execution(execution).start(clients, {.seed = 7});
    for (int i = 0; i < 4; ++i) training.advance();
    return training;
  };
  auto const check = [&](auto learner) {
    auto const expected = run(learner, Serial{});
    auto const same = [&](auto const& training) {
      CHECK(same_bits(training.ranker(), expected.ranker()));
      CHECK(same_bits(training.round().statistics, expected.round().statistics));
    };
    for (int threads : {1, 2, 3, 8}) same(run(learner, Threads{threads}));
    same(run(learner, PlainThreads{3}));
    for (std::uint64_t seed : {1U, 2U}) same(run(learner, ShuffledExecution{seed}));
  };
  check(Ips<>{});
  check(PropensityEm{});
}

TEST_CASE("FedIPS corrects a position bias that misleads NaiveClicks") {
  // The production ranker has it the wrong way round. Clicks on top of its lists are many; inverse propensities tell
  // that there was little choice.
  auto const data = toy_dataset(200, 12);
  LinearRanker const wrong(std::vector<float>{0.3F, -0.3F, 0.3F, -0.3F, 0.3F});
  LoggedPopulation const clients(data, wrong, {.clients = 400, .displayed = 12, .exponent = 2.0});
  auto const learnt = [&](auto learner) {
    auto training = fedips(LinearRanker(5), learner).start(clients);
    for (int i = 0; i < 40; ++i) training.advance();
    return evaluate(training.ranker(), data, Ndcg{.cutoff = 5});
  };
  double const ips = learnt(Ips<>{.learning_rate = 1e-3F});
  double const naive = learnt(NaiveClicks<>{.learning_rate = 1e-3F});
  INFO("IPS " << ips << ", naive " << naive);
  CHECK(ips > naive + 0.05);
}

TEST_CASE("The server of FedIPS weights all clients equally, whatever their number of clicks") {
  auto const data = toy_dataset();
  std::vector<ClickLog> logs(3);
  for (std::uint32_t i = 0; i < 30; ++i) {
    logs[0].begin(i);
    logs[0].add({i % 12, 1, true, 1.0F});
  }
  logs[1].begin(3);
  logs[1].add({2, 1, true, 0.5F});
  RecordedPopulation const recorded(data, logs);  // the last one has no click
  auto two = fedips(production(), Ips<>{.learning_rate = 0.01F}).start(recorded);
  two.advance();
  auto const alone = [&](std::size_t i) {
    std::vector<ClickLog> const one{logs[i]};
    auto training = fedips(production(), Ips<>{.learning_rate = 0.01F}).start(RecordedPopulation(data, one));
    training.advance();
    return training.ranker();
  };
  auto const a = alone(0);
  auto const b = alone(1);
  for (std::size_t k = 0; k < 5; ++k) {
    double const sum = static_cast<double>(a.parameters()[k]) + static_cast<double>(b.parameters()[k]) +
                       static_cast<double>(production().parameters()[k]);
    CHECK(static_cast<double>(two.ranker().parameters()[k]) == Approx(sum / 3).epsilon(1e-5));
  }
}

TEST_CASE("A round with simulated logs counts clicks as objectives") {
  auto const data = toy_dataset();
  LoggedPopulation const clients(data, production(), {.clients = 20, .clicks = 10});
  auto training = fedips(LinearRanker(5)).start(clients);
  training.advance();
  CHECK(training.round().statistics.reported == 20);
  CHECK(training.round().statistics.rejected == 0);
  CHECK(training.round().statistics.objectives >= 200);
  CHECK(training.round().statistics.lists == 0);  // nothing was shown to anybody
}
