// The bound that holds at every stop at once, against a caller who looks at the released models and chooses when to
// stop. The other bounds of PrivacySum: accountant_test.cpp.

#include <fltr/accounting/privacy_sum.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fltr/accounting/concentrated.hpp>
#include <fltr/accounting/exact_gaussian.hpp>
#include <fltr/accounting/privacy_account.hpp>
#include <fltr/accounting/renyi_curve.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

double const infinity = std::numeric_limits<double>::infinity();

PrivacySum of_rho(double rho) { return PrivacySum::of({.epsilon_accounted = infinity, .rho = rho}); }
PrivacySum times(PrivacySum const& one, int rounds) {
  PrivacySum out;
  for (int i = 0; i < rounds; ++i) out += one;
  return out;
}

}  // namespace

TEST_CASE(
    "A caller who stops when the models say most exceeds the bound of a fixed number of rounds, and not this one") {
  // One client sends +.5 or −.5 with Gaussian noise of σ = 7 in each of up to 1,000 rounds. The caller adds up the
  // logarithm of the likelihood ratio, L, and stops after a round with L > ε + .7. What it then has proved is
  // δ' = E[1 − e^(ε − L)], which must be at most δ = .01.
  constexpr int rounds = 1000;
  constexpr int runs = 4000;
  double const delta = 0.01;
  double const sigma = exact_gaussian_sigma(0.5, 1e-5);
  BoundsAt const at(delta);
  PrivacySum const one = of_rho(gaussian_zcdp(1.0, sigma));
  std::vector<double> fixed;
  std::vector<double> any;
  PrivacySum spent;
  for (int t = 0; t < rounds; ++t) {
    spent += one;
    fixed.push_back(spent.bound(at).epsilon);
    any.push_back(spent.epsilon_at_any_stop(at));
  }
  double chosen = 0.0;
  double of_fixed_rounds = 0.0;
  int exceeded = 0;
  Stream stream(71);
  for (int run = 0; run < runs; ++run) {
    double ratio = 0.0;
    bool stopped = false;
    bool above = false;
    for (std::size_t t = 0; t < rounds; ++t) {
      ratio += (0.5 + sigma * stream.normal()) / (sigma * sigma);
      if (!stopped && ratio > fixed[t] + 0.7) {
        stopped = true;
        chosen += 1.0 - std::exp(fixed[t] - ratio);
      }
      above = above || ratio > any[t];
    }
    if (ratio > fixed.back()) of_fixed_rounds += 1.0 - std::exp(fixed.back() - ratio);
    exceeded += above ? 1 : 0;
  }
  // Hoeffding's bounds of the means of 4,000 numbers in [0, 1], which are wrong with probability e^-7: .03 for a value
  // near .5; for small ones Bernstein's is √(2 · 7 · .01 / 4000) + 7 / (3 · 4000) = .0065.
  CHECK(of_fixed_rounds / runs <= delta + 0.0065);  // what the reported bound promises
  CHECK(chosen / runs > delta + 0.002);             // and does not promise: .015 in many runs
  CHECK(exceeded <= (delta + 0.0065) * runs);       // no stop at all exceeds it: δ' ≤ P(L > ε at any time) ≤ δ
}

