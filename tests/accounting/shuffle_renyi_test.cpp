#include <fltr/accounting/shuffle_renyi.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <fltr/accounting/renyi_conversion.hpp>
#include <fltr/accounting/response_renyi.hpp>
#include <fltr/concepts/privacy_loss.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

using Law = std::vector<double>;                    // of one client's message
using SetLaw = std::map<std::vector<int>, double>;  // of the counts of all messages

/// The distribution of the counts of all messages, one law per client.
SetLaw set_law(std::vector<Law> const& clients) {
  SetLaw out{{std::vector<int>(clients.front().size()), 1.0}};
  for (Law const& law : clients) {
    SetLaw next;
    for (auto const& [counts, p] : out)
      for (std::size_t v = 0; v < law.size(); ++v) {
        auto more = counts;
        ++more[v];
        next[more] += p * law[v];
      }
    out = std::move(next);
  }
  return out;
}
double divergence(SetLaw const& p, SetLaw const& q, double order) {
  double sum = 0.0;
  for (auto const& [counts, mass] : p) sum += mass * std::pow(mass / q.at(counts), order - 1.0);
  return std::log(sum) / (order - 1.0);
}
/// Randomised response of `count` measurements with n levels each.
Law response(double keep, std::size_t levels, std::vector<std::size_t> const& truths) {
  Law out{1.0};
  for (std::size_t const truth : truths) {
    Law next;
    for (double const p : out)
      for (std::size_t v = 0; v < levels; ++v)
        next.push_back(p * (v == truth ? keep : (1.0 - keep) / static_cast<double>(levels - 1)));
    out = std::move(next);
  }
  return out;
}

/// ε(δ) of a curve at renyi_orders.
double epsilon_of(std::vector<double> const& curve, double delta) {
  return renyi_epsilon(renyi_orders, curve, delta).value;
}

/// The closed form of theorem 3.1 of Feldman, McMillan and Talwar (2021).
double closed_form(double local, double n, double delta) {
  double const e = std::exp(local);
  return std::log1p((e - 1.0) / (e + 1.0) * (8.0 * std::sqrt(e * std::log(4.0 / delta)) / std::sqrt(n) + 8.0 * e / n));
}

/// δ of the pair of theorem 3.2 for this ε, by its definition: sums over all C, A and both values of Δ.
double pair_delta(double local, int n, double epsilon) {
  double const p = std::exp(-local);
  double const q = std::exp(local) / (std::exp(local) + 1.0);
  double delta = 0.0;
  auto const log_choose = [](int a, int b) {
    return std::lgamma(a + 1.0) - std::lgamma(b + 1.0) - std::lgamma(a - b + 1.0);
  };
  for (int c = 0; c < n; ++c) {
    double const clones = std::exp(log_choose(n - 1, c) + c * std::log(p) + (n - 1 - c) * std::log1p(-p));
    for (int x = 0; x <= c + 1; ++x) {
      auto const half = [&](int a) { return a < 0 || a > c ? 0.0 : std::exp(log_choose(c, a) - c * std::log(2.0)); };
      double const one = q * half(x - 1) + (1.0 - q) * half(x);
      double const other = (1.0 - q) * half(x - 1) + q * half(x);
      delta += clones * std::max(0.0, one - std::exp(epsilon) * other);
    }
  }
  return delta;
}

}  // namespace

TEST_CASE("The bound for shuffled messages holds for all sets of messages of small federations, counted exactly") {
  struct Case {
    double keep;
    std::size_t levels;
    std::size_t measurements;
    std::size_t clients;
  };
  for (Case const& c :
       {Case{0.6, 2, 1, 2}, Case{0.6, 2, 1, 30}, Case{0.75, 2, 1, 30}, Case{0.9, 2, 1, 12}, Case{0.4, 3, 1, 10},
        Case{0.6, 3, 1, 10}, Case{0.55, 2, 2, 7}, Case{0.7, 2, 2, 7}, Case{0.4, 3, 2, 4}}) {
    double const local = static_cast<double>(c.measurements) * response_epsilon(c.keep, c.levels);
    auto const bound = shuffled_renyi_curve(local, c.clients);
    std::vector<std::size_t> const zero(c.measurements, 0);
    std::vector<std::size_t> const one(c.measurements, 1);
    std::vector<std::size_t> const last(c.measurements, c.levels - 1);
    for (auto const& others : {zero, one, last}) {
      std::vector<Law> clients(c.clients, response(c.keep, c.levels, others));
      clients[0] = response(c.keep, c.levels, zero);
      auto const p = set_law(clients);
      clients[0] = response(c.keep, c.levels, one);
      auto const q = set_law(clients);
      for (std::size_t i = 0; i < renyi_orders.size(); i += 7) {
        double const order = renyi_orders[i];
        if (order > 100.0) break;
        INFO("keep " << c.keep << ", levels " << c.levels << ", measurements " << c.measurements << ", order "
                     << order);
        CHECK(divergence(p, q, order) <= bound[i] * (1.0 + 1e-9));
        CHECK(divergence(q, p, order) <= bound[i] * (1.0 + 1e-9));
      }
    }
  }
}

