#include <fltr/metrics/summary_statistics.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::mean;
using fltr::standard_deviation;

}  // namespace

TEST_CASE("Mean and sample standard deviation") {
  std::vector<double> const values{2, 4, 4, 4, 5, 5, 7, 9};
  CHECK(mean(values) == 5.0);
  CHECK(standard_deviation(values) == Approx(std::sqrt(32.0 / 7)).epsilon(1e-15));  // squares add up to 32
  CHECK(std::isnan(standard_deviation(std::vector<double>{3})));
  CHECK(std::isnan(mean(std::vector<double>{})));
}
