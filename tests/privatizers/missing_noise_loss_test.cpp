#include <fltr/privatizers/detail/missing_noise_loss.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::detail::missing_noise_loss;

/// The density at x of the difference of two Gamma(share) variables, by numerical integration of the convolution
/// ∫ γ(u) γ(u + x) du over u > 0, with γ(u) = u^(share−1) e^−u / Γ(share).
double density(double share, double x) {
  static boost::math::quadrature::exp_sinh<double> integrator;
  double const integral = integrator.integrate(
      [&](double u) { return std::exp((share - 1.0) * (std::log(u) + std::log(u + x)) - 2.0 * u - x); });
  return integral / (std::tgamma(share) * std::tgamma(share));
}

}  // namespace

TEST_CASE("The loss of missing noise equals known values") {
  CHECK(missing_noise_loss(0.6, 0.5) == Approx(1.771).margin(5e-4));
  CHECK(missing_noise_loss(0.7, 0.5) == Approx(1.162).margin(5e-4));
  CHECK(missing_noise_loss(0.9, 0.5) == Approx(0.640).margin(5e-4));
  CHECK(missing_noise_loss(0.99, 0.5) == Approx(0.512).margin(5e-4));
}

TEST_CASE("The loss of missing noise is the largest log ratio of the densities, computed by numerical integration") {
  for (double const share : {0.55, 0.6, 0.75, 0.9, 0.99})
    for (double const shift : {0.01, 0.1, 0.5, 1.0, 4.5, 20.0}) {
      double const at_peak = std::log(density(share, 0.0) / density(share, shift));
      INFO("share " << share << ", shift " << shift);
      CHECK(missing_noise_loss(share, shift) == Approx(at_peak).epsilon(1e-6));
      // The ratio of the densities is not larger at any other point.
      for (double const x : {0.001, 0.05, 0.3, 1.0, 3.0}) {
        CHECK(std::log(density(share, x) / density(share, std::abs(x - shift))) <= at_peak + 1e-6);
        CHECK(std::log(density(share, x) / density(share, x + shift)) <= at_peak + 1e-6);
      }
    }
}

TEST_CASE("The loss of missing noise is continuous at a complete share") {
  // dg/dν at ν = 1 is below 100, so a share of 1 − 1e-9 changes the loss by at most 1e-7.
  for (double const shift : {1e-6, 0.01, 0.5, 4.5, 100.0, 1000.0}) {
    double const almost = missing_noise_loss(1.0 - 1e-9, shift);
    CHECK(almost == Approx(shift).margin(1e-7));
    CHECK(almost >= shift * (1.0 - 1e-9) - 1e-12);
  }
  CHECK(missing_noise_loss(0.75, 0.0) == 0.0);
}

TEST_CASE("The loss of missing noise is continuous where the asymptotic series begins, and an upper bound there") {
  // The first omitted term, (4μ²−1)(4μ²−9) / (2 (8x)²) with μ = ν − ½, is below 9 / (2 · 2400²) = 7.8e-7.
  for (double const share : {0.501, 0.6, 0.75, 0.9, 0.999}) {
    double const before = missing_noise_loss(share, std::nextafter(300.0, 0.0));
    double const after = missing_noise_loss(share, 300.0);
    CHECK(after >= before - 1e-10);
    CHECK(after - before < 8e-7);
    double const order = share - 0.5;
    for (double const shift : {300.0, 450.0, 650.0}) {  // K underflows beyond 700
      double const exact = std::log(std::tgamma(order)) + (order - 1.0) * std::log(2.0) - order * std::log(shift) -
                           std::log(boost::math::cyl_bessel_k(order, shift));
      CHECK(missing_noise_loss(share, shift) >= exact - 1e-10);
      CHECK(missing_noise_loss(share, shift) < exact + 8e-7);
    }
  }
}

TEST_CASE("The loss of missing noise grows with the shift and with the missing share") {
  std::vector<double> shifts;
  for (double s = 1e-4; s < 2000.0; s *= 1.3) shifts.push_back(s);
  std::vector<double> shares;
  for (double share = 0.51; share < 0.995; share += 0.02) shares.push_back(share);
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (std::size_t j = 0; j < shifts.size(); ++j) {
      double const loss = missing_noise_loss(shares[i], shifts[j]);
      CHECK(loss > shifts[j]);  // the loss of complete noise
      if (j > 0) CHECK(loss > missing_noise_loss(shares[i], shifts[j - 1]));
      if (i > 0) CHECK(loss < missing_noise_loss(shares[i - 1], shifts[j]));
    }
}

TEST_CASE("Equal shifts in all coordinates have the largest loss for a given L2 norm") {
  // g(√x) is concave in x, so that Σ g(s_i) under Σ s_i² = S² is largest at s_i = S/√d.
  for (double const share : {0.51, 0.6, 0.75, 0.9, 0.99}) {
    auto const of_square = [&](double x) { return missing_noise_loss(share, std::sqrt(x)); };
    for (double x = 1e-6; x < 1e5; x *= 2.0)
      for (double const ratio : {1.01, 1.5, 4.0, 100.0})
        CHECK(of_square(0.5 * (x + ratio * x)) >= 0.5 * (of_square(x) + of_square(ratio * x)) - 1e-9);
  }
  fltr::Stream stream(4);
  for (int i = 0; i < 2000; ++i) {
    std::size_t const d = 2 + stream.below(5);
    double const share = 0.5 + 0.5 * stream.uniform();
    std::vector<double> parts(d);
    double squares = 0.0;
    for (double& part : parts) {
      part = std::pow(stream.uniform(), 3.0);
      squares += part * part;
    }
    double const norm = 0.01 + 5.0 * stream.uniform();
    double split = 0.0;
    for (double const part : parts) split += missing_noise_loss(share, norm * part / std::sqrt(squares));
    auto const n = static_cast<double>(d);
    CHECK(n * missing_noise_loss(share, norm / std::sqrt(n)) >= split - 1e-9);
  }
}

TEST_CASE("The loss of missing noise requires a share above 1/2 and below 1") {
  for (double const share : {0.0, 0.5, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(missing_noise_loss(share, 1.0), std::invalid_argument);
}
