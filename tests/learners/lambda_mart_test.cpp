#include <fltr/learners/lambda_mart.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/client.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/evaluation.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/metrics/score_measurer.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_bits.hpp"
#include "support/shuffled_execution.hpp"
#include "support/toy_dataset.hpp"

namespace {

using fltr::Dataset;
using fltr::evaluate;
using fltr::Forest;
using fltr::LambdaMart;
using fltr::Ndcg;
using fltr::Serial;
using fltr::Threads;
using fltr::Tree;
using fltr::TreeRound;
using fltr::testing::dataset_of;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// RankNet's loss over all pairs, log(1 + e^{−(s_h − s_l)}). LambdaRank minimises it with a weight for each pair.
double pair_loss(Forest const& forest, Dataset const& data) {
  double loss = 0;
  std::vector<float> scores;
  for (std::size_t q = 0; q < data.size(); ++q) {
    scores.resize(data[q].document_count());
    forest.score(data[q], scores);
    auto const grades = data[q].grades();
    for (std::size_t i = 0; i < grades.size(); ++i)
      for (std::size_t j = 0; j < grades.size(); ++j)
        if (grades[i] > grades[j]) loss += std::log1p(std::exp(static_cast<double>(scores[j] - scores[i])));
  }
  return loss;
}

/// The mean metric. For each query the lower value of the two orders of equal scores counts.
double with_ties_against_it(Forest const& forest, Dataset const& data, auto const& metric) {
  fltr::Evaluation sum;
  std::vector<float> scores;
  for (std::size_t q = 0; q < data.size(); ++q) {
    scores.resize(data[q].document_count());
    forest.score(data[q], scores);
    auto const in = [&](fltr::TieOrder ties) { return fltr::ScoreMeasurer(ties, metric).measure(data[q], scores)[0]; };
    auto const one = in(fltr::TieOrder::row), other = in(fltr::TieOrder::reverse);
    sum.add(one && other ? std::min(one, other) : one);
  }
  return sum.mean();
}

Forest first_trees(Forest const& forest, std::size_t count) {
  auto const trees = forest.trees().first(count);
  return Forest({trees.begin(), trees.end()}, forest.feature_count());
}

/// A document is relevant if two features have the same sign: no linear ranker and no single split can separate the
/// grades.
Dataset crossed(std::size_t queries, std::uint64_t seed) {
  fltr::Stream stream(seed);
  std::vector<std::vector<fltr::testing::Document>> all(queries);
  for (auto& query : all)
    for (int d = 0; d < 10; ++d) {
      auto const a = static_cast<float>(stream.normal());
      auto const b = static_cast<float>(stream.normal());
      query.push_back({a * b > 0 ? 1 : 0, {a, b, static_cast<float>(stream.normal())}});
    }
  return dataset_of(all, 3);
}

}  // namespace

TEST_CASE("LambdaMART ranks a data set perfectly if trees can separate its grades") {
  auto const train = crossed(200, 1);
  LambdaMart const mart{.trees = 60, .leaves = 8, .min_data = 5};
  auto const forest = mart.train(Serial{}, train);
  CHECK(evaluate(forest, train, Ndcg{.cutoff = 10}) == 1.0);
  CHECK(evaluate(forest, crossed(100, 2), Ndcg{.cutoff = 10}) > 0.98);
  // The third feature is noise: both kinds of importance are lowest for it.
  auto const splits = forest.split_importance();
  auto const gains = forest.gain_importance();
  for (std::size_t f : {0U, 1U}) {
    CHECK(splits[2] < 0.5 * splits[f]);
    CHECK(gains[2] < 0.1 * gains[f]);
  }
}

TEST_CASE("LambdaMART: the loss falls as trees are added") {
  auto const data = toy_dataset(60, 20);
  LambdaMart const mart{.trees = 50, .leaves = 6, .learning_rate = 0.05, .min_data = 10, .lambda = {.truncation = 0}};
  auto const forest = mart.train(Serial{}, data);
  REQUIRE(forest.trees().size() == 50);
  double last = pair_loss(first_trees(forest, 0), data);
  for (std::size_t count = 5; count <= 50; count += 5) {
    double const loss = pair_loss(first_trees(forest, count), data);
    CHECK(loss < last);
    last = loss;
  }
}

