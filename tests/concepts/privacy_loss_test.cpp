#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/core/fields.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

double const infinity = std::numeric_limits<double>::infinity();

/// D_α of randomised response with two answers, by its definition.
double two_answers(double order, double epsilon) {
  double const p = std::exp(epsilon) / (1.0 + std::exp(epsilon));
  double const q = 1.0 - p;
  return std::log(std::pow(p, order) * std::pow(q, 1.0 - order) + std::pow(q, order) * std::pow(p, 1.0 - order)) /
         (order - 1.0);
}

}  // namespace

TEST_CASE("The orders rise and are above 1") {
  CHECK(renyi_orders.front() > 1.0);
  for (std::size_t i = 1; i < renyi_orders.size(); ++i) CHECK(renyi_orders[i] > renyi_orders[i - 1]);
}

TEST_CASE("The Renyi divergence of a pure epsilon is that of randomised response") {
  for (double const epsilon : {0.1, 1.0, 4.5})
    for (double const order : {1.5, 2.0, 8.0, 32.0})
      CHECK(pure_renyi(order, epsilon) == Approx(two_answers(order, epsilon)).epsilon(1e-9));
  for (double const epsilon : {1e-12, 1e-6, 0.01, 1.0, 300.0, 1e6})
    for (double const order : renyi_orders) {
      double const d = pure_renyi(order, epsilon);
      CHECK(d >= 0.0);
      CHECK(d <= epsilon);
      CHECK(d <= order * epsilon * epsilon / 2.0);
    }
  CHECK(pure_renyi(2.0, 0.0) == 0.0);
  CHECK(pure_renyi(2.0, infinity) == infinity);
}

TEST_CASE("A loss of nothing costs nothing, in every bound") {
  PrivacyLoss const nothing;
  CHECK(nothing.zcdp() == 0.0);
  for (double const d : nothing.renyi()) CHECK(d == 0.0);
  PrivacyLoss sum;
  sum += nothing;
  CHECK(sum.zcdp() == 0.0);
  CHECK(sum.epsilon_accounted == 0.0);
}

TEST_CASE("Each bound is composed with its like, and a bound that one loss lacks is derived or unknown") {
  PrivacyLoss const pure{.epsilon_nominal = 1.0, .epsilon_accounted = 0.5};
  PrivacyLoss const concentrated{.epsilon_nominal = 2.0, .epsilon_accounted = infinity, .rho = 0.25};
  PrivacyLoss const approximate{.epsilon_accounted = 1.0, .delta = 1e-6};
  CHECK(pure.zcdp() == 0.125);
  CHECK(approximate.zcdp() == infinity);
  CHECK(approximate.renyi().empty());

  PrivacyLoss both = pure;
  both += concentrated;
  CHECK(both.epsilon_nominal == 3.0);
  CHECK(both.epsilon_accounted == infinity);
  CHECK(both.zcdp() == 0.375);
  CHECK(both.delta == 0.0);
  auto const curve = both.renyi();
  for (std::size_t i = 0; i < curve.size(); ++i) CHECK(curve[i] <= 0.375 * renyi_orders[i]);

  PrivacyLoss stated = pure;
  stated.rdp = pure.renyi();
  stated += concentrated;
  for (std::size_t i = 0; i < renyi_orders.size(); ++i)
    CHECK(stated.rdp[i] == Approx(pure_renyi(renyi_orders[i], 0.5) + 0.25 * renyi_orders[i]).epsilon(1e-14));
  stated += approximate;
  CHECK(stated.rdp.empty());
  CHECK(stated.zcdp() == infinity);
  CHECK(stated.delta == 1e-6);
}

TEST_CASE("A PrivacyLoss is written and read with all its bounds") {
  PrivacyLoss loss{.epsilon_nominal = 1.0, .epsilon_accounted = 2.0, .delta = 1e-5, .rho = 0.5, .bound = "zCDP"};
  loss.rdp.assign(renyi_orders.size(), 3.0);
  PrivacyLoss copy;
  auto const bytes = field_bytes(loss);
  FieldReader reader(bytes);
  reader.read(copy);
  reader.expect_end();
  CHECK(copy.rho == 0.5);
  CHECK(copy.rdp == loss.rdp);
  CHECK(copy.bound == "zCDP");
}
