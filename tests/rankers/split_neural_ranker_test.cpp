#include <algorithm>

#include <fltr/core/random.hpp>
#include <fltr/formats/saved_model.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;

static_assert(SavedModel<SplitNeuralRanker> && SplitNeuralRanker::model_name == NeuralRanker::model_name);

TEST_CASE("SplitNeuralRanker scores like NeuralRanker and shares all but the output layer") {
  auto const data = fltr::testing::toy_dataset();
  NeuralRanker plain(5, {.hidden = 4});
  SplitNeuralRanker split(5, {.hidden = 4});
  Stream one(3);
  Stream two(3);
  plain.initialize(one);
  split.initialize(two);
  CHECK(evaluate(plain, data, Ndcg{.cutoff = 10}) == evaluate(split, data, Ndcg{.cutoff = 10}));
  CHECK(std::ranges::equal(split.shared(), plain.parameters().first(24)));
  CHECK(std::ranges::equal(personal_parameters(split), plain.parameters().last(4)));
}
