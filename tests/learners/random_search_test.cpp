#include <fltr/learners/random_search.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using fltr::RandomSearch;
using fltr::Serial;
using fltr::Trial;

RandomSearch small_search() {
  RandomSearch search{.base = {.trees = 30, .patience = 5}};
  search.learning_rates = {0.05, 0.1, 0.3};
  search.least_leaves = 2;
  search.most_leaves = 8;
  search.least_data = 1;
  search.most_data = 21;
  search.least_hessian = 0;
  search.most_hessian = 3;
  return search;
}

}  // namespace

TEST_CASE("RandomSearch: candidates are in their ranges and reach both ends") {
  RandomSearch const search;
  std::set<double> rates;
  std::set<std::uint64_t> leaves, data;
  std::set<double> hessians;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    Trial const trial = search.candidate(i);
    CHECK(trial == search.candidate(i));
    rates.insert(trial.learning_rate);
    leaves.insert(trial.leaves);
    data.insert(trial.min_data);
    hessians.insert(trial.min_hessian);
  }
  // Each of at most 241 values is missed by 4,000 draws with probability (1 − 1/241)^4000 < 1e-7.
  CHECK(rates == std::set<double>(search.learning_rates.begin(), search.learning_rates.end()));
  CHECK((leaves.size() == 241 && *leaves.begin() == 15 && *leaves.rbegin() == 255));
  CHECK((data.size() == 99 && *data.begin() == 10 && *data.rbegin() == 500));
  CHECK((hessians.size() == 100 && *hessians.begin() == 1 && *hessians.rbegin() == 100));
  for (auto d : data) CHECK(d % 5 == 0);
  CHECK_FALSE(RandomSearch{.seed = 2}.candidate(0) == search.candidate(0));
}

TEST_CASE("RandomSearch: interruptions and the number of threads do not change the trials") {
  auto const train = fltr::testing::toy_dataset(30, 12, 5, 1);
  auto const vali = fltr::testing::toy_dataset(20, 12, 5, 2);
  auto const search = small_search();
  auto const all = search.run(Serial{}, train, vali, 6);
  REQUIRE(all.size() == 6);
  auto const begun = search.run(fltr::Threads{2}, train, vali, 2);
  CHECK(std::vector<Trial>(all.begin(), all.begin() + 2) == begun);

  // As if saved and loaded in between.
  std::vector<Trial> loaded;
  for (Trial const& trial : begun) {
    auto const bytes = fltr::field_bytes(trial);
    fltr::FieldReader reader(bytes);
    reader.read(loaded.emplace_back());
  }
  CHECK(search.run(Serial{}, train, vali, 6, loaded) == all);
  CHECK(search.run(Serial{}, train, vali, 3, all) == all);
}

TEST_CASE("RandomSearch: trials of another search are an error") {
  auto const data = fltr::testing::toy_dataset(10, 8, 5, 1);
  auto search = small_search();
  auto trials = search.run(Serial{}, data, data, 2);
  std::swap(trials[0], trials[1]);
  CHECK_THROWS_AS(search.run(Serial{}, data, data, 3, trials), std::invalid_argument);
  std::swap(trials[0], trials[1]);
  CHECK_NOTHROW(search.run(Serial{}, data, data, 3, trials));
  search.seed = 2;
  CHECK_THROWS_WITH(search.run(Serial{}, data, data, 3, trials),
                    ContainsSubstring("with the parameters of this search"));
  search.base.patience = 0;
  CHECK_THROWS_WITH(search.run(Serial{}, data, data, 3), ContainsSubstring("base.patience >= 1"));
}

TEST_CASE("RandomSearch: the learner of the best trial trains its forest again") {
  auto const train = fltr::testing::toy_dataset(30, 12, 5, 1);
  auto const vali = fltr::testing::toy_dataset(20, 12, 5, 2);
  auto const search = small_search();
  auto const trials = search.run(Serial{}, train, vali, 6);
  auto const best = RandomSearch::best(trials);
  for (Trial const& trial : trials) CHECK(trial.value <= best.value);
  CHECK(best.trees > 0);
  auto const forest = best.learner(search.base).train(Serial{}, train);
  CHECK(forest.trees().size() == best.trees);
  fltr::BoostedScores scores(fltr::query_views(vali));
  for (fltr::Tree const& tree : forest.trees()) scores.add(Serial{}, tree);
  CHECK(scores.evaluate_for_selection(Serial{}, fltr::Ndcg{}).mean() == best.value);
  CHECK(fltr::evaluate(forest, vali, fltr::Ndcg{}) >= best.value);

  std::vector<Trial> const equal{{.number = 3, .value = 0.5}, {.number = 1, .value = 0.5}};
  CHECK(RandomSearch::best(equal).number == 3);
  CHECK_THROWS_AS(RandomSearch::best({}), std::invalid_argument);
}

TEST_CASE("RandomSearch: invalid ranges are errors") {
  auto const refused = [](auto change) {
    RandomSearch search;
    change(search);
    CHECK_THROWS_AS(search.candidate(0), std::invalid_argument);
  };
  refused([](RandomSearch& s) { s.learning_rates.clear(); });
  refused([](RandomSearch& s) { s.least_leaves = 0; });
  refused([](RandomSearch& s) { s.most_leaves = 3; });
  refused([](RandomSearch& s) { s.most_data = 3; });
  refused([](RandomSearch& s) { s.data_step = 0; });
  refused([](RandomSearch& s) { s.most_hessian = 0; });
}
