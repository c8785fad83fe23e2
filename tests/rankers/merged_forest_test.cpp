#include <fltr/rankers/merged_forest.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

using fltr::Forest;
using fltr::MergedForest;
using fltr::testing::stump;

TEST_CASE("The score of a MergedForest is the weighted sum of the forests' scores") {
  auto const data = fltr::testing::random_dataset(3, {.queries = 5, .features = 2});
  MergedForest const merged{{Forest({stump(0, 1, 2)}, 2), Forest({stump(1, 3, 5)}, 2)}, {0.25, 0.75}};
  CHECK(merged.alpha() == 0.75);
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::vector<float> scores(data[q].document_count());
    merged.score(data[q], scores);
    for (std::size_t d = 0; d < scores.size(); ++d) {
      double const expected =
          0.25 * merged.local[0].predict(data[q].row(d)) + 0.75 * merged.local[1].predict(data[q].row(d));
      CHECK(scores[d] == static_cast<float>(expected));
      CHECK(merged.forest().predict(data[q].row(d)) == Approx(expected).epsilon(1e-14));
    }
  }
}

TEST_CASE("A MergedForest is consistent if every forest has a weight; alpha requires two forests") {
  MergedForest const one{{Forest(2)}, {1.0}};
  CHECK(one.consistent());
  CHECK_FALSE(MergedForest{{Forest(2)}, {}}.consistent());
  CHECK_THROWS_WITH(one.alpha(), "MergedForest::alpha: required 2 forests, got 1");
}
