#include <fltr/aggregators/detail/moments.hpp>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::detail::Moments;

float step(Moments& moments, Moments::Rule const& rule) {
  std::vector<float> weights{0.0F};
  moments.step(weights, std::vector<double>{2.0}, rule, [](double, double square) { return square; });
  return weights[0];
}

}  // namespace

TEST_CASE("A step of Moments follows its formula") {
  Moments moments;
  // m = .5 · 2 = 1, v = 4: w = .1 · (1 / .5) / (√(4 / .25) + 1) = .04.
  CHECK(step(moments, {.learning_rate = 0.1, .beta1 = 0.5, .epsilon = 1.0, .correction1 = 0.5, .correction2 = 0.25}) ==
        Approx(0.04));
  CHECK(moments.steps == 1);
  CHECK(moments.first == std::vector<double>{1.0});
  CHECK(moments.second == std::vector<double>{4.0});
}

TEST_CASE("Moments refuses values outside their ranges") {
  Moments moments;
  CHECK_THROWS_AS(step(moments, {.learning_rate = -1.0, .beta1 = 0.5, .epsilon = 1.0}), std::invalid_argument);
  CHECK_THROWS_AS(step(moments, {.learning_rate = 0.1, .beta1 = 1.0, .epsilon = 1.0}), std::invalid_argument);
  CHECK_THROWS_AS(step(moments, {.learning_rate = 0.1, .beta1 = 0.5, .epsilon = 0.0}), std::invalid_argument);
  CHECK_THROWS_AS(step(moments, {.learning_rate = std::nan(""), .beta1 = 0.5, .epsilon = 1.0}), std::invalid_argument);
}
