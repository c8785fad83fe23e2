#include <fltr/privatizers/detail/noise_grid.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using fltr::detail::NoiseGrid;

float const infinity = std::numeric_limits<float>::infinity();
float const not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Weights with different low bits, sizes and non-finite values.
std::vector<std::vector<float>> secrets() {
  return {{0.0F, 0.0F},      {0.3F, 1e-9F},        {-0.3F, 1e-30F},         {1.0F / 3.0F, 0.1F},
          {1e30F, -1e30F},   {infinity, 0.1F},     {not_a_number, 0.1F},    {std::nextafter(0.25F, 0.0F), 0.25F},
          {0x1p-149F, 0.0F}, {-0.49999997F, 0.0F}, {0.2499999F, 0.2500001F}};
}

/// Whether all sent values are multiples of the step, for all weights of `secrets`.
template <class P>
bool on_grid(P const& mechanism, double step) {
  for (auto const& secret : secrets())
    for (std::uint32_t trial = 0; trial < 2000; ++trial) {
      auto const m = mechanism.privatize(LocalWeights{secret, 4}, {3, 4, {.seed = 180, .round = trial}});
      if (m.interactions != 4 || m.values.size() != 2) return false;
      for (float const v : m.values)
        if (!std::isfinite(v) || std::fmod(static_cast<double>(v), step) != 0.0) return false;
    }
  return true;
}

}  // namespace

TEST_CASE("The step is a power of two, and the scale is 2^23 to 2^24 steps, rounded up") {
  for (double const scale : {1e-30, 1e-9, 0.1, 0.5, 1.0, 1.0 + 1e-15, 1.0 - 0x1p-53, 4.0 * (1.0 - 0x1p-25),
                             8.0 * (1.0 - 0x1p-24), 5.0 / 4.5, 10.0, 1e7, 1e30}) {
    NoiseGrid const grid(scale);
    int exponent = 0;
    CHECK(std::frexp(grid.step(), &exponent) == 0.5);
    CHECK(grid.scale() >= (1U << 23U));
    CHECK(grid.scale() < (1U << 24U));  // the range of discrete_gaussian
    CHECK(static_cast<double>(grid.scale()) * grid.step() >= scale);
    CHECK(static_cast<double>(grid.scale()) * grid.step() <= scale * (1.0 + 0x1p-22));
  }
  for (double const bad : {0.0, -1.0, 1e-31, 1e31, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(NoiseGrid(bad), std::invalid_argument);
}

TEST_CASE("Values are rounded toward zero, and all become zero if one is not finite") {
  NoiseGrid const grid(0x1p23);
  REQUIRE(grid.step() == 1.0);
  CHECK(grid.to_steps(std::vector{1.9F, -1.9F, 0.5F, -0.0F, 3.0F}) == std::vector<std::int64_t>{1, -1, 0, 0, 3});
  CHECK(grid.to_steps(std::vector{1.0F, not_a_number}) == std::vector<std::int64_t>{0, 0});
  CHECK(grid.to_steps(std::vector{-infinity, 2.0F}) == std::vector<std::int64_t>{0, 0});
  CHECK(grid.to_float(-3) == -3.0F);
}

TEST_CASE("The clips on the grid hold exactly") {
  Stream stream(181);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::int64_t> steps(1 + stream.below(50));
    for (auto& k : steps) k = static_cast<std::int64_t>(stream.below(1U << 30U)) - (1 << 29);
    std::uint64_t const bound = 1 + stream.below64(std::uint64_t{1} << 33U);
    auto l1 = steps;
    NoiseGrid::clip_l1(l1, bound);
    std::uint64_t sum = 0;
    for (auto const k : l1) sum += static_cast<std::uint64_t>(std::abs(k));
    REQUIRE(sum <= bound);
    auto l2 = steps;
    NoiseGrid::clip_l2(l2, bound);
    Uint128 squares = 0;
    for (auto const k : l2) squares += Uint128(static_cast<std::uint64_t>(k * k));
    REQUIRE(squares <= Uint128{bound} * bound);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(std::abs(l1[i]) <= std::abs(steps[i]));
      CHECK(l1[i] * steps[i] >= 0);
    }
  }
  std::vector<std::int64_t> within{3, -4};
  NoiseGrid::clip_l2(within, 5);
  CHECK(within == std::vector<std::int64_t>{3, -4});
  NoiseGrid::clip_l1(within, 7);
  CHECK(within == std::vector<std::int64_t>{3, -4});
  NoiseGrid::clip_l1(within, 0);
  CHECK(within == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("All sent values are on the grid, for all weights") {
  for (double const epsilon : {0.1, 1.0, 40.0}) {
    LaplaceNoise const laplace{.epsilon = epsilon, .sensitivity = 1.0};
    CHECK(on_grid(laplace, laplace.grid().step()));
    GaussianNoise const gaussian{.epsilon = epsilon, .delta = 1e-5, .sensitivity = 1.0};
    CHECK(on_grid(gaussian, gaussian.grid(2).step()));
    CHECK(on_grid(GammaNoise{.epsilon = epsilon, .sensitivity = 1.0}, NoiseGrid(1.0 / epsilon).step()));
  }
}
