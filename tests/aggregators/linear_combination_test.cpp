#include <fltr/aggregators/linear_combination.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/data/client.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::sent;
using fltr::testing::stump;

/// Query 1: the irrelevant document has the score (1 − α) · .305 − α · .695 = .305 − α, the relevant one 0. The order
/// is right for α > .305. Query 2: the relevant document has .345 − α, the irrelevant one 0. The order is right for α <
/// .345. The irrelevant document is first in the data, so that it wins ties.
struct Interval {
  Dataset data = dataset_of({{{0, {1, 0}}, {1, {0, 0}}}, {{0, {0, 0}}, {1, {0, 1}}}}, 2);
  std::vector<Forest> forests{Forest({stump(0, 0, .305), stump(1, 0, .345)}, 2),
                              Forest({stump(0, 0, -.695), stump(1, 0, -.655)}, 2)};
};

struct MergesBy {
  ClientId id = 0;
  QueryPool merge;
};

double const one_wrong = (1 + 1 / std::log2(3.0)) / 2;

std::vector<float> scores_of(auto const& ranker, QueryView query) {
  std::vector<float> scores(query.document_count());
  ranker.score(query, scores);
  return scores;
}

}  // namespace

TEST_CASE("Alpha has the highest nDCG on the merge queries; of several it is the nearest to 1/2") {
  Interval const known;
  auto const merged = LinearCombination{}.personalize(sent(known.forests), MergesBy{0, QueryPool(known.data)});
  CHECK(merged.alpha() == .34);
  CHECK(merged.weights == std::vector<double>{.66, .34});
  CHECK(merged.forest() == combine(known.forests, merged.weights));
  CHECK(scores_of(merged.forest(), known.data[1])[1] == Approx(.345 - .34).epsilon(1e-6));
  CHECK(merged.local == known.forests);
  CHECK(scores_of(merged, known.data[0])[0] == Approx(.305 - .34).epsilon(1e-6));
  CHECK(scores_of(merged, known.data[1])[1] == Approx(.345 - .34).epsilon(1e-6));

  // Query 1 alone requires α > .305, query 2 alone α < .345.
  CHECK(LinearCombination{}.personalize(sent(known.forests), MergesBy{0, {known.data, {0}}}).alpha() == .5);
  CHECK(LinearCombination{}.personalize(sent(known.forests), MergesBy{1, {known.data, {1}}}).alpha() == .34);
  LinearCombination const coarse{.search = {.steps = 3}};
  CHECK(coarse.personalize(sent(known.forests), MergesBy{0, QueryPool(known.data)}).alpha() == 1.0 / 3);
}

TEST_CASE("Weights of three forests, one of which ranks all queries wrong, give nDCG 1") {
  Interval known;
  known.forests.push_back(Forest({stump(0, 0, 5), stump(1, 0, -5)}, 2));  // wrong for both queries
  auto const merged = LinearCombination{}.personalize(sent(known.forests), MergesBy{0, QueryPool(known.data)});
  detail::ForestScores const scores(known.forests, QueryPool(known.data));
  CHECK(scores.evaluate(merged.weights, Ndcg{}).mean() == 1.0);
  // nDCG 1 requires .305 w1 − .695 w2 + 5 w3 < 0 < .345 w1 − .655 w2 − 5 w3. With w1 = 1 − w2 − w3 this is:
  CHECK(.305 + 4.695 * merged.weights[2] < merged.weights[1]);
  CHECK(merged.weights[1] < .345 - 5.345 * merged.weights[2]);
  CHECK_THROWS_WITH(merged.alpha(), ContainsSubstring("required 2 forests, got 3"));
}

TEST_CASE("Without a merge query that distinguishes weights, the weights are equal") {
  Interval const known;
  auto const nothing = dataset_of({{{0, {1, 0}}, {0, {0, 0}}}}, 2);
  CHECK(LinearCombination{}.personalize(sent(known.forests), MergesBy{}).alpha() == .5);
  CHECK(LinearCombination{}.personalize(sent(known.forests), MergesBy{0, QueryPool(nothing)}).alpha() == .5);
  CHECK(LinearCombination{}.personalize(sent({known.forests[0]}), MergesBy{0, QueryPool(known.data)}).weights ==
        std::vector<double>{1});
}

TEST_CASE("A forest without trees has weight 0, also if the data is sorted by grade") {
  auto const sorted = dataset_of({{{2, {1}}, {1, {0}}, {0, {1}}}, {{2, {1}}, {0, {0}}, {0, {1}}}}, 1);
  Forest const some({stump(0, 0, -1)}, 1);  // wrong for both queries; the order of the data is right
  auto const weights_of = [&](std::vector<Forest> forests) {
    return LinearCombination{}.personalize(sent(std::move(forests)), MergesBy{0, QueryPool(sorted)}).weights;
  };
  CHECK(weights_of({some, Forest(1)}) == std::vector<double>{1, 0});
  CHECK(weights_of({Forest(1), some, Forest(1)}) == std::vector<double>{0, 1, 0});
  CHECK(weights_of({Forest(1), Forest(1)}) == std::vector<double>{.5, .5});
  // A forest that gives all documents the same score must not gain from the order of the data.
  Forest const right({stump(0, 0, 1)}, 1), constant({stump(0, 3, 3)}, 1);
  auto const weights = weights_of({right, constant});
  CHECK(weights[0] > 0);
}

TEST_CASE("The global ranker of LinearCombination is the mean of the forests") {
  Interval const known;
  Forest ranker(2);
  LinearCombination{}.aggregate(sent(known.forests), ranker);
  CHECK(ranker.trees().size() == 4);
  CHECK(scores_of(ranker, known.data[0])[0] == Approx((.305 - .695) / 2));
  CHECK(scores_of(ranker, known.data[1])[1] == Approx((.345 - .655) / 2));
  CHECK_THROWS_WITH(LinearCombination{}.aggregate({}, ranker), ContainsSubstring("at least one forest"));
}
