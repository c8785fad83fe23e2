#include <fltr/aggregators/simplex_search.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using Weights = std::vector<double>;

/// −Σ c_i (w_i − t_i)². A separable concave function is M-concave (Murota 2003): weights that no exchange between two
/// models improves are a global maximum.
auto peak(Weights target, Weights curvature) {
  return [=](std::span<double const> w) {
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) sum -= curvature[i] * (w[i] - target[i]) * (w[i] - target[i]);
    return sum;
  };
}

}  // namespace

TEST_CASE("For two models all weights are tried") {
  std::vector<int> asked(101);
  auto const found = SimplexSearch{}.best(2, [&](std::span<double const> w) {
    REQUIRE(w.size() == 2);
    CHECK(std::abs(w[0] + w[1] - 1) < 1e-15);
    ++asked[static_cast<std::size_t>(std::lround(w[1] * 100))];
    return std::lround(w[1] * 100) == 83 ? 1.0 : std::cos(w[1] * 40);  // one high point among local maxima
  });
  CHECK(found == Weights{0.17, 0.83});
  for (int count : asked) CHECK(count > 0);
  CHECK(SimplexSearch{.steps = 8}.best(2, peak({0.3, 0.7}, {1, 1})) == Weights{0.25, 0.75});
}

TEST_CASE(
    "Of weights with the same value, those nearest to equal weights win, then those that favour the first model") {
  CHECK(SimplexSearch{}.best(2, [](auto) { return 0.0; }) == Weights{0.5, 0.5});
  CHECK(SimplexSearch{}.best(2, [](std::span<double const> w) { return w[1] > 0.645 ? 1.0 : 0.0; }) ==
        Weights{0.35, 0.65});
  CHECK(SimplexSearch{}.best(2, [](std::span<double const> w) { return std::abs(w[1] - 0.5) > 0.295 ? 1.0 : 0.0; }) ==
        Weights{0.8, 0.2});
  CHECK(SimplexSearch{}.best(2, [](std::span<double const> w) { return w[1] == 0 || w[1] == 1 ? 1.0 : 0.0; }) ==
        Weights{1, 0});
  CHECK(SimplexSearch{}.best(3, [](auto) { return 0.0; }) == Weights{0.34, 0.33, 0.33});
}

TEST_CASE("For three models and a concave function, the coordinate search finds the global maximum") {
  Stream stream(3);
  for (int trial = 0; trial < 20; ++trial) {
    Weights target;
    Weights curvature;
    for (int i = 0; i < 3; ++i) {
      target.push_back(1.5 * stream.uniform() - 0.25);  // not on the grid, sometimes outside the simplex
      curvature.push_back(0.1 + stream.uniform());
    }
    auto const value = peak(target, curvature);
    double best = -std::numeric_limits<double>::infinity();
    Weights expected;
    for (int j = 0; j <= 100; ++j)
      for (int k = 0; j + k <= 100; ++k) {
        Weights const w{(100 - j - k) / 100.0, j / 100.0, k / 100.0};
        if (value(w) > best) {
          best = value(w);
          expected = w;
        }
      }
    CHECK(SimplexSearch{}.best(3, value) == expected);
  }
}

TEST_CASE("The result is never worse than a single model or equal weights") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const rough = [&](std::span<double const> w) {  // a random value for every point
      std::uint64_t key = seed;
      for (double share : w) key = key * 1009 + static_cast<std::uint64_t>(std::lround(share * 10));
      return Stream(key).uniform();
    };
    SimplexSearch const search{.steps = 10};
    double const found = rough(search.best(5, rough));
    for (std::size_t i = 0; i < 5; ++i) {
      Weights alone(5);
      alone[i] = 1;
      CHECK(found >= rough(alone));
    }
    CHECK(found >= rough(Weights(5, 0.2)));
  }
}

TEST_CASE("One model has weight 1, and no model is an error") {
  CHECK(SimplexSearch{}.best(1, [](auto) { return 0.0; }) == Weights{1});
  CHECK_THROWS_WITH(SimplexSearch{}.best(0, [](auto) { return 0.0; }), ContainsSubstring("at least one model"));
  CHECK_THROWS_WITH(SimplexSearch{.steps = 0}.best(2, [](auto) { return 0.0; }), ContainsSubstring("steps"));
}

TEST_CASE("NaN ranks last") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t models : {2U, 3U, 4U}) {
    CHECK(SimplexSearch{}.best(models, [&](auto const&) { return nan; }).size() == models);
    Weights best(models);
    best[1] = 1;
    CHECK(SimplexSearch{}.best(models, [&](std::span<double const> w) { return w[1] == 1 ? 0.5 : nan; }) == best);
  }
}
