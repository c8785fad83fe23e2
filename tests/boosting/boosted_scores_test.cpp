#include <fltr/boosting/boosted_scores.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

/// One split of a feature.
fltr::Tree stump(std::uint32_t feature, double threshold, double left, double right) {
  fltr::Tree tree;
  tree.feature = {feature};
  tree.threshold = {threshold};
  tree.left = {~0};
  tree.right = {~1};
  tree.leaf = {left, right};
  return tree;
}

}  // namespace

TEST_CASE("BoostedScores have the scores of a forest of the same trees") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 100, .features = 3});
  std::vector<fltr::Tree> const trees{stump(0, 0.1, -1, 1), stump(2, -0.3, 0.25, 0.125), stump(1, 0.0, 1e-9, 3)};
  fltr::BoostedScores scores(fltr::query_views(data));
  CHECK(scores.document_count() == data.document_count());
  scores.add(fltr::Serial{}, trees[0]);
  scores.add(fltr::Threads{2}, trees[1]);
  for (std::size_t q = 0; q < data.size(); ++q) scores.add(q, trees[2]);
  fltr::Forest const forest(trees, 3);
  std::vector<float> expected, buffer;
  for (std::size_t q = 0; q < data.size(); ++q) {
    CHECK(scores.first_document(q) == data.first_document(q));
    expected.resize(data[q].document_count());
    forest.score(data[q], expected);
    auto const got = scores.scores(q, buffer);
    CHECK(std::vector<float>(got.begin(), got.end()) == expected);
  }
  fltr::Ndcg const metric{.cutoff = 3};
  auto const evaluation = scores.evaluate(fltr::Serial{}, metric);
  CHECK(evaluation.mean() == Approx(fltr::evaluate(forest, data, metric)).epsilon(1e-12));
  CHECK(evaluation.queries + evaluation.skipped == data.size());
  CHECK(scores.evaluate(fltr::Threads{3}, metric).sum == evaluation.sum);
}

TEST_CASE("BoostedScores: single documents, selected queries, no queries") {
  auto const data = fltr::testing::dataset_of({{{0, {1}}, {1, {2}}}, {{2, {3}}}, {{1, {4}}, {0, {5}}, {0, {6}}}}, 1);
  fltr::BoostedScores scores(fltr::query_views(fltr::QueryPool(data, {2, 0})));
  REQUIRE(scores.queries().size() == 2);
  REQUIRE(scores.document_count() == 5);
  scores.add(std::vector<std::uint32_t>{0, 4}, 0.5);
  std::vector<float> buffer;
  (void)scores.scores(0, buffer);
  CHECK(buffer == std::vector<float>{0.5F, 0, 0});
  (void)scores.scores(1, buffer);
  CHECK(buffer == std::vector<float>{0, 0.5F});
  CHECK(scores.evaluate(fltr::Serial{}, fltr::Ndcg{}).mean() == 1.0);

  fltr::BoostedScores none({});
  none.add(fltr::Serial{}, stump(0, 0, 1, 2));
  CHECK(none.evaluate(fltr::Serial{}, fltr::Ndcg{}).queries == 0);
}
