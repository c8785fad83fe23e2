#include <fltr/metrics/significance.hpp>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using fltr::confidence_interval;
using fltr::paired_t_test;
using fltr::ratio_of_means;

TEST_CASE("The paired t-test gives Student's published values for his own data") {
  // Student (1908), additional hours of sleep with two drugs: t = -4.0621, 9 degrees of freedom, p = .00283, interval
  // -2.4599 to -0.7001.
  std::vector<double> const a{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  std::vector<double> const b{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  auto const test = paired_t_test(a, b);
  CHECK(test.pairs == 10);
  CHECK(test.difference == Approx(-1.58));
  CHECK(test.t == Approx(-4.0621).margin(5e-5));
  CHECK(test.p == Approx(0.002833).margin(5e-7));
  CHECK(test.low == Approx(-2.4598858).margin(5e-7));
  CHECK(test.high == Approx(-0.7001142).margin(5e-7));

  auto const turned = paired_t_test(b, a);
  CHECK(turned.t == -test.t);
  CHECK(turned.p == test.p);
}

TEST_CASE("The paired t-test with one degree of freedom follows the Cauchy distribution") {
  // Differences 1 and 2: mean 1.5, standard error .5, t = 3, p = 1 - (2/pi) atan(3).
  auto const test = paired_t_test(std::vector<double>{1, 2}, std::vector<double>{0, 0});
  CHECK(test.t == Approx(3));
  CHECK(test.p == Approx(1 - 2 / std::acos(-1.0) * std::atan(3.0)));
}

TEST_CASE("The paired t-test of equal differences: p is 1 for 0, otherwise 0") {
  std::vector<double> const zero{0, 0, 0};
  CHECK(paired_t_test(zero, zero).p == 1.0);
  CHECK(paired_t_test(zero, zero).t == 0.0);
  auto const below = paired_t_test(zero, std::vector<double>{0.1, 0.1, 0.1});
  CHECK(below.p == 0.0);
  CHECK(below.difference == -0.1);
  CHECK((std::isinf(below.t) && below.t < 0));
}

TEST_CASE("The paired t-test requires as many values on both sides, at least two pairs, finite values") {
  std::vector<double> const one{1};
  std::vector<double> const two{1, 2};
  CHECK_THROWS_WITH(paired_t_test(one, two), "paired_t_test: required as many values of b as of a, 1, got 2");
  CHECK_THROWS_WITH(paired_t_test(one, one), "paired_t_test: required at least 2 pairs, got 1");
  CHECK_THROWS_AS(paired_t_test(two, std::vector<double>{1, std::nan("")}), std::invalid_argument);
}

TEST_CASE("The confidence interval of differences is that of the paired t-test") {
  std::vector<double> const values{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  auto const test = paired_t_test(values, std::vector<double>(values.size(), 0.0));
  auto const interval = confidence_interval(values);
  CHECK(interval.low == Approx(test.low).epsilon(1e-12));
  CHECK(interval.high == Approx(test.high).epsilon(1e-12));
  // 1 degree of freedom: mean 1.5, standard error .5, quantile tan(pi (.75 - .5)) = 1 for a confidence of 50 %.
  auto const half = confidence_interval(std::vector<double>{1, 2}, 0.5);
  CHECK(half.low == Approx(1.0));
  CHECK(half.high == Approx(2.0));
  CHECK_THROWS_AS(confidence_interval(std::vector<double>{1}), std::invalid_argument);
  CHECK_THROWS_AS(confidence_interval(values, 1.0), std::invalid_argument);
}

TEST_CASE("Fieller's interval: at both ends a paired t-test of a and ratio times b has p = .05") {
  std::vector<double> const a{1.9, 0.8, 1.1, 0.1, 1.3, 4.4, 5.5, 1.6, 4.6, 3.4};
  std::vector<double> const b{3.1, 2.2, 1.4, 2.6, 1.9, 4.8, 5.1, 2.7, 6.0, 3.3};
  auto const [ratio, low, high] = ratio_of_means(a, b);
  CHECK(ratio == Approx(24.7 / 33.1));
  CHECK(low < ratio);
  CHECK(high > ratio);
  for (double const end : {low, high}) {
    std::vector<double> scaled;
    for (double const value : b) scaled.push_back(end * value);
    CHECK(paired_t_test(a, scaled).p == Approx(0.05).epsilon(1e-9));
  }
}

TEST_CASE("Fieller's interval with a constant denominator is the interval of the mean, divided by the constant") {
  std::vector<double> const a{1, 2, 4, 8};
  auto const interval = confidence_interval(a);
  auto const ratio = ratio_of_means(a, std::vector<double>(4, -2.0));
  CHECK(ratio.ratio == Approx(-1.875));
  CHECK(ratio.low == Approx(interval.high / -2.0));
  CHECK(ratio.high == Approx(interval.low / -2.0));
}

TEST_CASE("The ratio of means has no bounded interval if the denominator may be 0, and refuses a mean of 0") {
  std::vector<double> const a{1, 2, 3};
  auto const unbounded = ratio_of_means(a, std::vector<double>{-1, 2, 3});
  CHECK(unbounded.ratio == Approx(1.5));
  CHECK((std::isinf(unbounded.low) && std::isinf(unbounded.high)));
  CHECK_THROWS_AS(ratio_of_means(a, std::vector<double>{-1, 0, 1}), std::invalid_argument);
  CHECK_THROWS_AS(ratio_of_means(a, std::vector<double>{1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(ratio_of_means(std::vector<double>{1}, std::vector<double>{1}), std::invalid_argument);
}
