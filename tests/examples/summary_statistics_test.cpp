#include "support/summary_statistics.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using namespace fltr::examples;

TEST_CASE("Mean and sample standard deviation") {
  std::vector<double> const values{2, 4, 4, 4, 5, 5, 7, 9};
  CHECK(mean(values) == 5.0);
  CHECK(standard_deviation(values) == Approx(std::sqrt(32.0 / 7)).epsilon(1e-15));  // squares add up to 32
  CHECK(std::isnan(standard_deviation(std::vector<double>{3})));
  CHECK(std::isnan(mean(std::vector<double>{})));
}

TEST_CASE("Student's paired test on his own data") {
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

TEST_CASE("One degree of freedom is the Cauchy distribution") {
  // Differences 1 and 2: mean 1.5, standard error .5, t = 3, p = 1 - (2/pi) atan(3).
  auto const test = paired_t_test(std::vector<double>{1, 2}, std::vector<double>{0, 0});
  CHECK(test.t == Approx(3));
  CHECK(test.p == Approx(1 - 2 / std::acos(-1.0) * std::atan(3.0)));
}

TEST_CASE("Differences that are all the same") {
  std::vector<double> const zero{0, 0, 0};
  CHECK(paired_t_test(zero, zero).p == 1.0);
  CHECK(paired_t_test(zero, zero).t == 0.0);
  auto const below = paired_t_test(zero, std::vector<double>{0.1, 0.1, 0.1});
  CHECK(below.p == 0.0);
  CHECK(below.difference == -0.1);
  CHECK((std::isinf(below.t) && below.t < 0));
}

TEST_CASE("A paired test needs pairs") {
  std::vector<double> const one{1};
  std::vector<double> const two{1, 2};
  CHECK_THROWS_AS(paired_t_test(one, two), std::invalid_argument);
  CHECK_THROWS_AS(paired_t_test(one, one), std::invalid_argument);
  CHECK_THROWS_AS(paired_t_test(two, std::vector<double>{1, std::nan("")}), std::invalid_argument);
}
