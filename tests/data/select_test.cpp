#include <fltr/data/select.hpp>

#include <cstdint>
#include <vector>

#include <fltr/data/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"

using fltr::parse_letor;
using fltr::select_queries;
using fltr::testing::same_dataset;

TEST_CASE("chosen queries come in the given order with all that is theirs") {
  auto const data =
      parse_letor("1 qid:a 1:1 9:9 #docid = A1\n2 qid:b 1:2\n0 qid:b 2:3 #docid = B2\n3 qid:c 1:4 #docid = C1\n", "x");
  auto const chosen = select_queries(data, std::vector<std::uint32_t>{2, 1});
  CHECK(same_dataset(chosen, parse_letor("3 qid:c 1:4 #docid = C1\n2 qid:b 1:2\n0 qid:b 2:3 #docid = B2\n", "x",
                                         {.feature_count = 9})));
  CHECK(chosen.grade_count() == 4);
  CHECK(same_dataset(select_queries(data, std::vector<std::uint32_t>{0, 1, 2}), data));
}

TEST_CASE("no query chosen is an empty dataset of the same features") {
  auto const data = parse_letor("1 qid:a 1:1 9:9\n", "x");
  auto const none = select_queries(data, {});
  CHECK(none.size() == 0);
  CHECK(none.feature_count() == 9);
}

TEST_CASE("a query that is not there cannot be chosen") {
  auto const data = parse_letor("1 qid:a 1:1 9:9\n", "x");
  CHECK_THROWS_WITH(select_queries(data, std::vector<std::uint32_t>{0, 1}),
                    "select_queries: required queries of the dataset, got 1");
}
