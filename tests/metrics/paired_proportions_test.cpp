#include <fltr/metrics/paired_proportions.hpp>

#include <stdexcept>

#include "support/catch.hpp"

using fltr::paired_proportions;

TEST_CASE("Tango's interval of a published table: 1 gain, 7 losses, 21 pairs") {
  // Airway hyper-responsiveness (Bentur et al. 2009); Fagerland, Lydersen and Laake 2014 give -0.517 to -0.026.
  auto const [difference, low, high] = paired_proportions(1, 7, 21);
  CHECK(difference == Approx(-6.0 / 21));
  CHECK(low == Approx(-0.517).margin(0.0005));
  CHECK(high == Approx(-0.026).margin(0.0005));
}

TEST_CASE("Without differing pairs the interval is z^2 / (pairs + z^2) on both sides") {
  constexpr double z2 = 1.9599639845400545 * 1.9599639845400545;
  for (unsigned const pairs : {1U, 20U, 200U}) {
    auto const [difference, low, high] = paired_proportions(0, 0, pairs);
    CHECK(difference == 0.0);
    CHECK(high == Approx(z2 / (pairs + z2)));
    CHECK(low == Approx(-z2 / (pairs + z2)));
  }
}

TEST_CASE("If all pairs differ in one direction, the interval is one-sided: Wilson's for a proportion of 1") {
  // Wilson's lower bound of the share of gains is n / (n + z^2); the difference is 2 · share − 1.
  constexpr double z2 = 1.9599639845400545 * 1.9599639845400545;
  auto const all = paired_proportions(200, 0, 200);
  CHECK(all.difference == 1.0);
  CHECK(all.high == Approx(1.0));
  CHECK(all.low == Approx(2 * 200 / (200 + z2) - 1).margin(1e-9));
  auto const none = paired_proportions(0, 200, 200);
  CHECK(none.low == Approx(-1.0));
  CHECK(none.high == Approx(-all.low));
}

TEST_CASE("paired_proportions refuses no pairs and more differing pairs than pairs") {
  CHECK_THROWS_AS(paired_proportions(0, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(paired_proportions(2, 2, 3), std::invalid_argument);
}
