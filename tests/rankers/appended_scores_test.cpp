#include <fltr/rankers/appended_scores.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/client.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::stump;

Dataset two_queries() { return dataset_of({{{0, {1, 0}}, {2, {0, 1}}, {1, {1, 1}}}, {{1, {0, 0}}}}, 2); }
std::vector<Forest> two_forests() { return {Forest({stump(0, 10, 20)}, 2), Forest({stump(1, -3, 7)}, 2)}; }

/// AppendedScores read from bytes with these values, which may be wrong.
AppendedScores read_appended(std::uint64_t features, std::vector<Forest> const& forests) {
  FieldWriter writer;
  writer.write(features);
  writer.write(forests);
  AppendedScores appended;
  FieldReader(writer.bytes()).read(appended);
  return appended;
}

}  // namespace

TEST_CASE("The forests' scores are appended to the documents' features") {
  auto const data = two_queries();
  AppendedScores const appended(two_forests(), 2);
  CHECK(appended.feature_count() == 4);
  CHECK(appended.feature_of(1) == 3);
  auto const wide = appended.append_to({data, {1, 0}});
  REQUIRE(wide.size() == 2);
  CHECK(wide.feature_count() == 4);
  CHECK(wide.qid(0) == "2");
  CHECK(std::vector<Grade>(wide[1].grades().begin(), wide[1].grades().end()) == std::vector<Grade>{0, 2, 1});
  auto const row = [&](std::size_t query, std::size_t document) {
    auto const values = wide[query].row(document);
    return std::vector<float>(values.begin(), values.end());
  };
  CHECK(row(0, 0) == std::vector<float>{0, 0, 10, -3});
  CHECK(row(1, 0) == std::vector<float>{1, 0, 20, -3});
  CHECK(row(1, 1) == std::vector<float>{0, 1, 10, 7});
  CHECK(row(1, 2) == std::vector<float>{1, 1, 20, 7});
  for (std::size_t k = 4; k < wide.stride(); ++k) CHECK(wide[1].rows()[k] == 0.0F);
  CHECK(appended.append_to({}).size() == 0);
}

TEST_CASE("AppendedScores refuses rows with fewer features than the forests use") {
  CHECK_THROWS_WITH(AppendedScores(two_forests(), 1), ContainsSubstring("forests of at most 1 features, got 2"));
  auto const narrow = dataset_of({{{0, {1}}}}, 1);
  CHECK_THROWS_WITH(AppendedScores(two_forests(), 2).append_to(QueryPool(narrow)),
                    ContainsSubstring("rows of at least 2 features, got 1"));
}

TEST_CASE("AppendedScores read from bytes is consistent only if the forests fit the number of features") {
  CHECK_FALSE(read_appended(1, two_forests()).consistent());
  CHECK_FALSE(read_appended(Forest::most_features + 1, two_forests()).consistent());
  CHECK_FALSE(read_appended(std::numeric_limits<std::uint64_t>::max(), {}).consistent());
  CHECK(read_appended(2, two_forests()).consistent());
}
