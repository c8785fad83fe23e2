#include <fltr/metrics/selection_measurer.hpp>

#include <optional>
#include <vector>

#include <fltr/metrics/ndcg.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

TEST_CASE("A SelectionMeasurer gives the lower value of row order and reverse order for equal scores") {
  auto const data = fltr::testing::dataset_of({{{1, {0.0F}}, {0, {0.0F}}}, {{0, {0.0F}}, {1, {0.0F}}}}, 1);
  fltr::Ndcg metric{.cutoff = 1};
  fltr::SelectionMeasurer measurer(metric);
  metric.cutoff = 2;  // the measurer has a copy
  std::vector<float> const equal{1.0F, 1.0F};
  CHECK(measurer.measure(data[0], equal) == 0.0);
  CHECK(measurer.measure(data[1], equal) == 0.0);
  CHECK(measurer.measure(data[0], std::vector<float>{2.0F, 1.0F}) == 1.0);
}

TEST_CASE("A SelectionMeasurer skips the queries that the metric skips") {
  auto const data = fltr::testing::dataset_of({{{0, {0.0F}}}}, 1);
  fltr::SelectionMeasurer measurer(fltr::Ndcg{});
  CHECK(measurer.measure(data[0], std::vector<float>{1.0F}) == std::nullopt);
}
