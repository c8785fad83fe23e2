#include <fltr/metrics/ranker_distance.hpp>

#include <cmath>
#include <vector>

#include <fltr/core/tensor.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

using namespace fltr;

namespace {

/// Two queries of three documents; features are the unit vectors, so that the weights are the scores.
Dataset unit_vectors(std::vector<Grade> const& grades) {
  Matrix<float> rows({6, 3});
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 3; ++k) rows(i, k) = i % 3 == k ? 1.0F : 0.0F;
  std::vector<std::size_t> const sizes{3, 3};
  return make_dataset(rows, grades, sizes);
}

}  // namespace

TEST_CASE("The distance of two rankers in weights, Kendall's tau and nDCG, worked out by hand") {
  auto const data = unit_vectors({2, 0, 0, 0, 0, 1});
  LinearRanker const a(std::vector{3.0F, 2.0F, 1.0F});
  LinearRanker const b(std::vector{2.0F, 3.0F, 1.0F});
  auto const distance = ranker_distance(a, b, data, Ndcg{.cutoff = 10});
  CHECK(distance.weights == Approx(std::sqrt(2.0)));
  CHECK(distance.relative_weights == Approx(std::sqrt(2.0 / 14.0)));
  CHECK(distance.kendall_tau == Approx(1.0 / 3));  // one of three pairs is reversed, in both queries
  // Query 1: the relevant document is first under a, second under b. Query 2: third under both.
  double const second = 1.0 / std::log2(3.0);
  CHECK(distance.ndcg_difference == Approx((1.0 - second) / 2));
  CHECK(distance.ndcg_change == Approx((1.0 - second) / 2));
  auto const back = ranker_distance(b, a, data, Ndcg{.cutoff = 10});
  CHECK(back.ndcg_difference == Approx(-distance.ndcg_difference));
  CHECK(back.ndcg_change == distance.ndcg_change);
}

TEST_CASE("Changes of single queries that cancel in the mean are visible in ndcg_change") {
  auto const data = unit_vectors({1, 0, 0, 0, 1, 0});
  auto const distance = ranker_distance(LinearRanker(std::vector{3.0F, 2.0F, 1.0F}),
                                        LinearRanker(std::vector{2.0F, 3.0F, 1.0F}), data, Ndcg{.cutoff = 10});
  CHECK(distance.ndcg_difference == Approx(0.0).margin(1e-12));
  CHECK(distance.ndcg_change == Approx(1.0 - 1.0 / std::log2(3.0)));
}

TEST_CASE("What is not defined is NaN: tau of a ranker that gives all documents one score, nDCG without relevance") {
  auto const data = unit_vectors({0, 0, 0, 0, 0, 0});
  auto const distance = ranker_distance(LinearRanker(std::vector{1.0F, 2.0F, 3.0F}), LinearRanker(3), data, Ndcg{});
  CHECK(std::isnan(distance.kendall_tau));
  CHECK(std::isnan(distance.ndcg_difference));
  CHECK_FALSE(std::isfinite(distance.relative_weights));
  CHECK_THROWS_AS(ranker_distance(LinearRanker(3), LinearRanker(2), data, Ndcg{}), std::invalid_argument);
}

TEST_CASE("The mean of two distances is the mean of each of their parts") {
  RankerDistance const one{1.0, 2.0, 3.0, 4.0, 5.0};
  RankerDistance const other{0.5, 0.25, -1.0, -2.0, 7.0};
  RankerDistance mean;
  mean.add(one, 0.5);
  mean.add(other, 0.5);
  CHECK(mean.weights == 0.75);
  CHECK(mean.relative_weights == 1.125);
  CHECK(mean.kendall_tau == 1.0);
  CHECK(mean.ndcg_difference == 1.0);
  CHECK(mean.ndcg_change == 6.0);
}
