#include <fltr/learners/detail/pair_gradient.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/exponential.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

/// The gradient of PDGD by a plain loop over all pairs, in long double, whose range the products do not leave.
std::vector<double> plain_gradient(std::vector<double> const& shown, double rest,
                                   std::vector<std::uint8_t> const& clicks) {
  std::vector<double> gradient(shown.size(), 0.0);
  for (std::size_t low = 0; low < clicks.size(); ++low)
    for (std::size_t high = low + 1; high < clicks.size(); ++high) {
      if ((clicks[low] != 0) == (clicks[high] != 0)) continue;
      long double const a = shown[low];
      long double const b = shown[high];
      long double odds = 1.0L;
      for (std::size_t i = low + 1; i <= high; ++i) {
        long double without_high = rest;  // Z_i - b from its parts
        for (std::size_t j = i; j < shown.size(); ++j)
          if (j != high) without_high += shown[j];
        odds *= (without_high + a) / (without_high + b);
      }
      auto const weight = static_cast<double>(a * b / ((a + b) * (a + b)) / (1.0L + odds));
      gradient[low] += clicks[low] != 0 ? weight : -weight;
      gradient[high] += clicks[high] != 0 ? weight : -weight;
    }
  return gradient;
}

void check(std::vector<double> const& shown, double rest, std::vector<std::uint8_t> const& clicks) {
  std::vector<double> buffer;
  fltr::detail::SwapOdds const odds(shown.size(), [&](std::size_t i) { return shown[i]; }, rest, buffer, clicks.size());
  std::vector<std::uint32_t> order(shown.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(order.size()) - 1 - i;
  std::vector<float> gradient(shown.size(), 0.0F);
  fltr::detail::add_pair_gradient(odds, clicks, order, gradient);
  auto const expected = plain_gradient(shown, rest, clicks);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    INFO(shown.size() << " ranks, " << clicks.size() << " with clicks, rank " << i);
    // Up to 20 weights of at most 1/4 are added in float.
    CHECK(static_cast<double>(gradient[order[i]]) == Approx(expected[i]).epsilon(1e-5).margin(1e-6));
  }
}

}  // namespace

TEST_CASE("The gradient of the pairs is that of a plain loop over all pairs") {
  fltr::Stream stream(41);
  for (std::size_t const n : {1U, 2U, 7U, 8U, 9U, 10U, 17U, 20U})
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<double> shown(n);
      for (double& m : shown) m = fltr::math::exp(-3.0 * stream.uniform());
      double const rest = repeat % 2 == 0 ? 0.0 : 5.0 * stream.uniform();
      std::vector<std::uint8_t> clicks(repeat % 3 == 0 ? (n + 1) / 2 : n);
      for (auto& c : clicks) c = static_cast<std::uint8_t>(stream.below(2));
      check(shown, rest, clicks);
    }
}

TEST_CASE("The gradient of the pairs is right for masses from exp(-700) to 1") {
  double const tiny = fltr::simd::exponential(-700.0);
  std::vector<std::uint8_t> const clicks{0, 1, 0, 0, 1, 0, 1, 0, 0, 1};
  for (double const rest : {0.0, tiny, 1.0}) {
    check(std::vector<double>(10, tiny), rest, clicks);
    check({1.0, tiny, tiny, tiny, tiny, tiny, tiny, tiny, tiny, tiny}, rest, clicks);
    check({tiny, tiny, tiny, 1.0, tiny, tiny, 1.0, tiny, tiny, tiny}, rest, clicks);
    check({tiny, 1e-200, 1e-100, 1.0, tiny, 1e-150, 1e-10, tiny, 1e-300, tiny}, rest, clicks);
  }
}
