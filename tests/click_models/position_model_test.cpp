#include <fltr/click_models/position_model.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Grade;
using fltr::PositionModel;

}  // namespace

TEST_CASE("The click probability is P(attractive) times (1 / rank)^exponent") {
  std::vector<Grade> const list{2, 0, 1, 2, 2};
  std::size_t const n = 100'000;
  for (double const exponent : {0.0, 0.5, 1.0, 2.0}) {
    PositionModel const users{{0.1, 0.5, 0.9}, exponent};
    fltr::Stream stream(71);
    std::vector<std::uint8_t> clicks(list.size());
    std::vector<double> counts(list.size());
    double first_and_fourth = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      users.click(list, clicks, stream);
      for (std::size_t r = 0; r < list.size(); ++r) counts[r] += clicks[r];
      first_and_fourth += clicks[0] * clicks[3];
    }
    auto const p = [&](std::size_t r) {
      return users.attractive[list[r]] * std::pow(1.0 / static_cast<double>(r + 1), exponent);
    };
    for (std::size_t r = 0; r < list.size(); ++r)
      CHECK(std::abs(counts[r] / static_cast<double>(n) - p(r)) < fltr::testing::five_errors(p(r), n));
    // Ranks are independent of each other.
    double const both = p(0) * p(3);
    CHECK(std::abs(first_and_fourth / static_cast<double>(n) - both) < fltr::testing::five_errors(both, n));
  }
}

TEST_CASE("The examination probability is (1 / rank)^exponent") {
  PositionModel const users{{1.0}, 2.0};
  CHECK(users.examination(1) == 1.0);
  CHECK(users.examination(2) == 0.25);
  CHECK(users.examination(10) == Approx(0.01).epsilon(1e-15));
}

TEST_CASE("PositionModel overwrites old clicks and refuses grades without a probability and negative exponents") {
  fltr::Stream stream(72);
  std::vector<std::uint8_t> clicks{9, 9};
  std::vector<Grade> const list{0, 1};
  PositionModel{{0.0, 0.0}, 1.0}.click(list, clicks, stream);
  CHECK(clicks == std::vector<std::uint8_t>{0, 0});
  CHECK_THROWS_WITH((PositionModel{{0.5}, 1.0}.click(list, clicks, stream)),
                    "PositionModel: required grades below 1, the number of attractive probabilities, got 1");
  CHECK_THROWS_AS((PositionModel{{0, 0}, -0.5}.click(list, clicks, stream)), std::invalid_argument);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS((PositionModel{{0, 0}, nan}.click(list, clicks, stream)), std::invalid_argument);
}

TEST_CASE("PositionModel refuses probabilities outside [0, 1]") {
  std::vector<std::uint8_t> clicks(1);
  for (double const bad : {-0.1, 1.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    fltr::Stream stream(1);
    CHECK_THROWS_WITH((PositionModel{{0.5, bad}, 1.0}.click(std::vector<Grade>{0}, clicks, stream)),
                      ContainsSubstring("PositionModel: required probabilities in [0, 1] as attractive, got "));
  }
}
