// The accountant against published and independently computed values (marked with their source), against exact
// divergences by numerical integration, and its laws: monotone, additive, invertible, never below an exact value.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include <fltr/accounting/concentrated.hpp>
#include <fltr/accounting/exact_gaussian.hpp>
#include <fltr/accounting/renyi_curve.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

/// From low to high in equal steps of 1/per_unit, both included.
std::vector<double> orders_from(int low, int high, int per_unit) {
  std::vector<double> out;
  for (int k = low; k <= high; ++k) out.push_back(static_cast<double>(k) / per_unit);
  return out;
}
std::vector<double> operator+(std::vector<double> a, std::vector<double> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RenyiCurve sampled(double rate, double sigma, std::uint64_t rounds, std::vector<double> const& orders) {
  return RenyiCurve::sampled_gaussian(rate, sigma, Adjacency::add_or_remove_one, orders).times(rounds);
}

/// D_α of two densities by Simpson's rule.
template <class P, class Q>
double integrated(double order, P const& p, Q const& q, double low, double high) {
  int const n = 400'000;
  double const h = (high - low) / n;
  double sum = 0.0;
  for (int i = 0; i <= n; ++i) {
    double const x = low + h * i;
    double const f = std::exp(order * std::log(p(x)) + (1.0 - order) * std::log(q(x)));
    sum += f * (i == 0 || i == n ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0));
  }
  return std::log(sum * h / 3.0) / (order - 1.0);
}

double normal(double x, double mean, double sigma) {
  return std::exp(-(x - mean) * (x - mean) / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * std::numbers::pi));
}

/// A row of reference values to a relative tolerance.
Approx to(double value, double tolerance) { return Approx(value).epsilon(tolerance).margin(0.0); }

}  // namespace

TEST_CASE("Sampled Gaussian: values of the tests of Opacus and TensorFlow Privacy") {
  auto const opacus = orders_from(11, 109, 10) + orders_from(12, 63, 1);
  CHECK(sampled(0.04, 1.5, 2250, opacus).epsilon(1e-5).value == to(7.32911117143, 1e-6));
  auto const one = sampled(0.0025, 1.3, 6000, opacus).epsilon(1e-5);
  CHECK(one.value == to(0.7242234026109595, 1e-6));
  CHECK(one.order == 19.0);
  auto const two = sampled(0.001, 1.0, 30000, opacus).epsilon(1e-7);
  CHECK(two.value == to(1.4154988495444842, 1e-6));
  CHECK(two.order == 13.0);
  CHECK(sampled(1.0, 0.7, 2, opacus).epsilon(1e-5).value == to(10.8602036, 1e-6));
}

TEST_CASE("Sampled Gaussian: the grid of computed values") {
  auto const orders = orders_from(11, 109, 10) + orders_from(11, 63, 1) + std::vector<double>{128, 256, 512, 1024};
  CHECK(sampled(0.01, 1.0, 1000, orders).epsilon(1e-5).value == to(2.101365, 1e-5));
  CHECK(sampled(0.1, 1.0, 100, orders).epsilon(1e-5).value == to(7.899255, 1e-5));
  CHECK(sampled(0.1, 1.0, 1000, orders).epsilon(1e-5).value == to(27.163494, 1e-5));
  CHECK(sampled(0.1, 4.0, 1000, orders).epsilon(1e-5).value == to(3.736242, 1e-5));
  CHECK(sampled(1.0, 4.0, 100, orders).epsilon(1e-5).value == to(14.132226, 1e-5));
  // The signed series, not that of absolute values, which gives 6.70579741e-4.
  CHECK(50 * sampled_gaussian_renyi(1.5, 0.01, 2.5) == Approx(6.5007e-4).margin(5e-9));
}

