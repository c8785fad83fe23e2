#include <fltr/core/discrete_noise.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>

#include <boost/math/distributions/chi_squared.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Stream;

/// The deviation of integer draws from P(k) ∝ weight(k): chi-squared over the cells |k| < cells and one cell for the
/// other integers, divided by its critical value for a false alarm in a million.
template <class Draw, class Weight>
double deviation(int draws, int cells, Draw const& draw, Weight const& weight) {
  double total = 0.0;
  for (int k = -2000; k <= 2000; ++k) total += weight(k);
  std::map<std::int64_t, int> seen;
  int outside = 0;
  for (int i = 0; i < draws; ++i) {
    std::int64_t const k = draw();
    if (k > -cells && k < cells)
      ++seen[k];
    else
      ++outside;
  }
  double sum = 0.0;
  double left = 1.0;
  for (int k = -cells + 1; k < cells; ++k) {
    double const p = weight(k) / total;
    left -= p;
    double const difference = seen[k] - p * draws;
    sum += difference * difference / (p * draws);
  }
  sum += (outside - left * draws) * (outside - left * draws) / (left * draws);
  return sum / boost::math::quantile(boost::math::complement(boost::math::chi_squared(2 * cells - 1), 1e-6));
}

}  // namespace

TEST_CASE("discrete_laplace draws every integer with its probability") {
  for (std::uint64_t const scale : {1U, 3U, 7U}) {
    Stream stream(140 + scale);
    int const cells = scale == 1 ? 6 : 12;  // with scale 1, integers of 6 and above are too rare
    CHECK(deviation(
              400'000, cells, [&] { return fltr::discrete_laplace(stream, scale); },
              [&](int k) { return std::exp(-std::abs(k) / static_cast<double>(scale)); }) < 1.0);
  }
}

TEST_CASE("discrete_gaussian draws every integer with its probability") {
  for (std::uint64_t const scale : {2U, 5U, 40U}) {
    Stream stream(150 + scale);
    int const cells = scale == 2 ? 7 : scale == 5 ? 12 : 32;
    double const s = static_cast<double>(scale);
    CHECK(deviation(
              400'000, cells, [&] { return fltr::discrete_gaussian(stream, scale); },
              [&](int k) { return std::exp(-k * k / (2 * s * s)); }) < 1.0);
  }
}

TEST_CASE("Discrete noise of the largest scales has the variance of its formula and odd values in half of the draws") {
  int const n = 200'000;
  double laplace = 0.0;
  double gaussian = 0.0;
  int odd = 0;
  Stream stream(160);
  double const b = 0x1p24;
  double const s = 0x1p24 - 1;
  for (int i = 0; i < n; ++i) {
    auto const k = fltr::discrete_laplace(stream, std::uint64_t{1} << 24U);
    auto const g = fltr::discrete_gaussian(stream, (std::uint64_t{1} << 24U) - 1);
    laplace += static_cast<double>(k) * static_cast<double>(k) / n;
    gaussian += static_cast<double>(g) * static_cast<double>(g) / n;
    odd += (k % 2 != 0) + (g % 2 != 0);
  }
  // Standard errors: variance of X² is 20 b⁴ (Laplace) and 2 s⁴ (Gaussian). The bound is five standard errors.
  CHECK(std::abs(laplace / (2 * b * b) - 1) < 5 * std::sqrt(20.0 / 4.0 / n));
  CHECK(std::abs(gaussian / (s * s) - 1) < 5 * std::sqrt(2.0 / n));
  CHECK(std::abs(odd - n) < 5 * std::sqrt(2.0 * n * 0.25));
}

TEST_CASE("digits_below asks for more digits until they differ from the fraction") {
  using fltr::detail::digits_below;
  using Wide = fltr::Uint128;
  auto const never = []() -> std::uint64_t { throw std::logic_error("no more digits are needed"); };
  std::uint64_t const third = 0x5555'5555'5555'5555U;  // 1/3 = 0.010101...
  CHECK(digits_below(third - 1, 1, 3, never));
  CHECK_FALSE(digits_below(third + 1, 1, 3, never));
  for (int words = 1; words <= 3; ++words)
    for (bool const below : {true, false}) {
      int asked = 0;
      auto const more = [&]() -> std::uint64_t { return ++asked < words ? third : below ? third - 1 : third + 1; };
      CHECK(digits_below(third, 1, 3, more) == below);
      CHECK(asked == words);
    }
  // A fraction with finitely many digits: a number that equals it is not below it, and no more digits are needed.
  CHECK_FALSE(digits_below(std::uint64_t{5} << 61U, 5, 8, never));
  CHECK(digits_below((std::uint64_t{5} << 61U) - 1, 5, 8, never));
  // Denominators of 111 bits.
  Wide const wide = Wide{1} << 111U;
  CHECK_FALSE(digits_below(std::uint64_t{1} << 63U, wide / 2, wide, never));
  CHECK(digits_below((std::uint64_t{1} << 63U) - 1, wide / 2, wide, never));
  CHECK_FALSE(digits_below(1, 1, wide, never));
  CHECK_FALSE(digits_below(0, 1, wide, [] { return std::uint64_t{1} << 17U; }));
  CHECK(digits_below(0, 1, wide, [] { return (std::uint64_t{1} << 17U) - 1; }));
}

TEST_CASE("exact_bernoulli and exact_bernoulli_exp are true with their probability") {
  Stream stream(170);
  int hits = 0;
  int const n = 200'000;
  for (int i = 0; i < n; ++i) hits += fltr::detail::exact_bernoulli(stream, 3, 7);
  CHECK(std::abs(hits - n * 3.0 / 7.0) < 5 * std::sqrt(n * 3.0 / 7.0 * 4.0 / 7.0));
  fltr::Uint128 const wide = fltr::Uint128{1} << 111U;
  CHECK_FALSE(fltr::detail::exact_bernoulli(stream, 0, wide));
  CHECK(fltr::detail::exact_bernoulli(stream, wide, wide));
  hits = 0;
  for (int i = 0; i < n; ++i) hits += fltr::detail::exact_bernoulli_exp(stream, wide >> 13U, wide >> 14U);  // exp(-2)
  CHECK(std::abs(hits - n * std::exp(-2.0)) < 5 * std::sqrt(n * std::exp(-2.0) * (1 - std::exp(-2.0))));
}

TEST_CASE("Discrete noise throws for a scale outside its range") {
  Stream stream(1);
  CHECK_THROWS_AS(fltr::discrete_laplace(stream, 0), std::invalid_argument);
  CHECK_THROWS_AS(fltr::discrete_laplace(stream, (std::uint64_t{1} << 24U) + 1), std::invalid_argument);
  CHECK_THROWS_AS(fltr::discrete_gaussian(stream, 0), std::invalid_argument);
  CHECK_THROWS_AS(fltr::discrete_gaussian(stream, std::uint64_t{1} << 24U), std::invalid_argument);
}
