#include <fltr/data/client.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Dataset;
using fltr::QueryPool;
using fltr::QueryView;

/// `n` queries of one document whose only feature is the query's number.
Dataset numbered(std::size_t n) {
  std::vector<std::vector<fltr::testing::Document>> queries(n);
  for (std::size_t q = 0; q < n; ++q) queries[q] = {{0, {static_cast<float>(q)}}};
  return fltr::testing::dataset_of(queries, 1);
}

std::size_t number(QueryView query) { return static_cast<std::size_t>(query.row(0)[0]); }

}  // namespace

TEST_CASE("a QueryPool is all of a Dataset or some of it") {
  Dataset const data = numbered(5);
  QueryPool const all(data);
  REQUIRE(all.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(number(all[i]) == i);

  QueryPool const some(data, {4, 0, 4});
  REQUIRE(some.size() == 3);
  CHECK(number(some[0]) == 4);
  CHECK(number(some[1]) == 0);
  CHECK(number(some[2]) == 4);

  CHECK(QueryPool().size() == 0);
  CHECK(QueryPool(data, {}).size() == 0);
}

TEST_CASE("a QueryPool refuses queries that the Dataset does not have") {
  Dataset const data = numbered(5);
  CHECK_NOTHROW(QueryPool(data, {4}));
  CHECK_THROWS_AS(QueryPool(data, {0, 5}), std::invalid_argument);
  CHECK_THROWS_WITH(QueryPool(data, {0xFFFFFFFFU}), "QueryPool: required queries of the dataset, got 4294967295");
}

TEST_CASE("a QueryPool of a temporary Dataset does not compile") {
  STATIC_REQUIRE(std::is_constructible_v<QueryPool, Dataset const&>);
  STATIC_REQUIRE(!std::is_constructible_v<QueryPool, Dataset>);
  STATIC_REQUIRE(!std::is_constructible_v<QueryPool, Dataset, std::vector<std::uint32_t>>);
}

TEST_CASE("every query of a pool is drawn with the same probability") {
  Dataset const data = numbered(30);
  fltr::Stream stream(6);
  QueryPool const all(data);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t q = 0; q < 24; ++q) chosen.push_back(q + 3);
  QueryPool const some(data, chosen);

  std::array<std::uint64_t, 24> counts{};
  for (int i = 0; i < 48'000; ++i) {
    std::size_t const q = number(some.draw(stream));
    REQUIRE((q >= 3 && q < 27));
    ++counts[q - 3];
  }
  CHECK(fltr::testing::chi_squared(counts) < fltr::testing::chi2_critical_df23);
  std::vector<bool> seen(30);
  for (int i = 0; i < 3000; ++i) seen[number(all.draw(stream))] = true;
  // One of 30 stays undrawn in 3,000 with probability 30 (29/30)^3000 < 1e-42.
  CHECK(seen == std::vector<bool>(30, true));
}

TEST_CASE("drawing from an empty QueryPool is an error") {
  Dataset const data = numbered(5);
  Dataset const empty;
  for (QueryPool const& pool : {QueryPool(), QueryPool(data, {}), QueryPool(empty)}) {
    fltr::Stream stream(1);
    CHECK_THROWS_WITH(pool.draw(stream), "QueryPool::draw: required at least one query, got 0");
    CHECK_THROWS_AS(pool.draw_index(stream), std::invalid_argument);
  }
  CHECK_THROWS_WITH(QueryPool().data(),
                    "QueryPool::data: required a pool that was made of a Dataset, got an empty pool");
  CHECK(&QueryPool(data, {}).data() == &data);
}

TEST_CASE("a moved-from QueryPool keeps its queries") {
  Dataset const data = numbered(5);
  QueryPool pool(data, {3});
  QueryPool const other = std::move(pool);
  CHECK(other.size() == 1);
  CHECK(pool.size() == 1);  // NOLINT(bugprone-use-after-move): a pool without a choice would have all five queries
  CHECK(number(pool[0]) == 3);
}
