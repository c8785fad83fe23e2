#include <fltr/data/query_pool.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/data/client.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Dataset;
using fltr::Grade;
using fltr::QueryPool;
using fltr::QueryView;

/// `n` queries of one document. Its only feature is the number of the query.
Dataset numbered(std::size_t n) {
  std::vector<std::vector<fltr::testing::Document>> queries(n);
  for (std::size_t q = 0; q < n; ++q) queries[q] = {{0, {static_cast<float>(q)}}};
  return fltr::testing::dataset_of(queries, 1);
}

std::size_t number(QueryView query) { return static_cast<std::size_t>(query.row(0)[0]); }

}  // namespace

TEST_CASE("A QueryPool has all queries of a Dataset or a choice of them") {
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

TEST_CASE("QueryPool throws for query numbers that the Dataset does not have") {
  Dataset const data = numbered(5);
  CHECK_NOTHROW(QueryPool(data, {4}));
  CHECK_THROWS_AS(QueryPool(data, {0, 5}), std::invalid_argument);
  CHECK_THROWS_WITH(QueryPool(data, {0xFFFFFFFFU}), "QueryPool: required query numbers below 5, got 4294967295");
}

TEST_CASE("QueryPool::draw draws every query with the same probability") {
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
  // The probability that one of 30 queries is not among 3,000 draws is below 30 (29/30)^3000 < 1e-42.
  CHECK(seen == std::vector<bool>(30, true));
}

TEST_CASE("QueryPool::draw throws for an empty pool") {
  Dataset const data = numbered(5);
  Dataset const empty;
  for (QueryPool const& pool : {QueryPool(), QueryPool(data, {}), QueryPool(empty)}) {
    fltr::Stream stream(1);
    CHECK_THROWS_WITH(pool.draw(stream), "QueryPool::draw: required at least one query, got 0");
    CHECK_THROWS_AS(pool.draw_position(stream), std::invalid_argument);
    CHECK_THROWS_AS(pool.by_number(0), std::invalid_argument);
  }
  CHECK(QueryPool().feature_count() == 0);
  CHECK(QueryPool(data, {}).feature_count() == 1);
}

TEST_CASE("A moved-from QueryPool keeps its queries") {
  Dataset const data = numbered(5);
  QueryPool pool(data, {3});
  QueryPool const other = std::move(pool);
  CHECK(other.size() == 1);
  CHECK(pool.size() == 1);  // NOLINT(bugprone-use-after-move): a pool without a choice would have all five queries
  CHECK(number(pool[0]) == 3);
}

namespace {

/// Random grades for `count` documents.
std::vector<Grade> drawn_grades(std::size_t count, std::uint64_t seed, std::uint32_t grades = 5) {
  fltr::Stream stream(seed);
  std::vector<Grade> out(count);
  for (Grade& grade : out) grade = static_cast<Grade>(stream.below(grades));
  return out;
}

/// The same features with other grades, as a Dataset.
Dataset relabelled(Dataset const& data, std::vector<Grade> grades) {
  fltr::DatasetParts parts = data.parts();
  parts.grades = std::move(grades);
  return Dataset(std::move(parts));
}

bool same_grades(QueryView a, QueryView b) {
  return std::ranges::equal(a.grades(), b.grades()) && std::ranges::equal(a.ideal(), b.ideal());
}

}  // namespace

TEST_CASE("A QueryPool returns the numbers, the identifiers and the number of features of its queries") {
  Dataset const data = fltr::testing::random_dataset(7, {.queries = 9, .features = 3});
  QueryPool const all(data);
  QueryPool const some(data, {8, 2, 5});
  CHECK(all.feature_count() == 3);
  CHECK(some.feature_count() == 3);
  CHECK(all.document_count() == data.document_count());
  CHECK(some.document_count() == data[8].document_count() + data[2].document_count() + data[5].document_count());
  CHECK(all.index(4) == 4);
  CHECK(all.qid(4) == "5");
  CHECK(some.index(0) == 8);
  CHECK(some.qid(0) == "9");
  CHECK(some.is_of(data));
  Dataset const copy = data;  // NOLINT(performance-unnecessary-copy-initialization): another Dataset is needed
  CHECK(!some.is_of(copy));
}

TEST_CASE("QueryPool::by_number finds a query by its number in the Dataset") {
  Dataset const data = numbered(9);
  QueryPool const all(data);
  QueryPool const sorted(data, {1, 4, 4, 7});
  QueryPool const unsorted(data, {7, 1, 4, 1});
  for (std::uint32_t n = 0; n < 9; ++n) CHECK(number(all.by_number(n)) == n);
  CHECK_THROWS_WITH(all.by_number(9), "QueryPool::by_number: required the number of a query in the pool, got 9");
  for (QueryPool const& pool : {sorted, unsorted})
    for (std::uint32_t n = 0; n < 12; ++n) {
      if (n == 1 || n == 4 || n == 7)
        CHECK(number(pool.by_number(n)) == n);
      else
        CHECK_THROWS_AS(pool.by_number(n), std::invalid_argument);
    }
}

TEST_CASE("draw_position is the position of the query that draw returns") {
  Dataset const data = numbered(9);
  QueryPool const pool(data, {8, 2, 5});
  fltr::Stream by_view(4);
  fltr::Stream by_position(4);
  for (int i = 0; i < 100; ++i) REQUIRE(number(pool.draw(by_view)) == number(pool[pool.draw_position(by_position)]));
  CHECK(by_view() == by_position());
}

TEST_CASE("A QueryPool with own grades equals a Dataset with these grades and shares the features of its Dataset") {
  Dataset const data = fltr::testing::random_dataset(8, {.queries = 40});
  auto const grades = drawn_grades(data.document_count(), 81);
  Dataset const other = relabelled(data, grades);
  QueryPool const pool = QueryPool(data).with_grades(grades);
  CHECK(pool.has_own_grades());
  REQUIRE(pool.size() == data.size());
  for (std::size_t q = 0; q < data.size(); ++q) {
    REQUIRE(same_grades(pool[q], other[q]));
    REQUIRE(same_grades(pool.by_number(static_cast<std::uint32_t>(q)), other[q]));
    REQUIRE(pool[q].rows() == data[q].rows());
    REQUIRE(pool[q].feature_count() == data[q].feature_count());
    REQUIRE(pool[q].stride() == data[q].stride());
  }
  fltr::Stream of_pool(3);
  fltr::Stream of_other(3);
  QueryPool const expected(other);
  for (int i = 0; i < 100; ++i) REQUIRE(same_grades(pool.draw(of_pool), expected.draw(of_other)));
}

TEST_CASE("The own grades of a QueryPool follow the order of its queries") {
  Dataset const data = fltr::testing::random_dataset(9, {.queries = 12});
  std::vector<std::uint32_t> const chosen{11, 3, 0, 3};  // a query twice has two lists of grades
  std::size_t documents = 0;
  for (auto const q : chosen) documents += data[q].document_count();
  auto const grades = drawn_grades(documents, 91, 31);
  QueryPool const pool = QueryPool(data, chosen).with_grades(grades);
  auto next = grades.begin();
  for (std::size_t i = 0; i < pool.size(); ++i) {
    CHECK(pool[i].rows() == data[chosen[i]].rows());
    std::vector<Grade> ideal;
    for (Grade const grade : pool[i].grades()) {
      CHECK(grade == *next);
      ideal.push_back(*next++);
    }
    std::ranges::sort(ideal, std::greater<>());
    CHECK(std::ranges::equal(pool[i].ideal(), ideal));
  }
  CHECK(next == grades.end());
  CHECK(pool.by_number(3).grades().data() == pool[1].grades().data());
}

TEST_CASE("QueryPool::with_grades does not change its pool, and copies of a pool share the grades") {
  Dataset const data = fltr::testing::random_dataset(10, {.queries = 5});
  QueryPool const plain(data);
  QueryPool const first = plain.with_grades(drawn_grades(data.document_count(), 1));
  QueryPool const second = first.with_grades(drawn_grades(data.document_count(), 2));
  QueryPool const copy = first;  // NOLINT(performance-unnecessary-copy-initialization): the copy is tested
  CHECK(!plain.has_own_grades());
  for (std::size_t q = 0; q < data.size(); ++q) {
    CHECK(plain[q].grades().data() == data[q].grades().data());
    CHECK(copy[q].grades().data() == first[q].grades().data());
    CHECK((data[q].document_count() == 0 || second[q].grades().data() != first[q].grades().data()));
  }
}

TEST_CASE("QueryPool::with_grades throws for a wrong number of grades and for grades above 30") {
  Dataset const data = fltr::testing::dataset_of({{{1, {1}}, {0, {2}}}, {}, {{2, {3}}}}, 1);
  CHECK_NOTHROW(QueryPool(data).with_grades({30, 0, 30}));
  CHECK_THROWS_WITH(QueryPool(data).with_grades({1, 1}),
                    "QueryPool::with_grades: required 3 grades, one per document of the pool, got 2");
  CHECK_THROWS_WITH(QueryPool(data, {2}).with_grades({1, 1}),
                    "QueryPool::with_grades: required 1 grades, one per document of the pool, got 2");
  CHECK_THROWS_WITH(QueryPool(data).with_grades({0, 31, 0}),
                    "QueryPool::with_grades: required grades of 0 to 30, got 31");
  CHECK(QueryPool().with_grades({}).size() == 0);
  CHECK_THROWS_AS(QueryPool().with_grades({0}), std::invalid_argument);
  QueryPool const with_empty_query = QueryPool(data, {1, 2}).with_grades({4});
  CHECK(with_empty_query[0].grades().empty());
  CHECK(with_empty_query[1].ideal().front() == 4);
}

TEST_CASE("1,000 clients with own grades share the features") {
  // Non-IID type 1. Each query belongs to one client. Each client has own grades for the documents of its queries.
  Dataset const data = fltr::testing::random_dataset(11, {.queries = 3000, .features = 4});
  std::vector<fltr::Client> clients;
  for (std::uint32_t c = 0; c < 1000; ++c) {
    QueryPool const pool(data, {c, c + 1000, c + 2000});
    clients.push_back({c, 2, pool.with_grades(drawn_grades(pool.document_count(), c))});
  }
  std::vector<int> uses(data.size());
  for (fltr::Client const& client : clients) {
    auto const expected = drawn_grades(client.queries.document_count(), client.id);
    std::vector<Grade> found;
    for (std::size_t i = 0; i < client.queries.size(); ++i) {
      ++uses[client.queries.index(i)];
      QueryView const query = client.queries[i];
      REQUIRE(query.rows() == data[client.queries.index(i)].rows());
      found.insert(found.end(), query.grades().begin(), query.grades().end());
    }
    REQUIRE(found == expected);
  }
  CHECK(uses == std::vector<int>(data.size(), 1));
}