TEST_CASE("Gaussian: Renyi bound, exact bound, and the conversion of a constant divergence") {
  auto const fine = orders_from(101, 6400, 100);
  CHECK(RenyiCurve::gaussian(1.0, 4.530877117, fine).epsilon(1e-6).value == to(1.0, 1e-6));  // dp_accounting
  CHECK(exact_gaussian_epsilon(1e-6, 4.2246788893) == to(1.0, 1e-6));
  CHECK(exact_gaussian_sigma(1.0, 1e-5) == to(3.7306316348, 1e-9));
  CHECK(exact_gaussian_sigma(1.0, 1e-6) == to(4.2246788893, 1e-9));
  CHECK(exact_gaussian_sigma(4.0, 1e-5) == to(1.0811618495, 1e-9));
  std::vector<double> const orders = orders_from(2, 32, 1);
  CHECK(renyi_epsilon(orders, std::vector<double>(orders.size(), 1.1), 1e-5).value == to(1.32783806176, 1e-6));
}

TEST_CASE("Laplace: computed values, the integral, and the sum over a grid") {
  CHECK(laplace_renyi(2.0, 1.0) == to(0.6191236300, 1e-9));
  CHECK(laplace_renyi(16.0, 1.0) == to(0.9559067679, 1e-9));
  for (double const order : {1.1, 3.0, 20.0})
    for (double const s : {0.01, 0.3, 2.0, 8.0}) {
      // D by its two tails and the middle, each an exponential function that integrates in closed form.
      double const m = 2.0 * order - 1.0;
      double const tails = std::exp((order - 1.0) * s) / 2.0 + std::exp(-order * s) / 2.0;
      double const middle = (std::exp((order - 1.0) * s) - std::exp(-order * s)) / (2.0 * m);
      CHECK(laplace_renyi(order, s) == Approx(std::log(tails + middle) / (order - 1.0)).epsilon(1e-8));
      // A coarse grid of 50 steps per scale: the sum over all its points.
      double sum = 0.0;
      double total = 0.0;
      int const shift = static_cast<int>(std::lround(50.0 * s));
      for (int x = -5000; x <= 5000; ++x) {
        double const p = -std::abs(x) / 50.0;
        double const q = -std::abs(x - shift) / 50.0;
        total += std::exp(p);
        sum += std::exp(order * p + (1.0 - order) * q);
      }
      double const grid = std::log(sum / total) / (order - 1.0);
      CHECK(laplace_renyi(order, shift / 50.0, 1.0 / 50.0) == Approx(grid).epsilon(1e-8));
      CHECK(laplace_renyi(order, s, 0x1p-23) >= laplace_renyi(order, s));
    }
  // The equal split is the worst for a given L2 norm, one coordinate for a given L1 norm.
  for (double const order : {1.05, 2.0, 30.0, 900.0})
    for (double const share : {0.01, 0.2, 0.4}) {
      double const a = 1.5 * std::sqrt(share);
      double const b = 1.5 * std::sqrt(1.0 - share);
      CHECK(laplace_renyi(order, a) + laplace_renyi(order, b) <= laplace_renyi_l2(order, 1.5, 2));
      CHECK(laplace_renyi(order, a) + laplace_renyi(order, b) <= laplace_renyi(order, a + b));
    }
}

