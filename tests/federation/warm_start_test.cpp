#include <algorithm>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/warm_start.hpp>
#include <fltr/learners/clustered.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

TEST_CASE("A start model is trained without noise, and the training begins with it") {
  auto const data = toy_dataset();
  auto const plain = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{});
  QueryPool const shared(data, {0, 1, 2, 3});
  auto const start = warm_start(plain, shared, {.rounds = 50});
  CHECK(evaluate(start, data, Ndcg{.cutoff = 10}) > evaluate(LinearRanker(5), data, Ndcg{.cutoff = 10}) + 0.1);
  CHECK(same_bits(start, warm_start(plain.with_privatizer(LaplaceNoise{.epsilon = 0.01}), shared, {.rounds = 50})));
  CHECK(same_bits(start, warm_start(plain, shared, {.rounds = 50})));
  CHECK_FALSE(same_bits(start, warm_start(plain, shared, {.rounds = 50, .seed = 2})));
  auto const training = plain.with_ranker(start).start(split_iid(data, {.clients = 3}));
  CHECK(same_bits(training.ranker(), start));
}

TEST_CASE("The warm start of a personal learner trains the output layer too") {
  auto const data = toy_dataset();
  SplitNeuralRanker untrained(5, {.hidden = 3});
  Stream stream(1);
  untrained.initialize(stream);
  auto const federation = make_federation(untrained, CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{});
  auto const start = warm_start(federation, QueryPool(data), {.rounds = 10});
  CHECK_FALSE(std::ranges::equal(personal_parameters(start), personal_parameters(untrained)));
  CHECK_FALSE(std::ranges::equal(start.shared(), untrained.shared()));
}

TEST_CASE("No queries, no rounds, and a ranker that needs several clients are errors") {
  auto const data = toy_dataset();
  auto const plain = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{});
  CHECK_THROWS_WITH(warm_start(plain, {}), "warm_start: required at least one query, got 0");
  CHECK_THROWS_WITH(warm_start(plain, QueryPool(data), {.rounds = 0}), "warm_start: required rounds >= 1, got 0");
  auto const clustered =
      make_federation(ClusteredRanker(LinearRanker(5), 2), CascadeModel::perfect(3), Clustered<Pdgd>{}, PerCluster<>{});
  CHECK_THROWS_WITH(warm_start(clustered, QueryPool(data)),
                    "Training: required at least 2 clients for this ranker, got 1");
}
