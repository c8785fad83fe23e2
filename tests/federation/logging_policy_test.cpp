#include <fltr/federation/logging_policy.hpp>

#include <cstddef>

#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>

#include "support/catch.hpp"
#include "support/toy.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

}  // namespace

TEST_CASE("λLinear takes a step for every query of a round, and learns") {
  auto const data = toy_dataset(50, 20);
  auto training = lambda_linear(QueryPool(data), {.learning_rate = 0.1F});
  CHECK(training.clients()[0].interactions == 50);
  double const before = evaluate(training.ranker(), data, Ndcg{});
  for (int i = 0; i < 20; ++i) training.advance();
  CHECK(evaluate(training.ranker(), data, Ndcg{}) > std::max(before, 0.97));
  CHECK_THROWS_AS(lambda_linear(QueryPool()), std::invalid_argument);
}

TEST_CASE("a logging policy knows a few queries: better than nothing, worse than all of them") {
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

TEST_CASE("the queries of a logging policy depend on its seed, and are at least twenty") {
  auto const data = toy_dataset(60, 12);
  CHECK(same_bits(train_logging_policy(data, {.seed = 3}), train_logging_policy(data, {.seed = 3})));
  CHECK_FALSE(same_bits(train_logging_policy(data, {.seed = 3}), train_logging_policy(data, {.seed = 4})));
  // One per cent of 60 is none; with twenty of twenty, the seed only orders the steps.
  CHECK(same_bits(train_logging_policy(data), train_logging_policy(data, {.share = 20.0 / 60.0})));
  CHECK_THROWS_AS(train_logging_policy(data, {.share = 1.5}), std::invalid_argument);
}
