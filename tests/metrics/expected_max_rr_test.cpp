#include <fltr/metrics/expected_max_rr.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/random.hpp>
#include <fltr/metrics/max_rr.hpp>

#include "support/catch.hpp"

namespace {

using fltr::ExpectedMaxRr;
using fltr::MaxRr;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("Expected MaxRR by hand") {
  ExpectedMaxRr const metric{.click_probability = {0.05, 0.5, 0.95}};
  CHECK(metric.measure({Grades{2, 0, 1}, {}}) == Approx(0.95 + 0.05 * 0.05 / 2 + 0.05 * 0.95 * 0.5 / 3).epsilon(1e-15));
  CHECK(metric.measure({Grades{0}, {}}) == 0.05);
  CHECK(metric.measure({{}, {}}) == 0.0);
  ExpectedMaxRr const first{.click_probability = {0.05, 0.5, 0.95}, .cutoff = 1};
  CHECK(first.measure({Grades{1, 2}, {}}) == 0.5);
  CHECK_THROWS_WITH(metric.measure({Grades{0, 3}, {}}),
                    "ExpectedMaxRr: required grades below 3, the size of click_probability, got 3");
}

TEST_CASE("Expected MaxRR is the mean of MaxRR over the clicks of a cascade model") {
  auto const users = fltr::CascadeModel::informational(3);
  ExpectedMaxRr const metric{.click_probability = users.click_probability};
  fltr::Stream stream(31);
  for (auto const& list : {Grades{0, 1, 2}, Grades{0, 0, 0, 0}, Grades{2, 1, 0, 0, 0, 1}}) {
    std::vector<std::uint8_t> clicks(list.size());
    double sum = 0.0;
    double squares = 0.0;
    double const n = 50'000;
    for (int i = 0; i < 50'000; ++i) {
      users.click(list, clicks, stream);
      double const value = MaxRr{}.measure({clicks, {}});
      sum += value;
      squares += value * value;
    }
    double const mean = sum / n;
    double const standard_error = std::sqrt((squares / n - mean * mean) / n);
    CHECK(std::abs(mean - metric.measure({list, {}})) < 5 * standard_error);
  }
}
