#include <fltr/aggregators/equal_weights.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

using namespace fltr;
using fltr::testing::sent;
using fltr::testing::stump;

TEST_CASE("EqualWeights gives the mean of the forests' scores") {
  auto const data = fltr::testing::dataset_of({{{0, {1}}, {1, {0}}}}, 1);
  Forest ranker(1);
  EqualWeights{}.aggregate(sent({Forest({stump(0, 1, 2)}, 1), Forest({stump(0, 3, 8)}, 1), Forest(1)}), ranker);
  std::vector<float> scores(2);
  ranker.score(data[0], scores);
  CHECK(scores[0] == Approx(10.0 / 3.0));
  CHECK(scores[1] == Approx(4.0 / 3.0));
}

TEST_CASE("EqualWeights refuses an aggregation without forests") {
  Forest ranker(1);
  CHECK_THROWS_WITH(EqualWeights{}.aggregate({}, ranker), "EqualWeights: required at least one forest, got 0");
}
