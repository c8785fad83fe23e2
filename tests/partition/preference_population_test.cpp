#include <fltr/partition/preference_population.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using fltr::PreferencePopulation;
using fltr::QueryPool;

TEST_CASE("Copies of a PreferencePopulation share the grades, for any number of clients") {
  auto const data = fltr::testing::dataset_of({{{0, {1}}, {1, {2}}}}, 1);
  std::vector<QueryPool> const intents{QueryPool(data).with_grades({0, 1}), QueryPool(data).with_grades({1, 0})};
  PreferencePopulation const clients(intents, QueryPool(data).with_grades({1, 1}), 1'000'000, 5);
  PreferencePopulation const copy = clients;
  CHECK(copy[999'999].id == 999'999);
  fltr::Client const client = copy[999'999];
  CHECK(client.queries[0].grades()[0] == 1);
  CHECK(client.queries[0].grades().data() == intents[1][0].grades().data());
  CHECK(&copy.merged() == &clients.merged());
}

TEST_CASE("A PreferencePopulation without intents, queries or clients is refused") {
  auto const data = fltr::testing::dataset_of({{{0, {1}}}}, 1);
  CHECK_THROWS_WITH(PreferencePopulation({}, QueryPool(data), 1, 1),
                    "PreferencePopulation: required at least one intent, got 0");
  CHECK_THROWS_WITH(PreferencePopulation({QueryPool(data)}, QueryPool(), 1, 1),
                    "PreferencePopulation: required a dataset with at least one query, got 0");
  CHECK_THROWS_WITH(PreferencePopulation({QueryPool(data)}, QueryPool(data), 0, 1),
                    "PreferencePopulation: required 1 to 2^32 - 1 clients, got 0");
}
