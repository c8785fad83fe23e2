#include <fltr/partition/detail/dirichlet_shares.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

using fltr::Stream;
using fltr::detail::cut_by_shares;
using fltr::detail::dirichlet_shares;

TEST_CASE("A Dirichlet share of two has the beta distribution") {
  // Dir(1, 1): uniform. Dir(1/2, 1/2): the arcsine law, P(X <= x) = 2 / π · asin(√x).
  Stream stream(71);
  std::vector<double> uniform;
  std::vector<double> arcsine;
  for (int i = 0; i < 20'000; ++i) {
    uniform.push_back(dirichlet_shares(2, 1.0, stream)[0]);
    arcsine.push_back(dirichlet_shares(2, 0.5, stream)[1]);
  }
  using fltr::testing::ks_critical;
  using fltr::testing::ks_distance;
  CHECK(ks_distance(uniform, [](double x) { return x; }) < ks_critical(20'000));
  CHECK(ks_distance(arcsine, [](double x) { return 2.0 / M_PI * std::asin(std::sqrt(x)); }) < ks_critical(20'000));
}

TEST_CASE("Dirichlet shares are finite and have the sum 1 for every concentration") {
  Stream stream(72);
  for (double const alpha : {1e-6, 1e-3, 0.01, 0.5, 1.0, 3.0, 1e6})
    for (int i = 0; i < 50; ++i) {
      auto const shares = dirichlet_shares(1000, alpha, stream);
      for (double const share : shares) REQUIRE((share >= 0.0 && share <= 1.0));
      REQUIRE(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1.0).epsilon(1e-12));
    }
}

TEST_CASE("The sum of the squared Dirichlet shares has the mean (α + 1) / (nα + 1)") {
  // The variance of the sum of squares is at most its mean (the sum is in [0, 1]): with 4,000 draws, five standard
  // errors are below 5 · √(mean / 4,000).
  Stream stream(73);
  for (double const alpha : {0.01, 0.3, 5.0}) {
    double mean = 0.0;
    for (int i = 0; i < 4000; ++i)
      for (double const share : dirichlet_shares(20, alpha, stream)) mean += share * share / 4000.0;
    double const expected = (alpha + 1.0) / (20.0 * alpha + 1.0);
    CHECK(std::abs(mean - expected) < 5.0 * std::sqrt(expected / 4000.0));
  }
}

TEST_CASE("Shares cut a list into consecutive parts") {
  CHECK(cut_by_shares(10, std::vector<double>{.25, .5, .25}) == std::vector<std::size_t>{2, 7, 10});
  CHECK(cut_by_shares(3, std::vector<double>{0, 1, 0}) == std::vector<std::size_t>{0, 3, 3});
  CHECK(cut_by_shares(10, std::vector<double>{.7 - 1e-12, .3, 0}) == std::vector<std::size_t>{6, 10, 10});
  CHECK(cut_by_shares(0, std::vector<double>{.5, .5}) == std::vector<std::size_t>{0, 0});
}
