// poisoning_check and leak_test, in one file because they share the type of their trainings.
#include <fltr/federation/poisoning_check.hpp>

#include <cstdint>
#include <map>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/leak_test.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

namespace {

std::vector<Client> clients(QueryPool const& pool, QueryPool const& of_last) {
  std::vector<Client> out;
  for (std::uint32_t i = 0; i < 4; ++i) out.push_back({i, 5, i == 3 ? of_last : pool});
  return out;
}

/// One type for both checks: an attack without malicious clients changes nothing.
auto federation() {
  return make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{})
      .with_attack(Inversion{})
      .with_unlearner(FedEraser{.interval = 2, .local_steps = 3});
}

}  // namespace

TEST_CASE("The poisoning check trains the four models that single trainings give") {
  auto const data = toy_dataset();
  auto const all = clients(QueryPool(data), QueryPool(data));
  std::map<CheckedTraining, std::vector<std::uint32_t>> rounds;
  auto const check = poisoning_check(federation(), all, {.forget = {3}, .rounds = 7, .z = 2.0F, .seed = 4},
                                     [&](auto const& round) { rounds[round.training].push_back(round.number); });
  REQUIRE(check);

  auto honest = federation().start(all, {.seed = 4});
  honest.run(7);
  CHECK(same_bits(check->honest, honest.ranker()));
  auto poisoned = federation().with_attack(Inversion{.malicious = {3}, .z = 2.0F}).start(all, {.seed = 4});
  poisoned.run(7);
  CHECK(same_bits(check->poisoned, poisoned.ranker()));
  CHECK(check->history_bytes == 4 * 4 * 4);  // 4 kept rounds of 4 clients
  auto retrained =
      federation().with_unlearner(Retrain{}).with_attack(Inversion{.malicious = {3}}).start(all, {.seed = 4});
  retrained.run(7);
  retrained.forget({3});
  CHECK(same_bits(check->retrained, retrained.ranker()));
  poisoned.forget({3});
  CHECK(same_bits(check->unlearned, poisoned.ranker()));

  CHECK(check->retraining.rounds == 7);
  CHECK(check->retraining.statistics.lists == 7 * 3 * 5);
  CHECK(check->unlearning.rounds == 4);
  CHECK(check->unlearning.statistics.lists == 4 * 3 * 3);
  std::vector<std::uint32_t> const every{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(rounds[CheckedTraining::honest] == every);
  CHECK(rounds[CheckedTraining::retrained] == every);
  CHECK(rounds[CheckedTraining::poisoned] == every);
  CHECK(rounds[CheckedTraining::unlearned] == std::vector<std::uint32_t>{0, 1, 3, 5, 7});
}

TEST_CASE("An observer that returns false ends the poisoning check in any of its trainings") {
  auto const data = toy_dataset();
  for (auto const last :
       {CheckedTraining::honest, CheckedTraining::retrained, CheckedTraining::poisoned, CheckedTraining::unlearned}) {
    bool ended = false;
    auto const check = poisoning_check(federation(), clients(QueryPool(data), QueryPool(data)),
                                       {.forget = {3}, .rounds = 3}, [&](auto const& round) {
                                         CHECK_FALSE(ended);
                                         ended = round.training == last && round.number == 1;
                                         return !ended;
                                       });
    CHECK(ended);
    CHECK_FALSE(check);
  }
}

TEST_CASE("The leak test: retraining leaks nothing, doing nothing tells opposite data sets apart") {
  auto const data = toy_dataset();
  std::vector<Grade> reversed;
  for (std::size_t q = 0; q < data.size(); ++q)
    for (Grade const grade : data[q].grades()) reversed.push_back(static_cast<Grade>(2 - grade));
  QueryPool const pool(data);
  std::size_t calls = 0;
  auto const leak = leak_test(federation(), clients(pool, pool), clients(pool, pool.with_grades(reversed)),
                              {.forget = {3}, .rounds = 10, .counted = 40, .choosing = 20, .seed = 8},
                              [&](std::size_t pairs) { CHECK(pairs == ++calls); });
  REQUIRE(leak);
  CHECK(calls == 60);
  CHECK(leak->retrained.advantage == 0.0);
  CHECK(leak->retrained.identical == 40);
  CHECK(leak->nothing.low > 0.5);
  CHECK(leak->nothing.identical == 0);
  CHECK(leak->unlearned.identical == 0);
  CHECK(leak->unlearned.pairs == 40);
  CHECK_FALSE(leak_test(federation(), clients(pool, pool), clients(pool, pool), {.forget = {3}, .rounds = 1},
                        [](std::size_t) { return false; }));
}
