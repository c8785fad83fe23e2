#include <fltr/data/query_sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::Dataset;
using fltr::QueryPool;
using fltr::QuerySequence;

}  // namespace

TEST_CASE("A QuerySequence asks its queries in order over all rounds, and then starts again") {
  Dataset const data = fltr::testing::dataset_of({{{0, {0}}}, {{0, {1}}}, {{0, {2}}}, {{0, {3}}}, {{0, {4}}}}, 1);
  QuerySequence const sequence{QueryPool(data, {4, 1, 0, 3, 2})};
  REQUIRE(sequence.size() == 5);
  fltr::Stream stream(1);
  std::vector<float> asked;
  for (std::uint32_t round = 1; round <= 4; ++round)
    for (std::uint32_t i = 0; i < 3; ++i) asked.push_back(sequence.draw({round, i, 3}, stream).row(0)[0]);
  CHECK(asked == std::vector<float>{4, 1, 0, 3, 2, 4, 1, 0, 3, 2, 4, 1});
  CHECK(stream() == fltr::Stream(1)());  // no random number was drawn
  CHECK(sequence.by_number(3).row(0)[0] == 3.0F);
  CHECK(sequence[0].row(0)[0] == 4.0F);
}

TEST_CASE("The position of a QuerySequence does not overflow beyond 32 bits") {
  // (2^32 − 2) · (2^32 − 1) + (2^32 − 2) = 2^32 · (2^32 − 2). Since 2^32 = 4 modulo 7, this is
  // 4 · (4 − 2) = 1 modulo 7.
  std::vector<std::vector<fltr::testing::Document>> queries(7);
  for (std::size_t q = 0; q < 7; ++q) queries[q] = {{0, {static_cast<float>(q)}}};
  Dataset const data = fltr::testing::dataset_of(queries, 1);
  QuerySequence const sequence{QueryPool(data)};
  fltr::Stream stream(1);
  CHECK(sequence.draw({0xFFFFFFFFU, 0xFFFFFFFEU, 0xFFFFFFFFU}, stream).row(0)[0] == 1.0F);
}

TEST_CASE("QuerySequence::draw throws for an empty pool and for round 0") {
  Dataset const data = fltr::testing::dataset_of({{{0, {0}}}}, 1);
  fltr::Stream stream(1);
  QuerySequence const none{};
  QuerySequence const one{QueryPool(data)};
  CHECK_THROWS_WITH(none.draw({}, stream), "QuerySequence::draw: required at least one query, got 0");
  CHECK_THROWS_WITH(one.draw({0, 0, 1}, stream), "QuerySequence::draw: required a round of at least 1, got 0");
}
