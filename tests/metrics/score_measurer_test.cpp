#include <fltr/metrics/score_measurer.hpp>

#include <cstddef>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

/// A metric that returns a given value.
struct Constant {
  std::size_t cutoff = 1;
  double value = 1.0;
  double measure(fltr::RankedList) const { return value; }
};

/// The grade at the first rank, and the number of ranks.
struct FirstGrade {
  std::size_t cutoff = 1;
  double measure(fltr::RankedList list) const {
    return list.grades[0] + 10.0 * static_cast<double>(list.grades.size());
  }
};

}  // namespace

TEST_CASE("A ScoreMeasurer keeps copies of the metrics") {
  auto const data = fltr::testing::dataset_of({{{1, {1.0F}}, {0, {0.0F}}}}, 1);
  Constant metric{.value = 1.0};
  fltr::ScoreMeasurer<Constant> measurer(fltr::TieOrder::row, metric);
  metric.value = 2.0;
  CHECK(measurer.measure(data[0], std::vector<float>{1.0F, 0.0F})[0] == 1.0);
}

TEST_CASE("A ScoreMeasurer ranks by score and gives each metric the ranks of its own cutoff") {
  auto const data = fltr::testing::dataset_of({{{1, {0.0F}}, {2, {0.0F}}, {3, {0.0F}}}}, 1);
  fltr::ScoreMeasurer measurer(fltr::TieOrder::row, FirstGrade{1}, FirstGrade{2}, FirstGrade{0});
  auto const values = measurer.measure(data[0], std::vector<float>{0.0F, 2.0F, 1.0F});
  CHECK(values[0] == 12.0);
  CHECK(values[1] == 22.0);
  CHECK(values[2] == 32.0);
}
