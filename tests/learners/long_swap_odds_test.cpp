#include <fltr/learners/detail/long_swap_odds.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/exponential.hpp>
#include <fltr/core/random.hpp>
#include <fltr/learners/detail/pair_gradient.hpp>
#include <fltr/learners/pdgd.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Stream;
using fltr::detail::LongSwapOdds;

struct Masses {
  std::string name;
  std::vector<double> shown;
  double rest;
};

/// Lists for which the sums Z_i and the differences of two masses have every relation: far apart, alike, or nearly equal.
std::vector<Masses> lists(std::size_t n) {
  Stream stream(61);
  std::vector<Masses> out;
  for (double const spread : {0.0, 1e-6, 1.0, 5.0, 20.0, 700.0}) {
    std::vector<double> masses(n);
    for (double& m : masses) m = fltr::math::exp(-spread * stream.uniform());
    out.push_back({"random, spread " + std::to_string(spread), masses, 0.0});
    std::ranges::sort(masses, std::greater<>{});
    out.push_back({"falling, spread " + std::to_string(spread), masses, 0.0});
    std::ranges::reverse(masses);
    out.push_back({"rising, spread " + std::to_string(spread), masses, 3.0});
  }
  std::vector<double> one(n, 1e-3);
  one[n / 2] = 1.0;
  out.push_back({"one heavy document", one, 0.0});
  out.push_back({"many documents behind", std::vector<double>(n, 0.5), 1e6});
  return out;
}

/// ρ by the product over all ranks between the two, in long double.
double plain_rho(Masses const& list, std::vector<long double> const& behind, std::size_t low, std::size_t high) {
  long double const a = list.shown[low];
  long double const b = list.shown[high];
  long double odds = 1.0L;
  long double without_high = behind[high];
  for (std::size_t i = high; i > low; --i) {
    odds *= (without_high + a) / (without_high + b);
    without_high += list.shown[i - 1];
  }
  return static_cast<double>(1.0L / (1.0L + odds));
}

}  // namespace

TEST_CASE("Odds of long lists agree with the product over all ranks, and no pair takes more than 326 factors") {
  constexpr std::size_t n = 1000;
  Stream stream(62);
  for (auto const& list : lists(n)) {
    INFO(list.name);
    std::vector<double> buffer;
    LongSwapOdds const odds(n, [&](std::size_t i) { return list.shown[i]; }, list.rest, buffer, n);
    std::vector<long double> behind(n, list.rest);
    for (std::size_t i = n - 1; i > 0; --i) behind[i - 1] = behind[i] + static_cast<long double>(list.shown[i]);
    std::size_t most = 0;
    for (std::size_t low = 0; low < n; ++low)  // 310 factors of a product that ends, or 16 behind the series
      for (std::size_t high = low + 1; high < n; high += 7) most = std::max(most, odds(low, high).factors);
    CHECK(most <= 326);
    bool agree = true;
    for (int draw = 0; draw < 2000; ++draw) {
      auto low = std::size_t{stream.below(n)};
      auto high = std::size_t{stream.below(n - 1)};
      high += high >= low ? 1U : 0U;
      if (low > high) std::swap(low, high);
      double const expected = plain_rho(list, behind, low, high);
      double const rho = 1.0 / (1.0 + odds(low, high).value);
      // 1000 ranks with an error of 4e-12 each.
      agree = agree && std::abs(rho - expected) <= 1e-8 * expected + 1e-30;
    }
    CHECK(agree);
  }
}

TEST_CASE("The gradient of a long list is that of the pairs of a short one") {
  constexpr std::size_t n = 300;
  Stream stream(63);
  for (auto const& list : lists(n)) {
    INFO(list.name);
    std::vector<std::uint8_t> clicks(n - 20);
    for (auto& c : clicks) c = static_cast<std::uint8_t>(stream.below(2));
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i * 7U % n);
    auto const mass = [&](std::size_t i) { return list.shown[i]; };
    std::vector<double> buffer;
    std::vector<float> by_pairs(n);
    add_pair_gradient(fltr::detail::SwapOdds(n, mass, list.rest, buffer, clicks.size()), clicks, order, by_pairs);
    std::vector<float> gradient(n);
    add_long_pair_gradient(LongSwapOdds(n, mass, list.rest, buffer, clicks.size()), clicks, order, gradient);
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(static_cast<double>(gradient[i]) - static_cast<double>(by_pairs[i])));
    CHECK(largest <= 1e-4);  // 300 weights of at most 1/4, which the other function adds in float
  }
}

TEST_CASE("Pdgd learns from a list of 3,000 documents, also if all of them were seen") {
  // The displayed list is longer than LongSwapOdds::above, so that this takes 4.5 million pairs and not as many products.
  constexpr std::size_t n = 3000;
  Stream stream(64);
  fltr::LearnerWorkspace work;
  for (std::size_t i = 0; i < n; ++i) work.scores.push_back(static_cast<float>(stream.normal()));
  fltr::PlackettLuce list(work);
  list.prepare();
  list.sample(n, stream);
  std::vector<std::uint8_t> clicks(n);
  for (auto& c : clicks) c = static_cast<std::uint8_t>(stream.below(2));
  fltr::Pdgd{.shown = n}.score_gradient(work, list.unplaced(), clicks);
  double sum = 0.0;
  double size = 0.0;
  for (float const g : work.score_gradient) {
    sum += static_cast<double>(g);
    size += std::abs(static_cast<double>(g));
  }
  CHECK(size > 1.0);
  CHECK(std::abs(sum) < 1e-4 * size);  // each pair adds and subtracts the same weight
}
