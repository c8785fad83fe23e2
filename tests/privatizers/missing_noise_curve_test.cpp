#include <fltr/privatizers/detail/missing_noise_curve.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>

#include <fltr/accounting/laplace_renyi.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using detail::missing_noise_curve;
using detail::MissingNoise;

/// Numerical integration over the noise of one coordinate, with Boost's Bessel functions: the sum of two gamma
/// differences of this share, at 0 and shifted.
struct Integrated {
  double share;

  [[nodiscard]] double log_density(double x) const {
    double const order = share - 0.5;
    double const constant = -std::lgamma(share) - order * std::log(2.0) - 0.5 * std::log(std::acos(-1.0));
    if (x < 1e-290) return constant + std::lgamma(order) + (order - 1.0) * std::log(2.0);
    return constant + order * std::log(x) + std::log(boost::math::cyl_bessel_k(order, x));
  }
  /// ∫ value(ln f(x), ln f(x − s)) dx.
  template <class Value>
  [[nodiscard]] double over_all(double shift, Value const& value) const {
    static boost::math::quadrature::exp_sinh<double> outside;
    static boost::math::quadrature::tanh_sinh<double> between;
    double const tails = outside.integrate([&](double y) {
      if (y > 600.0) return 0.0;
      double const near = log_density(y);
      double const far = log_density(y + shift);
      return value(near, far) + value(far, near);
    });
    // The density has a cusp at 0 and at s. Half of the way from each.
    double const middle = between.integrate(
        [&](double x) {
          double const near = log_density(x);
          double const far = log_density(shift - x);
          return value(near, far) + value(far, near);
        },
        0.0, shift / 2.0);
    return tails + middle;
  }
  [[nodiscard]] double mean(double shift) const {
    return over_all(shift, [](double a, double b) { return std::exp(a) * (a - b); });
  }
  [[nodiscard]] double renyi(double order, double shift) const {
    double const largest = log_density(0.0) - log_density(shift);
    double const t = order - 1.0;
    return largest +
           std::log(over_all(shift, [&](double a, double b) { return std::exp(a + t * (a - b - largest)); })) / t;
  }
};

std::size_t place_of(double order) {
  auto const at = std::ranges::find(renyi_orders, order);
  REQUIRE(at != renyi_orders.end());
  return static_cast<std::size_t>(at - renyi_orders.begin());
}

}  // namespace

TEST_CASE("The divergence of missing noise is an upper bound, less than a thousandth above numerical integration") {
  for (double const share : {0.51, 0.6, 0.75, 0.9, 0.999})
    for (double const shift : {0.001, 0.05, 0.66, 4.5, 30.0}) {
      double const exact = Integrated{share}.mean(shift);
      double const bound = MissingNoise(share).divergence(shift);
      INFO("share " << share << ", shift " << shift << ": " << exact << ", bound " << bound);
      CHECK(bound >= exact * (1.0 - 1e-9));
      CHECK(bound <= exact * 1.001);
    }
  // Nearly complete noise: s − 1 + e^(−s), the divergence of Laplace noise.
  CHECK(MissingNoise(1.0 - 1e-9).divergence(0.66) == Approx(0.66 - 1.0 + std::exp(-0.66)).epsilon(0.001));
  CHECK(MissingNoise(0.75).divergence(0.0) == 0.0);
  CHECK(MissingNoise(0.75).divergence(1e-12) > 0.0);
}

TEST_CASE("The curve of missing noise bounds the divergences of every split of the shift over the coordinates") {
  Stream stream(3);
  for (double const share : {0.55, 0.7, 0.9, 0.99})
    for (double const shift : {0.02, 0.3, 3.0})
      for (std::size_t const d : {std::size_t{1}, std::size_t{3}}) {
        auto const curve = missing_noise_curve(share, shift, d);
        for (double const order : {1.001, 1.03, 1.5, 5.0, 30.0, 2048.0}) {
          double const bound = curve[place_of(order)];
          for (int split = 0; split < (d == 1 ? 1 : 3); ++split) {
            // Equal parts, one coordinate alone, and parts at random.
            std::vector<double> parts(d, split == 1 ? 0.0 : 1.0);
            parts[0] = 1.0;
            if (split == 2)
              for (double& part : parts) part = stream.uniform();
            double squares = 0.0;
            for (double const part : parts) squares += part * part;
            double sum = 0.0;
            for (double const part : parts)
              if (part > 0.0) sum += Integrated{share}.renyi(order, shift * part / std::sqrt(squares));
            INFO("share " << share << ", shift " << shift << ", order " << order << ", split " << split);
            CHECK(bound >= sum * (1.0 - 1e-9));
          }
        }
      }
}

