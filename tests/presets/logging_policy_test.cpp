#include <fltr/presets/logging_policy.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <fltr/data/fold.hpp>
#include <fltr/formats/letor_folds.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

}  // namespace

TEST_CASE("lambda_linear makes one step per query in a round and improves nDCG") {
  auto const data = toy_dataset(50, 20);
  auto training = lambda_linear(QueryPool(data), {.learning_rate = 0.1F});
  CHECK(training.clients()[0].interactions == 50);
  double const before = evaluate(training.ranker(), data, Ndcg{});
  for (int i = 0; i < 20; ++i) training.advance();
  CHECK(evaluate(training.ranker(), data, Ndcg{}) > std::max(before, 0.97));
  CHECK_THROWS_AS(lambda_linear(QueryPool()), std::invalid_argument);
}

TEST_CASE("A logging policy ranks better than an untrained ranker and worse than one trained on all queries") {
  auto const data = toy_dataset(3000, 20, 30);
  auto const test = toy_dataset(300, 20, 30, 2);
  auto const ndcg = [&](LinearRanker const& ranker) { return evaluate(ranker, test, Ndcg{}); };
  double const nothing = ndcg(LinearRanker(30));
  double const few = ndcg(train_logging_policy(data));
  double const all = ndcg(train_logging_policy(data, {.share = 1.0}));
  INFO(nothing << " < " << few << " < " << all);
  CHECK(few > nothing + 0.05);
  CHECK(all > few + 0.01);
}

TEST_CASE("A logging policy is trained on at least twenty queries, which depend on its seed") {
  auto const data = toy_dataset(60, 12);
  CHECK(same_bits(train_logging_policy(data, {.seed = 3}), train_logging_policy(data, {.seed = 3})));
  CHECK_FALSE(same_bits(train_logging_policy(data, {.seed = 3}), train_logging_policy(data, {.seed = 4})));
  // One per cent of 60 is none; with twenty of twenty, the seed only orders the steps.
  CHECK(same_bits(train_logging_policy(data), train_logging_policy(data, {.share = 20.0 / 60.0})));
  CHECK_THROWS_AS(train_logging_policy(data, {.share = 1.5}), std::invalid_argument);
}

TEST_CASE("A logging policy and a split with the same seed draw different queries") {
  // Only query q has feature q: the weight of q differs from 0 if and only if the policy was trained on query q.
  constexpr std::size_t count = 60;
  std::vector<std::vector<fltr::testing::Document>> queries(count);
  for (std::size_t q = 0; q < count; ++q) {
    std::vector<float> features(count);
    features[q] = 1.0F;
    queries[q] = {{1, features}, {0, std::vector<float>(count)}};
  }
  auto const data = fltr::testing::dataset_of(queries, count);
  auto const policy = train_logging_policy(data, {.seed = 7});
  std::vector<std::string> trained;
  for (std::size_t q = 0; q < count; ++q)
    if (policy.parameters()[q] != 0.0F) trained.emplace_back(data.qid(q));
  REQUIRE(trained.size() == 20);  // 400 draws of 20 queries: one is missed with probability 20 e^{-20}
  auto const fold = split_by_query(data, {1, 1, 1}, 7);
  std::vector<std::string> train;
  for (std::size_t q = 0; q < fold.train.size(); ++q) train.emplace_back(fold.train.qid(q));
  REQUIRE(train.size() == 20);
  CHECK(trained != train);
}