TEST_CASE("FPDGD over T rounds: the published mechanism's totals at delta 1e-5") {
  struct Row {
    std::uint64_t rounds;
    std::size_t d;
    double epsilon, sum, pure, coordinates, zcdp;
    double pure_unit, coordinate_unit;  // of the last digit given
  };
  for (Row const& r :
       {Row{1000, 46, 1.2, 8139, 7381, 852.6, 902.1, 1, 0.1}, Row{1000, 46, 4.5, 30521, 29762, 8805, 10808, 1, 1},
        Row{1000, 136, 1.2, 13994, 13236, 871.6, 902.1, 1, 0.1}, Row{200, 46, 1.2, 1628, 1525, 212.3, 225.4, 1, 0.1},
        Row{200, 46, 4.5, 6104, 6002, 1905, 2330, 1, 1}}) {
    double const root = std::sqrt(static_cast<double>(r.d));
    auto const rounds = static_cast<double>(r.rounds);
    INFO(r.rounds << " rounds, d " << r.d << ", epsilon " << r.epsilon);
    CHECK(std::abs(root * r.epsilon * rounds - r.sum) <= 1.0);
    CHECK(std::abs(RenyiCurve::laplace(root * r.epsilon).times(r.rounds).epsilon(1e-5).value - r.pure) <=
          0.5 * r.pure_unit);
    auto const coordinates = RenyiCurve::of("coordinate-wise Laplace", Adjacency::replace_one, [&](double a) {
                               return laplace_renyi_l2(a, r.epsilon, r.d);
                             }).times(r.rounds);
    CHECK(std::abs(coordinates.epsilon(1e-5).value - r.coordinates) <= 0.5 * r.coordinate_unit);
    CHECK(std::abs(zcdp_epsilon(rounds * r.epsilon * r.epsilon / 2, 1e-5) - r.zcdp) <= (r.zcdp > 2000 ? 0.5 : 0.05));
  }
  // With an L1 clip at half the sensitivity. The optimum over all orders is 635.574, 3745.687, 18.576 and 1.303: the
  // values given were computed at fewer orders, so that ours may be below them by one unit of the last digit.
  struct Clipped {
    double epsilon, value, unit;
  };
  for (Clipped const& c :
       {Clipped{1.2, 635.6, 0.1}, Clipped{4.5, 3745.8, 0.1}, Clipped{0.1, 18.58, 0.01}, Clipped{0.01, 1.304, 0.001}}) {
    INFO("L1 clip, epsilon " << c.epsilon);
    double const ours = RenyiCurve::laplace(c.epsilon).times(1000).epsilon(1e-5).value;
    CHECK(ours <= c.value + 0.5 * c.unit);
    CHECK(ours >= c.value - 1.2 * c.unit);
  }
}

TEST_CASE("Noise for a total epsilon over 200 rounds, by zCDP, Renyi divergence and exactly") {
  struct Row {
    double epsilon, zcdp, renyi, exact;
  };
  for (Row const& r : {Row{0.5, 137.18, 108.43, 99.45}, Row{1, 69.304, 57.21, 52.76}, Row{2, 35.35, 30.39, 28.20},
                       Row{4.5, 16.43, 14.77, 13.81}}) {
    INFO("epsilon " << r.epsilon);
    CHECK(std::sqrt(100.0 / zcdp_rho(r.epsilon, 1e-5)) == Approx(r.zcdp).margin(r.epsilon == 1 ? 6e-4 : 6e-3));
    CHECK(exact_gaussian_sigma(r.epsilon, 1e-5) * std::sqrt(200.0) == Approx(r.exact).margin(6e-3));
    // The smallest sigma whose Renyi bound is at most epsilon, by bisection.
    double low = 1.0;
    double high = 1000.0;
    while (high - low > 1e-6) {
      double const middle = 0.5 * (low + high);
      (RenyiCurve::gaussian(1.0, middle).times(200).epsilon(1e-5).value > r.epsilon ? low : high) = middle;
    }
    CHECK(high == Approx(r.renyi).margin(6e-3));
  }
}

TEST_CASE("Randomised response: the divergence by its definition, and epsilon of FOLtR-ES") {
  CHECK(response_epsilon(0.25, 11) == Approx(1.204).margin(5e-4));
  CHECK(response_epsilon(0.5, 11) == Approx(2.303).margin(5e-4));
  CHECK(response_epsilon(0.9, 11) == Approx(4.500).margin(5e-4));
  for (double const keep : {0.1, 0.25, 0.5, 0.9})
    for (std::size_t const n : {std::size_t{11}, std::size_t{30}})
      for (double const order : {1.01, 1.5, 2.0, 32.0}) {
        double const q = (1.0 - keep) / static_cast<double>(n - 1);
        double const sum = std::pow(keep, order) * std::pow(q, 1 - order) +
                           std::pow(q, order) * std::pow(keep, 1 - order) + static_cast<double>(n - 2) * q;
        CHECK(response_renyi(order, keep, n) == Approx(std::log(sum) / (order - 1.0)).epsilon(1e-8).margin(1e-12));
        CHECK(response_renyi(order, keep, n) <= pure_renyi(order, response_epsilon(keep, n)) * (1 + 1e-9) + 1e-14);
      }
  CHECK(response_renyi(2.0, 0.5, 2) == Approx(0.0).margin(1e-13));
}