TEST_CASE("LambdaMART: the scores during training are those of the forest") {
  auto const data = toy_dataset(40, 15);
  LambdaMart const mart{.trees = 20, .leaves = 5, .min_data = 5, .query_fraction = 0.5};
  fltr::Boosting training(Serial{}, fltr::query_views(data), mart.boosting(), {});
  std::vector<fltr::Tree> trees;
  for (int i = 0; i < 20; ++i) trees.push_back(training.step(Serial{}));
  Forest const forest(trees, data.feature_count());
  std::vector<float> expected, buffer;
  for (std::size_t q = 0; q < data.size(); ++q) {
    expected.resize(data[q].document_count());
    forest.score(data[q], expected);
    auto const got = training.scores().scores(q, buffer);
    CHECK(std::vector<float>(got.begin(), got.end()) == expected);
  }
  CHECK(same_bits(forest, mart.train(Serial{}, data)));
}

TEST_CASE("LambdaMART: the first tree is a Newton step at scores of 0") {
  auto const data = toy_dataset(30, 10);
  LambdaMart const mart{.trees = 1, .leaves = 4, .learning_rate = 0.5, .min_data = 1, .lambda = {.truncation = 5}};
  auto const forest = mart.train(Serial{}, data);
  auto const& tree = forest.trees()[0];
  std::vector<double> gradient(tree.leaf_count()), hessian(tree.leaf_count());
  fltr::LambdaGradients lambda({.truncation = 5});
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::size_t const n = data[q].document_count();
    std::vector<double> g(n), h(n);
    std::vector<float> const zero(n);
    lambda(data[q], zero, std::span(g), std::span(h));
    for (std::size_t d = 0; d < n; ++d) {
      gradient[tree.leaf_of(data[q].row(d))] += g[d];
      hessian[tree.leaf_of(data[q].row(d))] += h[d];
    }
  }
  REQUIRE(tree.leaf_count() == 4);
  for (std::size_t leaf = 0; leaf < 4; ++leaf) {
    CHECK(tree.leaf[leaf] == Approx(-0.5 * gradient[leaf] / hessian[leaf]).epsilon(1e-5));
    CHECK(tree.statistics.leaf_weight[leaf] == Approx(hessian[leaf]).epsilon(1e-5));
  }
}

TEST_CASE("LambdaMART: the forest has the same bits on every Execution") {
  auto const data = toy_dataset(150, 30, 40);
  LambdaMart const mart{.trees = 12, .leaves = 20, .min_data = 5, .query_fraction = 0.7, .feature_fraction = 0.5};
  auto const forest = mart.train(Serial{}, data);
  CHECK(forest.trees().size() == 12);
  CHECK(same_bits(forest, mart.train(Threads{1}, data)));
  CHECK(same_bits(forest, mart.train(Threads{2}, data)));
  CHECK(same_bits(forest, mart.train(Threads{5}, data)));
  CHECK(same_bits(forest, mart.train(fltr::testing::ShuffledExecution{9}, data)));
}

TEST_CASE("LambdaMART: samples are drawn from the streams, for each tree again") {
  auto const data = toy_dataset(60, 20, 12);
  LambdaMart const mart{.trees = 10, .leaves = 4, .min_data = 5, .feature_fraction = 0.25};
  auto const forest = mart.train(Serial{}, data, {.seed = 1});
  std::vector<std::uint8_t> used(12);
  for (auto const& tree : forest.trees()) {
    std::vector<std::uint8_t> here(12);
    for (auto f : tree.feature) used[f] = here[f] = 1;
    CHECK(std::ranges::count(here, 1) <= 3);
  }
  CHECK(std::ranges::count(used, 1) > 3);
  CHECK(same_bits(forest, mart.train(Serial{}, data, {.seed = 1})));
  CHECK_FALSE(same_bits(forest, mart.train(Serial{}, data, {.seed = 2})));
  CHECK_FALSE(same_bits(forest, mart.train(Serial{}, data, {.seed = 1, .client = 1})));

  // Only one of three queries has pairs. Steps whose sample does not include it add no tree, and training goes on.
  auto const sparse = dataset_of({{{1, {0}}, {0, {1}}}, {{1, {1}}}, {{1, {0}}}}, 1);
  LambdaMart const third{
      .trees = 30, .leaves = 2, .min_data = 1, .min_hessian = 0, .query_fraction = 0.34, .binning = {.min_data = 1}};
  std::vector<std::size_t> asked;
  auto const few = third.train(Serial{}, sparse, {}, [&](TreeRound const& round) {
    asked.push_back(round.trees.size());
    return round.trees.size() < 4;
  });
  CHECK(few.trees().size() == 4);
  CHECK(asked == std::vector<std::size_t>{0, 1, 2, 3, 4});
  auto const some = third.train(Serial{}, sparse);
  CHECK(some.trees().size() > 4);
  CHECK(some.trees().size() < 20);
  CHECK(std::ranges::all_of(some.trees(), [](Tree const& tree) { return tree.leaf_count() == 2; }));

  LambdaMart const half{.trees = 1, .leaves = 4, .min_data = 5, .query_fraction = 0.5};
  CHECK(half.train(Serial{}, data).trees()[0].statistics.inner_count[0] == 30 * 20);
}

