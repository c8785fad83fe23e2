#include <fltr/aggregators/detail/forest_scores.hpp>

#include <cmath>
#include <vector>

#include <fltr/data/client.hpp>
#include <fltr/metrics/ndcg.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

namespace {

using namespace fltr;
using fltr::detail::ForestScores;
using fltr::testing::dataset_of;
using fltr::testing::stump;

/// Query 1: the irrelevant document has the score (1 − α) · .305 − α · .695 = .305 − α, the relevant one 0. The order
/// is right for α > .305. Query 2: the relevant document has .345 − α, the irrelevant one 0. The order is right for α <
/// .345. The irrelevant document is first in the data, so that it wins ties.
struct Interval {
  Dataset data = dataset_of({{{0, {1, 0}}, {1, {0, 0}}}, {{0, {0, 0}}, {1, {0, 1}}}}, 2);
  std::vector<Forest> forests{Forest({stump(0, 0, .305), stump(1, 0, .345)}, 2),
                              Forest({stump(0, 0, -.695), stump(1, 0, -.655)}, 2)};
};

double const one_wrong = (1 + 1 / std::log2(3.0)) / 2;

}  // namespace

TEST_CASE("Scores of forests are combined by weights") {
  Interval const known;
  ForestScores const scores(known.forests, QueryPool(known.data));
  auto const value = [&](double alpha) {
    std::vector<double> const weights{1 - alpha, alpha};
    return scores.evaluate(weights, Ndcg{}).mean();
  };
  for (double right : {.31, .32, .33, .34}) CHECK(value(right) == 1.0);
  for (double wrong : {0.0, .2, .30, .35, .5, 1.0}) CHECK(value(wrong) == Approx(one_wrong).epsilon(1e-12));
  std::vector<double> const three(3);
  CHECK_THROWS_WITH(scores.evaluate(three, Ndcg{}),
                    ContainsSubstring("required one weight for each of 2 forests, got 3"));
}

TEST_CASE("A forest of weight 0 with scores beyond the range of float does not change the result") {
  Interval const known;
  std::vector<Forest> const forests{known.forests[0],
                                    Forest({stump(0, 1.7e308, -1.7e308), stump(1, 1.7e308, -1.7e308)}, 2)};
  ForestScores const scores(forests, QueryPool(known.data));
  CHECK(scores.evaluate(std::vector<double>{1, 0}, Ndcg{}).mean() == Approx(one_wrong));
}