TEST_CASE("The bound of any stop is the loss at which the mean over the orders reaches 2/delta") {
  for (double const delta : {1e-2, 1e-5, 1e-9})
    for (PrivacySum const& sum : {of_rho(1e-6), of_rho(0.01), of_rho(1.0), of_rho(100.0), of_rho(1e4),
                                  times(PrivacySum::of({.epsilon_accounted = 0.1}), 1000)}) {
      BoundsAt const at(delta);
      double const epsilon = sum.epsilon_at_any_stop(at);
      long double mean = 0.0L;
      long double weights = 0.0L;
      for (std::size_t i = 0; i < renyi_orders.size(); ++i) {
        long double const weight = std::exp(static_cast<long double>(BoundsAt::log_weights()[i]));
        weights += weight;
        mean += weight * std::exp(static_cast<long double>((renyi_orders[i] - 1.0) * (epsilon - sum.rdp[i])));
      }
      CHECK(static_cast<double>(weights) == Approx(1.0).epsilon(1e-12));
      CHECK(static_cast<double>(mean) >= 2.0 / delta * (1 - 1e-9));
      CHECK(static_cast<double>(mean) <= 2.0 / delta * (1 + 1e-6));
      CHECK(epsilon > sum.bound(at).epsilon);
      // The best orders have a share of about √(2π) / (√(2 ln 1/δ) ln(2047 / .0005)) of the weight, 1/30 to 1/43 here, and
      // half of δ is left.
      if (sum.rho > 1e-4) CHECK(epsilon < zcdp_epsilon(sum.rho, delta / 100.0));
    }
}

TEST_CASE("The sum of epsilons holds at any stop, with a delta of the rounds of at most half of the run's") {
  PrivacySum const pure = times(PrivacySum::of({.epsilon_accounted = 0.1}), 5);
  CHECK(pure.epsilon_at_any_stop(BoundsAt(1e-5)) == Approx(0.5));
  CHECK(pure.epsilon_at_any_stop(BoundsAt(0.0)) == Approx(0.5));
  CHECK(PrivacySum{}.epsilon_at_any_stop(BoundsAt(1e-5)) == 0.0);
  PrivacySum const approximate = times(PrivacySum::of({.epsilon_accounted = 0.1, .delta = 1e-6}), 5);
  CHECK(approximate.epsilon_at_any_stop(BoundsAt(1e-5)) == Approx(0.5));
  CHECK(approximate.epsilon_at_any_stop(BoundsAt(9e-6)) == infinity);
  CHECK(of_rho(0.1).epsilon_at_any_stop(BoundsAt(0.0)) == infinity);
  CHECK(PrivacySum::of({.epsilon_accounted = infinity}).epsilon_at_any_stop(BoundsAt(1e-5)) == infinity);
}

TEST_CASE("The loss at any stop rises with the rounds, and that of an account is at least that of each client") {
  BoundsAt const at(1e-5);
  PrivacyAccount account(4);
  double before = 0.0;
  for (int round = 0; round < 200; ++round) {
    account.charge({.epsilon_accounted = 0.1}, round % 2 == 0 ? ChargedClients{} : ChargedClients{1, 2});
    double const now = account.largest(at).epsilon_any_stop;
    CHECK(now > before);
    before = now;
  }
  CHECK(account.largest(at).epsilon_any_stop == account.of_client(1, at).epsilon_any_stop);
  CHECK(account.of_client(0, at).epsilon_any_stop < account.of_client(1, at).epsilon_any_stop);
  CHECK(account.of_client(1, at).epsilon_any_stop ==
        times(PrivacySum::of({.epsilon_accounted = 0.1}), 200).epsilon_at_any_stop(at));
  CHECK(account.largest(at).epsilon_any_stop > account.largest(at).epsilon_accounted);
  account.charge({.epsilon_accounted = infinity, .reason = "no bound"}, {3});
  CHECK(account.largest(at).epsilon_any_stop == infinity);
  CHECK(account.of_client(1, at).epsilon_any_stop == Approx(before));
}

TEST_CASE("A bound by rho alone has the delta that was asked for, whatever the rounds' own delta is") {
  PrivacySum const sum = PrivacySum::of({.epsilon_accounted = infinity, .delta = 1e-7, .rho = 0.1});
  PrivacySum without = sum;
  without.rdp.clear();
  auto const bound = without.bound(BoundsAt(1e-5));
  CHECK(bound.name == "zCDP");
  CHECK(bound.epsilon == zcdp_epsilon(0.1, 1e-5));
  CHECK(bound.delta == 1e-5);
  CHECK(sum.bound(BoundsAt(1e-5)).delta == 1e-5);
}