TEST_CASE("LambdaMART: early stopping keeps the trees up to the best one, and stops after `patience` trees") {
  auto const train = toy_dataset(40, 15, 5, 1);
  auto const vali = toy_dataset(30, 15, 5, 2);
  LambdaMart const mart{.trees = 120, .leaves = 8, .learning_rate = 0.3, .min_data = 3, .patience = 15};
  auto const all = mart.train(Serial{}, train);
  REQUIRE(all.trees().size() == 120);
  // By hand: the first best number of trees, until 15 trees gave no higher value.
  auto const best_by = [&](auto const& metric) {
    std::size_t best = 0, tried = 0;
    double value = -1;
    for (std::size_t count = 1; count <= 120 && count <= best + 15; ++count) {
      double const now = with_ties_against_it(first_trees(all, count), vali, metric);
      tried = count;
      if (now > value) {
        value = now;
        best = count;
      }
    }
    REQUIRE(tried < 120);  // otherwise early stopping would not be tested
    return best;
  };
  std::size_t const best = best_by(Ndcg{.cutoff = 10});
  auto const stopped = mart.train(Serial{}, train, vali);
  CHECK(stopped.trees().size() == best);
  CHECK(same_bits(stopped, first_trees(all, best)));

  // Without validation queries, or with queries that the metric skips, all trees are trained.
  CHECK(same_bits(all, mart.train(Serial{}, train, Dataset())));
  CHECK(same_bits(all, mart.train(Serial{}, train, dataset_of({{{0, {1, 2, 3, 4, 5}}}}, 5))));

  // Another metric has another best number of trees.
  fltr::ReciprocalRank const mrr{.cutoff = 10};
  REQUIRE(best_by(mrr) != best);
  CHECK(same_bits(mart.train(Serial{}, train, vali, {}, mrr), first_trees(all, best_by(mrr))));
}

TEST_CASE("LambdaMART: an observer can end the training after any tree") {
  auto const train = toy_dataset(40, 15, 5, 1);
  auto const vali = toy_dataset(30, 15, 5, 2);
  LambdaMart const mart{.trees = 30, .leaves = 8, .min_data = 3, .patience = 30};
  auto const all = mart.train(Serial{}, train);
  REQUIRE(all.trees().size() == 30);
  for (std::size_t const most : {0U, 1U, 7U}) {
    std::size_t asked = 0;
    auto const observer = [&](TreeRound const& round) {
      CHECK(round.trees.size() == asked++);
      return round.trees.size() < most;
    };
    auto const without_validation = mart.train(Serial{}, train, Dataset(), {}, Ndcg{}, observer);
    CHECK(same_bits(without_validation, first_trees(all, most)));
    CHECK(asked == most + 1);
    asked = 0;
    auto const with_validation = mart.train(Serial{}, train, vali, {}, Ndcg{}, observer);
    CHECK(with_validation.trees().size() <= most);
    CHECK(same_bits(with_validation, first_trees(all, with_validation.trees().size())));
    CHECK(asked == most + 1);
  }
}

TEST_CASE("LambdaMART: early stopping does not depend on the order of validation documents") {
  // Three of five grades are random: no forest ranks such queries well.
  auto const noisy = [](Dataset const& data, bool best_first) {
    fltr::Stream stream(3);
    std::vector<std::vector<fltr::testing::Document>> queries(data.size());
    for (std::size_t q = 0; q < data.size(); ++q) {
      for (std::size_t d = 0; d < data[q].document_count(); ++d) {
        int const grade = stream.uniform() < 0.6 ? static_cast<int>(stream.below(3)) : data[q].grades()[d];
        queries[q].push_back({grade, {data[q].row(d).begin(), data[q].row(d).end()}});
      }
      if (best_first) std::ranges::stable_sort(queries[q], std::greater{}, &fltr::testing::Document::grade);
    }
    return dataset_of(queries, data.feature_count());
  };
  auto const train = noisy(toy_dataset(60, 15, 5, 1), false);
  auto const sorted = noisy(toy_dataset(60, 15, 5, 2), true);
  LambdaMart const mart{.trees = 60, .leaves = 3, .learning_rate = 0.05, .min_data = 3, .patience = 60};
  auto const all = mart.train(Serial{}, train);
  // The first tree has three different scores, so most documents stay in row order.
  REQUIRE(evaluate(first_trees(all, 1), sorted, Ndcg{}) > evaluate(all, sorted, Ndcg{}) + 0.05);
  CHECK(mart.train(Serial{}, train, sorted).trees().size() > 10);
}

