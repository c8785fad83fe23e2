#include <fltr/boosting/detail/fixed_gradients.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>

#include "support/catch.hpp"

namespace {

using fltr::detail::FixedGradients;
using fltr::detail::GradientSum;

struct Values {
  std::vector<float> gradients, hessians;
  float largest_gradient = 0, largest_hessian = 0;
};
Values random_values(std::size_t n, double scale) {
  fltr::Stream stream(n);
  Values v;
  for (std::size_t i = 0; i < n; ++i) {
    v.gradients.push_back(static_cast<float>(scale * stream.normal()));
    v.hessians.push_back(static_cast<float>(scale * stream.uniform()));
    v.largest_gradient = std::max(v.largest_gradient, std::abs(v.gradients[i]));
    v.largest_hessian = std::max(v.largest_hessian, v.hessians[i]);
  }
  return v;
}

}  // namespace

TEST_CASE("FixedGradients: sums are accurate to the unit, counts are exact") {
  for (std::size_t n : {1U, 2U, 1000U, 200'000U})
    for (double scale : {1e-30, 1.0, 1e30}) {
      auto const v = random_values(n, scale);
      FixedGradients fixed(n);
      fixed.assign(fltr::Serial{}, v.gradients, v.hessians, v.largest_gradient, v.largest_hessian);
      GradientSum sum;
      double gradient = 0, hessian = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += fixed[i];
        gradient += static_cast<double>(v.gradients[i]);
        hessian += static_cast<double>(v.hessians[i]);
      }
      // Each is off by at most half a unit: 2^−30 of the largest gradient, 2^−26 of the largest hessian (200,000
      // documents leave 27 bits). The doubles' own rounding is far below.
      auto const documents = static_cast<double>(n);
      CAPTURE(n, scale);
      CHECK(std::abs(fixed.gradient(sum) - gradient) <= documents * static_cast<double>(v.largest_gradient) * 0x1p-29);
      CHECK(std::abs(fixed.hessian(sum) - hessian) <= documents * static_cast<double>(v.largest_hessian) * 0x1p-26);
      CHECK(fixed.count(sum) == n);
    }
}

TEST_CASE("FixedGradients: the sum of largest values does not overflow") {
  std::size_t const n = (1U << 20U) - 1;
  std::vector<float> const gradients(n, -3.0F), hessians(n, 0.7F);
  FixedGradients fixed(n);
  fixed.assign(fltr::Serial{}, gradients, hessians, 3.0F, 0.7F);
  GradientSum sum;
  for (std::size_t i = 0; i < n; ++i) sum += fixed[i];
  CHECK(fixed.count(sum) == n);
  CHECK(fixed.gradient(sum) == -3.0 * static_cast<double>(n));
  CHECK(fixed.hessian(sum) == Approx(0.7 * static_cast<double>(n)).epsilon(1e-5));
  CHECK(sum.weight > 0);
}

TEST_CASE("FixedGradients: a difference of sums is exactly the sum of the remaining documents") {
  auto const v = random_values(100, 1.0);
  FixedGradients fixed(100);
  fixed.assign(fltr::Threads{2}, v.gradients, v.hessians, v.largest_gradient, v.largest_hessian);
  GradientSum all, first;
  for (std::size_t i = 0; i < 100; ++i) all += fixed[i];
  for (std::size_t i = 0; i < 60; ++i) first += fixed[i];
  GradientSum second;
  for (std::size_t i = 100; i > 60; --i) second += fixed[i - 1];
  CHECK(all - first == second);
  CHECK(all - first - second == GradientSum{});
}

TEST_CASE("FixedGradients: hessian_units of a number are rounded up") {
  FixedGradients fixed(2);
  fixed.assign(fltr::Serial{}, std::vector<float>{1, 1}, std::vector<float>{0.5F, 0.25F}, 1.0F, 0.5F);
  CHECK(fixed.hessian_units(0.5) == fixed.hessian_units(fixed[0]));
  CHECK(fixed.hessian_units(0.25) == fixed.hessian_units(fixed[1]));
  CHECK(fixed.hessian_units(std::nextafter(0.25, 1.0)) == fixed.hessian_units(fixed[1]) + 1);
  CHECK(fixed.hessian_units(1e300) > 4 * fixed.hessian_units(fixed[0]));
}

TEST_CASE("FixedGradients: zeros are allowed; NaN and too many documents are errors") {
  FixedGradients fixed(1);
  fixed.assign(fltr::Serial{}, std::vector<float>{0}, std::vector<float>{0}, 0.0F, 0.0F);
  CHECK(fixed.gradient(fixed[0]) == 0.0);
  CHECK(fixed.hessian(fixed[0]) == 0.0);
  CHECK(fixed.count(fixed[0]) == 1);
  float const nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(fixed.assign(fltr::Serial{}, std::vector<float>{0}, std::vector<float>{0}, nan, 0.0F),
                  std::invalid_argument);
  CHECK_THROWS_AS(FixedGradients(FixedGradients::most_documents), std::invalid_argument);
}
