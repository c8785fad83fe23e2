#include <fltr/data/intents.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/statistics.hpp"

using fltr::Dataset;
using fltr::Grade;
using fltr::Intents;
using fltr::IntentShuffle;
using fltr::Stream;

namespace {

Intents drawn_intents(Dataset const& data, std::size_t count, std::uint64_t seed) {
  Stream stream(seed);
  Intents out;
  for (std::size_t k = 0; k < count; ++k) {
    out.grades.emplace_back(data.document_count());
    for (Grade& grade : out.grades.back()) grade = static_cast<Grade>(stream.below(4) == 0 ? 1 : 0);
  }
  return out;
}

}  // namespace

TEST_CASE("Merged grades are the highest of all intents") {
  Intents const intents{{{0, 1, 0, 2}, {0, 0, 1, 1}}};
  CHECK(intents.merged() == std::vector<Grade>{0, 1, 1, 2});
  CHECK(Intents{}.merged().empty());
}

TEST_CASE("A shuffle permutes the intents of each query as a whole and keeps merged grades") {
  Dataset const data = fltr::testing::random_dataset(31, {.queries = 200, .most_documents = 30});
  Intents const intents = drawn_intents(data, 3, 32);
  Intents shuffled = intents;
  shuffled.shuffle_per_query(data, 7);
  CHECK(shuffled.merged() == intents.merged());
  std::size_t moved = 0;
  for (std::size_t q = 0; q < data.size(); ++q) {
    auto const columns = [&](Intents const& from) {
      std::vector<std::vector<Grade>> out;
      for (auto const& grades : from.grades) {
        auto const first = grades.begin() + static_cast<std::ptrdiff_t>(data.first_document(q));
        out.emplace_back(first, first + static_cast<std::ptrdiff_t>(data[q].document_count()));
      }
      return out;
    };
    auto before = columns(intents);
    auto after = columns(shuffled);
    if (before != after) ++moved;
    std::ranges::sort(before);
    std::ranges::sort(after);
    REQUIRE(before == after);
  }
  CHECK(moved > 100);  // 5 of 6 orders move something, in queries whose intents differ
  Intents again = intents;
  again.shuffle_per_query(data, 7);
  CHECK(again.grades == shuffled.grades);
  again.shuffle_per_query(data, 8);
  CHECK(again.grades != shuffled.grades);
}

TEST_CASE("Every order of the intents is equally likely") {
  // Document d of 10,000 queries with one document each. Intent k has grade k, so that grades show the order.
  std::vector<std::vector<fltr::testing::Document>> queries(10'000, {{0, {1}}});
  Dataset const data = fltr::testing::dataset_of(queries, 1);
  Intents intents;
  for (Grade k = 0; k < 3; ++k) intents.grades.emplace_back(data.document_count(), k);
  intents.shuffle_per_query(data, 5);
  std::map<std::vector<Grade>, std::uint64_t> orders;
  for (std::size_t q = 0; q < data.size(); ++q)
    ++orders[{intents.grades[0][q], intents.grades[1][q], intents.grades[2][q]}];
  REQUIRE(orders.size() == 6);
  std::vector<std::uint64_t> counts;
  for (auto const& [order, count] : orders) counts.push_back(count);
  // 5 degrees of freedom; the critical value of 9 is larger than that of 5.
  CHECK(fltr::testing::chi_squared(counts) < fltr::testing::chi2_critical_df9);
}

TEST_CASE("intent_pools gives the queries of a Dataset with the grades of each intent and copies no features") {
  Dataset const data = fltr::testing::random_dataset(33, {.queries = 20});
  Intents const intents = drawn_intents(data, 4, 34);
  auto const pools = fltr::intent_pools(data, intents);
  REQUIRE(pools.size() == 4);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t q = 0; q < data.size(); ++q) {
      REQUIRE(pools[k][q].rows() == data[q].rows());
      for (std::size_t d = 0; d < data[q].document_count(); ++d)
        REQUIRE(pools[k][q].grades()[d] == intents.grades[k][data.first_document(q) + d]);
    }
  Intents shuffled = intents;
  shuffled.shuffle_per_query(data, 9);
  auto const in_order = fltr::intent_pools(data, shuffled);
  auto const by_option = fltr::intent_pools(data, intents, IntentShuffle::per_query, 9);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t q = 0; q < data.size(); ++q)
      REQUIRE(std::ranges::equal(in_order[k][q].grades(), by_option[k][q].grades()));
}

TEST_CASE("Intents that do not fit the Dataset are refused") {
  Dataset const data = fltr::testing::dataset_of({{{0, {1}}, {1, {2}}}}, 1);
  CHECK_THROWS_WITH(fltr::intent_pools(data, {}), "Intents: required at least one intent, got 0");
  CHECK_THROWS_WITH(fltr::intent_pools(data, {{{0, 1}, {0}}}),
                    "Intents: required 2 grades for each intent, one per document, got 1");
}