TEST_CASE("epsilon(delta) and delta(epsilon) invert each other") {
  for (double const delta : {1e-3, 1e-5, 1e-9}) {
    for (auto const& curve : {RenyiCurve::gaussian(1.0, 2.0).times(10), RenyiCurve::laplace(0.5).times(30),
                              sampled(0.04, 1.5, 100, orders_from(11, 109, 10)), RenyiCurve::response(0.25, 11)}) {
      auto const epsilon = curve.epsilon(delta);
      CHECK(curve.delta(epsilon.value).value == to(delta, 1e-9));
      CHECK(curve.epsilon(curve.delta(1.0).value).value == to(1.0, 1e-9));
    }
    CHECK(exact_gaussian_delta(exact_gaussian_epsilon(delta, 1.5), 1.5) == to(delta, 1e-9));
    CHECK(zcdp_delta(0.3, zcdp_epsilon(0.3, delta)) == to(delta, 1e-9));
    CHECK(zcdp_epsilon(zcdp_rho(1.7, delta), delta) == to(1.7, 1e-12));
  }
  double const distance = exact_gaussian_delta(0.0, 2.0);  // the total variation distance
  CHECK(RenyiCurve::gaussian(1.0, 2.0).delta(0.0).value >= distance);
  CHECK(RenyiCurve::gaussian(1.0, 2.0).delta(0.0).value < 0.6);
  CHECK(RenyiCurve::gaussian(1.0, 2.0).times(0).epsilon(1e-5).value == 0.0);
  CHECK(RenyiCurve::gaussian(1.0, 2.0).times(0).delta(0.0).value == 0.0);
}

TEST_CASE("No bound is below the exact value") {
  // Gaussian noise: the exact epsilon. Randomised response with two answers and pure epsilon: delta(e) is
  // max(0, p - e^e q). Laplace noise: delta(e) = 1 - e^((e - s) / 2) for one round.
  for (double const delta : {1e-3, 1e-5, 1e-8})
    for (double const sigma : {0.3, 0.7, 1.0, 4.0, 30.0})
      for (std::uint64_t const rounds : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{3000}}) {
        double const exact = exact_gaussian_epsilon(delta, sigma / std::sqrt(static_cast<double>(rounds)));
        double const rho = gaussian_zcdp(1.0, sigma) * static_cast<double>(rounds);
        auto const renyi = RenyiCurve::gaussian(1.0, sigma).times(rounds).epsilon(delta).value;
        CHECK(renyi >= exact);
        CHECK(renyi <= zcdp_epsilon(rho, delta) * 1.01 + 1e-9);
        CHECK(zcdp_epsilon(rho, delta) >= exact);
      }
  for (double const delta : {1e-2, 1e-5})
    for (double const s : {0.1, 1.0, 3.0}) {
      CHECK(RenyiCurve::laplace(s).epsilon(delta).value >= s + 2.0 * std::log1p(-delta));
      double const p = std::exp(s) / (1.0 + std::exp(s));
      CHECK(RenyiCurve::pure(s).epsilon(delta).value >= std::log((p - delta) / (1.0 - p)));
      CHECK(RenyiCurve::response(p, 2).epsilon(delta).value >= std::log((p - delta) / (1.0 - p)));
    }
}