TEST_CASE("One client gains nothing, and the curve is never above that of the local mechanism") {
  for (double const local : {0.1, 1.0, 3.0, 12.0}) {
    auto const alone = shuffled_renyi_curve(local, 1);
    auto const many = shuffled_renyi_curve(local, 5000);
    for (std::size_t i = 0; i < renyi_orders.size(); ++i) {
      // Two answers are the worst local mechanism.
      double const p = std::exp(local) / (std::exp(local) + 1.0);
      CHECK(alone[i] == Approx(response_renyi(renyi_orders[i], p, 2)).epsilon(1e-6));
      CHECK(many[i] <= alone[i] * (1.0 + 1e-9));
      CHECK(pure_renyi(renyi_orders[i], local) >= many[i] * (1.0 - 1e-6));
    }
  }
}

TEST_CASE("The curve is that of the pair of binomial distributions, within one part in a hundred") {
  for (auto const& [local, n] : {std::pair{0.5, 40}, {1.0, 100}, {2.0, 120}, {1.63, 1000}, {3.0, 600}}) {
    auto const curve = shuffled_renyi_curve(local, static_cast<std::uint64_t>(n));
    // E over C, A and Δ of (P/Q)^α under Q, by its definition.
    double const p = std::exp(-local);
    double const q = std::exp(local) / (std::exp(local) + 1.0);
    auto const log_choose = [](int a, int b) {
      return std::lgamma(a + 1.0) - std::lgamma(b + 1.0) - std::lgamma(a - b + 1.0);
    };
    auto const exact = [&, n = n](double order) {
      double sum = 0.0;
      for (int c = 0; c < n; ++c) {
        double const clones = std::exp(log_choose(n - 1, c) + c * std::log(p) + (n - 1 - c) * std::log1p(-p));
        for (int x = 0; x <= c + 1; ++x) {
          auto const half = [&](int a) {
            return a < 0 || a > c ? 0.0 : std::exp(log_choose(c, a) - c * std::log(2.0));
          };
          double const one = q * half(x - 1) + (1.0 - q) * half(x);
          double const other = (1.0 - q) * half(x - 1) + q * half(x);
          sum += clones * other * std::pow(one / other, order);
        }
      }
      return std::log(sum) / (order - 1.0);
    };
    for (std::size_t i = 150; i < renyi_orders.size(); i += 20) {
      double const order = renyi_orders[i];
      if (order > 60.0) break;
      INFO("local epsilon " << local << ", clients " << n << ", order " << order);
      CHECK(curve[i] >= exact(order) * (1.0 - 1e-9));
      CHECK(curve[i] <= exact(order) * 1.01);  // these n have at most 7 binary digits before zeros
    }
  }
}

TEST_CASE("Epsilon of a round lies between the exact one of the pair and the closed form, where its condition holds") {
  double const delta = 1e-5;
  for (auto const& [local, n] : {std::pair{0.2, 1000}, {1.0, 1000}, {1.63, 1000}, {0.1, 400}, {2.0, 2000}}) {
    REQUIRE(local <= std::log(n / (16.0 * std::log(2.0 / delta))) + 0.01);
    double const ours = epsilon_of(shuffled_renyi_curve(local, static_cast<std::uint64_t>(n)), delta);
    INFO("local epsilon " << local << ", clients " << n << ", epsilon " << ours);
    CHECK(pair_delta(local, n, ours) <= delta);
    CHECK(ours < closed_form(local, n, delta));
    CHECK(ours < local);
  }
  // 200 rounds: split deltas and a sum of the closed form, against the curve.
  auto curve = shuffled_renyi_curve(1.0, 1000);
  for (double& d : curve) d *= 200.0;
  CHECK(epsilon_of(curve, delta) < 200.0 * closed_form(1.0, 1000, delta / 200.0) / 10.0);
}

TEST_CASE("More clients cost less, and a large federation is computed too") {
  double before = 1.01;
  for (std::uint64_t const n : {2U, 10U, 127U, 128U, 1000U, 10'000U, 100'000U, 1'000'000U}) {
    double const now = epsilon_of(shuffled_renyi_curve(1.0, n), 1e-5);
    CHECK(now <= before);
    before = now;
  }
  CHECK(before < closed_form(1.0, 1e6, 1e-5));
}
