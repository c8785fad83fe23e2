#include <fltr/aggregators/server_optimizers.hpp>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace fltr;

/// Steps of an optimiser on one weight with gradients 1, 1, −2.
template <class O>
std::vector<double> path(O const& optimizer) {
  std::vector<float> w{0.0F};
  typename O::State state;
  std::vector<double> out;
  for (double g : {1.0, 1.0, -2.0}) {
    optimizer.step(w, std::vector<double>{g}, state);
    out.push_back(static_cast<double>(w[0]));
  }
  return out;
}

}  // namespace

TEST_CASE("Three steps of every server optimiser equal hand-computed values") {
  auto const sgd = path(Sgd{.learning_rate = 0.5});
  CHECK(sgd[2] == Approx(0.0).margin(1e-7));
  // Adam: m = .1, .19, −.029; v = .001, .001999, .005997001; the first two corrected steps are 1.
  auto const adam = path(Adam{.learning_rate = 0.1});
  CHECK(adam[0] == Approx(0.1).epsilon(1e-6));
  CHECK(adam[1] == Approx(0.2).epsilon(1e-6));
  double const m = -.029 / (1 - std::pow(.9, 3));
  double const v = .005997001 / (1 - std::pow(.999, 3));
  CHECK(adam[2] == Approx(0.2 + 0.1 * m / std::sqrt(v)).epsilon(1e-5));
  // Yogi: v starts at 1e-6 and stays below g², so that it grows by (1 − β₂) g²: .01, .01, .04.
  auto const yogi = path(Yogi{.learning_rate = 0.1});
  CHECK(yogi[0] == Approx(0.1 * 0.1 / (std::sqrt(1e-6 + .01) + 1e-3)).epsilon(1e-5));
  CHECK(yogi[1] - yogi[0] == Approx(0.1 * 0.19 / (std::sqrt(1e-6 + .02) + 1e-3)).epsilon(1e-5));
  CHECK(yogi[2] - yogi[1] == Approx(0.1 * -.029 / (std::sqrt(1e-6 + .06) + 1e-3)).epsilon(1e-4));
  auto const adagrad = path(Adagrad{.learning_rate = 0.1});
  CHECK(adagrad[0] == Approx(0.1 / (std::sqrt(1e-6 + 1) + 1e-3)).epsilon(1e-5));
  CHECK(adagrad[2] - adagrad[1] == Approx(-0.2 / (std::sqrt(1e-6 + 6) + 1e-3)).epsilon(1e-5));
}

TEST_CASE("Server optimisers refuse learning rates that are negative or NaN") {
  CHECK_THROWS_AS(path(Sgd{.learning_rate = std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(path(Adam{.learning_rate = -1}), std::invalid_argument);
  CHECK_THROWS_AS(path(Yogi{.learning_rate = std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(path(Adagrad{.learning_rate = std::nan("")}), std::invalid_argument);
}