TEST_CASE("Bounds rise with the number of rounds and fall with delta and with the noise; rows add") {
  double before = 0.0;
  for (std::uint64_t const rounds : {1U, 2U, 5U, 100U, 10'000U}) {
    auto const curve = RenyiCurve::laplace(0.2).times(rounds);
    CHECK(curve.epsilon(1e-5).value > before);
    before = curve.epsilon(1e-5).value;
    CHECK(curve.epsilon(1e-6).value > curve.epsilon(1e-5).value);
  }
  for (double const rate : {0.001, 0.01, 0.2})
    for (double const order : {1.5, 2.0, 7.3, 32.0}) {
      CHECK(sampled_gaussian_renyi(order, rate, 1.0) >= sampled_gaussian_renyi(order, rate, 1.1));
      CHECK(sampled_gaussian_renyi(order, rate, 1.0) <= sampled_gaussian_renyi(order, rate * 1.1, 1.0));
      CHECK(sampled_gaussian_renyi(order, rate, 1.0) <= sampled_gaussian_renyi(order * 1.1, rate, 1.0));
    }
  auto sum = RenyiCurve::gaussian(1.0, 2.0).times(3);
  sum += RenyiCurve::laplace(0.5).times(2);
  CHECK(sum.mechanism == "Gaussian + Laplace");
  for (std::size_t i = 0; i < renyi_orders.size(); ++i)
    CHECK(sum.divergences[i] == to(3 * renyi_orders[i] / 8 + 2 * laplace_renyi(renyi_orders[i], 0.5), 1e-14));
  CHECK_THROWS_WITH(sum += RenyiCurve::sampled_gaussian(0.1, 1.0, Adjacency::add_or_remove_one),
                    "RenyiCurve: required rows of the same adjacency, got add-or-remove-one");
}

TEST_CASE("Sampled Gaussian: both directions of adding a client, and replacing one, by numerical integration") {
  for (double const sigma : {1.0, 2.5})
    for (double const rate : {0.02, 0.3})
      for (double const order : {1.5, 2.0, 4.0, 6.5}) {
        auto const none = [&](double x) { return normal(x, 0.0, sigma); };
        auto const with = [&](double shift) {
          return [=](double x) { return (1 - rate) * normal(x, 0.0, sigma) + rate * normal(x, shift, sigma); };
        };
        double const wide = 12.0 * sigma + 8.0;
        double const bound = sampled_gaussian_renyi(order, rate, sigma);
        INFO("sigma " << sigma << ", rate " << rate << ", order " << order);
        CHECK(bound == Approx(integrated(order, with(1.0), none, -wide, wide)).epsilon(1e-6));
        CHECK(bound >= integrated(order, none, with(1.0), -wide, wide) - 1e-12);
        // Replace-one: the client moves from one side to the other, or to another direction.
        for (double const other : {-1.0, 0.0, 0.5})
          CHECK(replaced_sampled_gaussian_renyi(order, rate, sigma) >=
                integrated(order, with(1.0), with(other), -wide, wide) - 1e-12);
      }
  CHECK(replaced_sampled_gaussian_renyi(8.0, 1.0, 2.0) == to(8.0 * 4.0 / (2 * 4.0), 1e-12));  // 2S, all clients
  CHECK(replaced_sampled_gaussian_renyi(8.0, 0.01, 2.0) < replaced_sampled_gaussian_renyi(8.0, 1.0, 2.0));
  // Little noise: e^ε(2) overflows. A client whose update is 0 is like no client, so replacing costs at least as much as
  // adding.
  for (double const order : {2.0, 2.5, 3.0})
    for (double const sigma : {0.01, 0.03})
      CHECK(replaced_sampled_gaussian_renyi(order, 0.1, sigma) >= sampled_gaussian_renyi(order, 0.1, sigma));
}

TEST_CASE("The accountant refuses what has no meaning") {
  CHECK_THROWS(exact_gaussian_epsilon(0.0, 1.0));
  CHECK_THROWS(exact_gaussian_sigma(-1.0, 1e-5));
  CHECK_THROWS(zcdp_epsilon(-1.0, 1e-5));
  CHECK_THROWS(zcdp_epsilon(1.0, 1.0));
  CHECK_THROWS(sampled_gaussian_renyi(1.0, 0.1, 1.0));
  CHECK_THROWS(sampled_gaussian_renyi(2.0, 1.1, 1.0));
  CHECK_THROWS(response_renyi(2.0, 1.0, 5));
  CHECK_THROWS(renyi_epsilon(orders_from(2, 3, 1), std::vector<double>{1.0}, 1e-5));
}
