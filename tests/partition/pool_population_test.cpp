#include <fltr/partition/pool_population.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using fltr::PoolPopulation;
using fltr::QueryPool;

TEST_CASE("All clients of a PoolPopulation draw from the same pool") {
  auto const data = fltr::testing::random_dataset(61, {.queries = 6});
  PoolPopulation const clients(QueryPool(data, {1, 4}), 1'000'000, 3);
  CHECK(clients.size() == 1'000'000);
  auto const client = clients[999'999];
  CHECK(client.id == 999'999);
  CHECK(client.interactions == 3);
  REQUIRE(client.queries.size() == 2);
  CHECK(client.queries[1].rows() == data[4].rows());
}

TEST_CASE("A PoolPopulation without queries, clients or interactions is refused") {
  auto const data = fltr::testing::random_dataset(61, {.queries = 6});
  CHECK_THROWS_WITH(PoolPopulation({}, 1, 1), "PoolPopulation: required a pool with at least one query, got 0");
  CHECK_THROWS_WITH(PoolPopulation(QueryPool(data), 0, 1), "PoolPopulation: required 1 to 2^32 - 1 clients, got 0");
  CHECK_THROWS_WITH(PoolPopulation(QueryPool(data), 1, 0),
                    "PoolPopulation: required at least one interaction per round, got 0");
}