TEST_CASE("LambdaMART: an unlimited patience and a patience of 0") {
  auto const train = toy_dataset(40, 15, 5, 1);
  auto const vali = toy_dataset(30, 15, 5, 2);
  LambdaMart mart{.trees = 40, .leaves = 8, .learning_rate = 0.3, .min_data = 3, .patience = 1000};
  auto const patient = mart.train(Serial{}, train, vali);
  mart.patience = std::numeric_limits<std::size_t>::max();
  CHECK(same_bits(mart.train(Serial{}, train, vali), patient));
  mart.patience = 0;
  CHECK(same_bits(mart.train(Serial{}, train, vali), mart.train(Serial{}, train)));
}

TEST_CASE("LambdaMART: without a split that helps, the forest is empty") {
  LambdaMart const mart{.trees = 5, .min_data = 1};
  auto const empty = [&](Dataset const& data) { return mart.train(Serial{}, data).trees().empty(); };
  CHECK(empty(Dataset()));
  CHECK(empty(dataset_of({{{1, {0.5F}}}}, 1)));                                           // one document
  CHECK(empty(dataset_of({{{1, {0.5F}}, {1, {0.7F}}}, {{0, {1}}, {0, {2}}}}, 1)));        // no pairs
  CHECK(empty(dataset_of({{{1, {0.5F}}, {0, {0.5F}}}, {{1, {0.5F}}, {0, {0.5F}}}}, 1)));  // constant features
  CHECK(empty(dataset_of({{{1, {}}, {0, {}}}}, 0)));                                      // no features
  CHECK(empty(dataset_of({{}, {}}, 2)));                                                  // no documents
  CHECK(mart.train(Serial{}, dataset_of({{{1, {0.5F}}}}, 1)).feature_count() == 1);
  // Two documents suffice if a bin may have one document.
  LambdaMart const least{.trees = 5, .min_data = 1, .binning = {.min_data = 1}};
  auto const two = dataset_of({{{1, {1}}, {0, {2}}}}, 1);
  auto const forest = least.train(Serial{}, two);
  CHECK(forest.trees().size() == 5);
  CHECK(evaluate(forest, two, Ndcg{}) == 1.0);
}

TEST_CASE("LambdaMART: options out of range are errors") {
  auto const data = toy_dataset(4, 4);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (LambdaMart const& mart :
       {LambdaMart{.leaves = 0}, LambdaMart{.learning_rate = 0}, LambdaMart{.learning_rate = nan},
        LambdaMart{.min_hessian = -1}, LambdaMart{.l2 = nan}, LambdaMart{.query_fraction = 0},
        LambdaMart{.feature_fraction = 1.5}, LambdaMart{.lambda = {.sigmoid = 0}}, LambdaMart{.binning = {.bins = 1}}})
    CHECK_THROWS_AS(mart.train(Serial{}, data, data), std::invalid_argument);
}

TEST_CASE("LambdaMART: a client learns from its own queries") {
  auto const data = toy_dataset(40, 15);
  fltr::NoState state;
  fltr::NoWorkspace workspace;
  fltr::archetypes::Session<> session{{.seed = 3, .round = 1, .client = 2}, state, workspace};
  LambdaMart const mart{.trees = 8, .leaves = 4, .min_data = 3, .query_fraction = 0.8};
  Forest const global(data.feature_count());

  fltr::Client client{.id = 2, .queries = fltr::QueryPool(data, {1, 3, 5, 7, 9, 30})};
  auto const forest = mart.learn(global, client, session);
  CHECK(forest.trees().size() == 8);
  CHECK(forest.fits(global, 4));
  CHECK(same_bits(forest, mart.train(Serial{}, client.queries, session.streams)));

  struct Validating : fltr::Client {
    fltr::QueryPool validation;
  };
  Validating const careful{client, fltr::QueryPool(data, {0, 2, 4, 6})};
  CHECK(same_bits(mart.learn(global, careful, session),
                  mart.train(Serial{}, client.queries, careful.validation, session.streams)));

  fltr::Client const idle{.id = 3, .queries = fltr::QueryPool(data, {})};
  CHECK(mart.learn(global, idle, session).trees().empty());
  CHECK(mart.learn(global, idle, session).fits(global, 4));
}
