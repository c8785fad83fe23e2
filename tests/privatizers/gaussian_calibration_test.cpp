#include <fltr/accounting/exact_gaussian.hpp>
#include <fltr/privatizers/detail/gaussian_calibration.hpp>

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

using namespace fltr;
using namespace fltr::detail;

TEST_CASE("The smallest sigma keeps delta, and a sigma smaller by 1e-6 does not") {
  for (double const epsilon : {0.01, 0.5, 4.0, 50.0})
    for (double const delta : {1e-3, 1e-6}) {
      double const sigma = exact_gaussian_sigma(epsilon, delta);
      CHECK(exact_gaussian_delta(epsilon, sigma) <= delta);
      CHECK(exact_gaussian_delta(epsilon, sigma * (1.0 - 1e-6)) > delta);
    }
}

TEST_CASE("The hockey-stick divergence of discrete noise, summed over a grid, is at most delta") {
  // The grid has only 8,192 steps per sigma, so that all its points can be summed. Noise for epsilon - 2 slack must
  // keep epsilon. The grid of GaussianNoise is finer: its slack is 1,024 times smaller.
  int const steps = 8192;
  double const slack = gaussian_grid_slack(1, steps);
  for (double const epsilon : {0.5, 2.0}) {
    double const sigma = exact_gaussian_sigma(epsilon - 2 * slack, 1e-3 * std::exp(-slack));
    auto const shift = static_cast<int>(steps / sigma);  // sensitivity 1, rounded down
    double delta = 0.0;
    double total = 0.0;
    auto const weight = [&](double k) { return std::exp(-k * k / (2.0 * steps * steps)); };
    for (int k = -20 * steps; k <= 20 * steps; ++k) {
      total += weight(k);
      delta += std::max(0.0, weight(k) - std::exp(epsilon) * weight(k - shift));
    }
    CHECK(delta / total <= 1e-3);
    CHECK(delta / total > 0.9e-3);
  }
}
