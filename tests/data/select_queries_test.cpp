#include <fltr/data/select_queries.hpp>

#include <cstdint>
#include <vector>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"

using fltr::parse_letor;
using fltr::select_queries;
using fltr::testing::same_dataset;

TEST_CASE("select_queries returns the chosen queries in the given order, with features, grades and identifiers") {
  auto const data =
      parse_letor("1 qid:a 1:1 9:9 #docid = A1\n2 qid:b 1:2\n0 qid:b 2:3 #docid = B2\n3 qid:c 1:4 #docid = C1\n", "x");
  auto const chosen = select_queries(data, std::vector<std::uint32_t>{2, 1});
  CHECK(same_dataset(chosen, parse_letor("3 qid:c 1:4 #docid = C1\n2 qid:b 1:2\n0 qid:b 2:3 #docid = B2\n", "x",
                                         {.feature_count = 9})));
  CHECK(chosen.grade_count() == 4);
  CHECK(same_dataset(select_queries(data, std::vector<std::uint32_t>{0, 1, 2}), data));
}

TEST_CASE("select_queries without a query returns an empty Dataset with the same number of features") {
  auto const data = parse_letor("1 qid:a 1:1 9:9\n", "x");
  auto const none = select_queries(data, {});
  CHECK(none.size() == 0);
  CHECK(none.feature_count() == 9);
}

TEST_CASE("select_queries throws for a query number that the Dataset does not have") {
  auto const data = parse_letor("1 qid:a 1:1 9:9\n", "x");
  CHECK_THROWS_WITH(select_queries(data, std::vector<std::uint32_t>{0, 1}),
                    "select_queries: required query numbers below 1, got 1");
}
