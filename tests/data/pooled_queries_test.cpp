#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/pooled_queries.hpp>
#include <fltr/data/query_pool.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::toy_dataset;

TEST_CASE("A client with two pools has the queries of both, its own first") {
  auto const data = toy_dataset(10);
  PooledQueries const queries(QueryPool(data, {7, 2}), QueryPool(data, {0, 3, 5}));
  REQUIRE(queries.size() == 5);
  std::array<std::size_t, 5> const expected{7, 2, 0, 3, 5};
  for (std::size_t i = 0; i < 5; ++i) CHECK(queries[i].rows() == data[expected[i]].rows());
}

TEST_CASE("Each query of both pools is drawn equally often: the pools in proportion to their sizes") {
  auto const data = toy_dataset(20);
  PooledQueries const queries(QueryPool(data, {0, 1, 2, 3, 4, 5}), QueryPool(data, {10, 11}));
  Stream stream(8);
  constexpr int draws = 80'000;
  std::array<int, 20> counts{};
  for (int i = 0; i < draws; ++i) {
    auto const* rows = queries.draw(stream).rows();
    for (std::size_t q = 0; q < 20; ++q) counts[q] += data[q].rows() == rows ? 1 : 0;
  }
  double chi = 0.0;
  for (std::size_t q : {0U, 1U, 2U, 3U, 4U, 5U, 10U, 11U})
    chi += (counts[q] - 10'000.0) * (counts[q] - 10'000.0) / 10'000.0;
  CHECK(chi < 24.32);  // chi squared with 7 degrees of freedom exceeds it with probability 0.001
}

TEST_CASE("Without shared queries a client draws like its own pool; without any query, drawing is an error") {
  auto const data = toy_dataset(20);
  QueryPool const own(data, {3, 8, 11});
  PooledQueries const queries(own, {});
  Stream one(2);
  Stream two(2);
  for (int i = 0; i < 50; ++i) CHECK(queries.draw(one).rows() == own.draw(two).rows());
  PooledQueries const none;
  CHECK(none.size() == 0);
  CHECK_THROWS_WITH(none.draw(one), "PooledQueries::draw: required at least one query, got 0");
}
