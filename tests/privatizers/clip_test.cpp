#include <fltr/privatizers/clip.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::Clip;
using fltr::LocalWeights;

double norm(std::vector<float> const& values) {
  double squares = 0.0;
  for (float const v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("Clip scales weights to the bound and keeps their direction") {
  std::vector<float> weights{3.0F, -4.0F};
  Clip{.bound = 1.0}.constrain(weights);
  CHECK(weights[0] == Approx(0.6).epsilon(1e-6));
  CHECK(weights[1] == Approx(-0.8).epsilon(1e-6));
}

TEST_CASE("Clip does not change weights within the bound") {
  for (std::vector<float> const& inside : {std::vector<float>{3.0F, -4.0F}, {0.1F, 0.2F}, {0.0F, -0.0F}, {}}) {
    auto weights = inside;
    Clip{.bound = 5.0}.constrain(weights);
    CHECK(weights == inside);
  }
}

TEST_CASE("The norm after Clip is the bound, up to float rounding") {
  fltr::Stream stream(101);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<float> weights(1 + stream.below(200));
    double const size = std::exp(40.0 * stream.uniform() - 20.0);
    for (float& w : weights) w = static_cast<float>(size * stream.normal());
    double const bound = norm(weights) * stream.uniform();
    Clip{.bound = bound}.constrain(weights);
    CHECK(norm(weights) <= bound);                 // never above the bound
    CHECK(norm(weights) >= bound * (1.0 - 5e-7));  // the factor and each weight are rounded
  }
}

TEST_CASE("Clip does not overflow for the largest floats") {
  std::vector<float> weights(100, std::numeric_limits<float>::max());
  Clip{.bound = 1.0}.constrain(weights);
  CHECK(norm(weights) <= 1.0 + 1e-6);
  for (float const w : weights) CHECK(std::isfinite(w));
}

TEST_CASE("Clip does not change weights that are not finite") {
  float const inf = std::numeric_limits<float>::infinity();
  std::vector<float> weights{100.0F, inf};
  Clip{.bound = 1.0}.constrain(weights);
  CHECK(weights == std::vector<float>{100.0F, inf});
  weights[1] = std::nanf("");
  Clip{.bound = 1.0}.constrain(weights);
  CHECK(weights[0] == 100.0F);
  CHECK(std::isnan(weights[1]));
}

TEST_CASE("Clip as a privatizer clips the message and states no loss") {
  auto const message = Clip{.bound = 1.0}.privatize(LocalWeights{{0.0F, 2.0F}, 3}, {});
  CHECK(message.values[0] == 0.0F);
  CHECK(message.values[1] == Approx(1.0).epsilon(5e-7));
  CHECK(message.interactions == 3);
  CHECK(fltr::loss(Clip{}, {10, 46, 4}).epsilon_accounted == 0.0);
}

TEST_CASE("Clip refuses bounds that are not positive") {
  std::vector<float> weights{1.0F};
  for (double const bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(Clip{.bound = bad}.constrain(weights), std::invalid_argument);
  CHECK_THROWS_WITH(Clip{.bound = -1.0}.constrain(weights), "Clip: required a bound > 0, got -1");
}
