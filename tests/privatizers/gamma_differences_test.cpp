#include <fltr/privatizers/detail/gamma_differences.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <fltr/core/random.hpp>

#include <boost/math/distributions/gamma.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using namespace fltr::testing;

/// The differences of one call, 0 where `use` was not called.
std::vector<double> differences(fltr::Stream& stream, double shape, std::size_t count) {
  std::vector<double> out(count);
  fltr::detail::gamma_differences(stream, shape, count, [&](std::size_t i, double difference) { out[i] = difference; });
  return out;
}

}  // namespace

TEST_CASE("The sum of n clients' gamma differences of shape 1/n has a Laplace distribution") {
  for (std::size_t const n : {1U, 2U, 10U, 100U, 1000U}) {
    fltr::Stream stream(300 + n);
    std::size_t const d = 20'000;
    std::vector<double> sums(d);
    for (std::size_t client = 0; client < n; ++client) {
      auto const own = differences(stream, 1.0 / static_cast<double>(n), d);
      for (std::size_t i = 0; i < d; ++i) sums[i] += own[i];
    }
    INFO("clients " << n);
    CHECK(ks_distance(sums, [](double x) { return laplace_cdf(x, 1.0); }) < ks_critical(d));
  }
}

TEST_CASE("gamma_differences calls `use` in order, and for the share of differences that are not left out") {
  for (double const shape : {0.1, 1e-3, 1e-6}) {
    fltr::Stream stream(17);
    std::size_t const count = 400'000;
    std::size_t used = 0;
    std::size_t next = 0;
    fltr::detail::gamma_differences(stream, shape, count, [&](std::size_t i, double difference) {
      REQUIRE((i >= next && i < count && std::isfinite(difference) && difference != 0.0));
      next = i + 1;
      ++used;
    });
    // A difference is used if one of two powers U^(1/shape) is at least 1e-30.
    double const share = -std::expm1(-2.0 * shape * 30.0 * std::log(10.0));
    CHECK(std::abs(static_cast<double>(used) / static_cast<double>(count) - share) < five_errors(share, count));
  }
}

TEST_CASE("The larger of the gamma numbers of gamma_differences have the distribution of their shape") {
  // With shape 1/1000, a coordinate rarely has two numbers above 1e-30. The signs are symmetric. Numbers above 1e-6 are
  // compared with the gamma distribution above 1e-6.
  double const shape = 1e-3;
  boost::math::gamma_distribution<> const exact(shape, 1.0);
  fltr::Stream stream(18);
  std::vector<double> large;
  std::size_t positive = 0;
  for (double const v : differences(stream, shape, 4'000'000))
    if (std::abs(v) > 1e-6) {
      large.push_back(std::abs(v));
      positive += v > 0 ? 1U : 0U;
    }
  double const below = boost::math::cdf(exact, 1e-6);
  double const above = boost::math::cdf(boost::math::complement(exact, 1e-6));
  // About 1 % of the draws have a magnitude above 1e-6, and so has their partner in 1 % of these cases.
  CHECK(std::abs(static_cast<double>(large.size()) / 4e6 - (1.0 - below * below)) <
        five_errors(1.0 - below * below, 4'000'000) + 1e-6);
  auto const n = large.size();
  CHECK(ks_distance(large, [&](double x) { return (boost::math::cdf(exact, x) - below) / above; }) <
        ks_critical(n) + above);
  CHECK(std::abs(static_cast<double>(positive) / static_cast<double>(n) - 0.5) < five_errors(0.5, n));
}