TEST_CASE("The equal split is not the worst one for missing noise and large orders") {
  // So the divergence of equal parts would be no bound.
  Integrated const noise{0.7};
  double const whole = noise.renyi(96.0, 0.002);
  double const halves = 2.0 * noise.renyi(96.0, 0.002 / std::sqrt(2.0));
  CHECK(whole > 1.005 * halves);
  CHECK(missing_noise_curve(0.7, 0.002, 2)[place_of(96.0)] >= whole);
  // One of 46 coordinates with the whole of a small shift: twice as much as the bound by m and g of equal parts.
  double const part = 1e-5 / std::sqrt(46.0);
  MissingNoise const missing(0.7);
  double const alone = noise.renyi(2048.0, 1e-5);
  CHECK(46.0 * detail::renyi_of_mean(2047.0, missing.loss(part), missing.divergence(part)) < 0.6 * alone);
  CHECK(missing_noise_curve(0.7, 1e-5, 46)[place_of(2048.0)] >= alone);
}

TEST_CASE("Totals of many rounds by the curve are close to those of numerical integration of equal parts") {
  // The curve costs up to 1 % at shares of .99 and more, and 3.5 % at .75, where a sum of pure losses is 3.9 times as large.
  BoundsAt const at(1e-5);
  double const part = 4.5 / std::sqrt(46.0);
  struct Row {
    double share, most;
  };
  for (auto const& row : {Row{0.999, 1.01}, Row{0.99, 1.01}, Row{0.75, 1.035}}) {
    auto const curve = missing_noise_curve(row.share, 4.5, 46);
    double bound = 1e300;
    double exact = 1e300;
    for (std::size_t i = 0; i < renyi_orders.size(); ++i) bound = std::min(bound, 1000 * curve[i] + at.offsets()[i]);
    for (double const order : {1.015, 1.02, 1.025, 1.03, 1.035, 1.04})
      exact = std::min(exact, 46'000 * Integrated{row.share}.renyi(order, part) + at.offsets()[place_of(order)]);
    INFO("share " << row.share << ": " << exact << ", bound " << bound);
    CHECK(bound >= exact);
    CHECK(bound <= exact * row.most);
  }
}

TEST_CASE("A curve that was computed before is the same after many others") {
  std::vector<std::vector<double>> first;
  auto const share_of = [](std::size_t i) { return 0.6 + static_cast<double>(i) / 1000.0; };
  for (std::size_t i = 0; i < 100; ++i) first.push_back(missing_noise_curve(share_of(i), 0.5, 4));
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(missing_noise_curve(share_of(i), 0.5, 4) == first[i]);
    CHECK(missing_noise_curve(share_of(i), 0.5, 5) != first[i]);
  }
  for (std::size_t i = 1; i < 100; ++i) CHECK(first[i] != first[i - 1]);
}

TEST_CASE("The curve of missing noise is finite, at most the pure loss, and grows with shift and missing share") {
  for (double const shift : {1e-9, 0.1, 4.5, 300.0})
    for (std::size_t const d : {std::size_t{1}, std::size_t{46}, std::size_t{10'000}}) {
      std::vector<double> last;
      auto const complete = laplace_renyi_l2_curve(shift, d);
      for (double const share : {1.0 - 1e-9, 0.99, 0.8, 0.6, 0.501}) {
        auto const curve = missing_noise_curve(share, shift, d);
        auto const more = missing_noise_curve(share, shift * 1.1, d);
        double const pure =
            static_cast<double>(d) * detail::missing_noise_loss(share, shift / std::sqrt(static_cast<double>(d)));
        bool sound = curve.size() == renyi_orders.size();
        for (std::size_t i = 0; i < curve.size(); ++i) {
          sound = sound && std::isfinite(curve[i]) && curve[i] >= complete[i] && curve[i] < more[i];
          sound = sound && curve[i] <= pure * (1.0 + 1e-9);
          if (i > 0) sound = sound && curve[i] >= curve[i - 1] * (1.0 - 1e-12);
          if (!last.empty()) sound = sound && curve[i] > last[i];
        }
        INFO("shift " << shift << ", dimension " << d << ", share " << share);
        CHECK(sound);
        last = curve;
      }
    }
}
