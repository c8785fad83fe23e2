#include <fltr/core/detail/float_lanes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "support/catch.hpp"

namespace {

using namespace fltr::detail;

/// |value − exact| in units of the last place of `exact` as a float.
double error_in_ulp(float value, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(static_cast<double>(value) - exact) / std::ldexp(1.0, exponent - 24);
}

}  // namespace

TEST_CASE("float_log has an error below 1 ulp") {
  double worst = 0.0;
  for (std::uint32_t bits = 0x00800000U; bits < 0x7F800000U; bits += 1009) {
    auto const x = std::bit_cast<float>(bits);
    worst = std::max(worst, error_in_ulp(float_log(x), std::log(static_cast<double>(x))));
  }
  for (std::uint32_t bits = 0x3F000000U; bits < 0x40000000U; bits += 13) {
    auto const x = std::bit_cast<float>(bits);
    if (x != 1.0F) worst = std::max(worst, error_in_ulp(float_log(x), std::log(static_cast<double>(x))));
  }
  CHECK(worst < 1.0);
  CHECK(float_log(1.0F) == 0.0F);
}

TEST_CASE("float_exp has an error below 1 ulp from -87 to 88") {
  double worst = 0.0;
  for (float x = -87.0F; x <= 88.0F; x += 0x1p-13F)
    worst = std::max(worst, error_in_ulp(float_exp(x), std::exp(static_cast<double>(x))));
  CHECK(worst < 1.0);
  CHECK(float_exp(0.0F) == 1.0F);
}

TEST_CASE("float_cosine_sine has an error below 2^-23") {
  double worst = 0.0;
  auto const check = [&](std::uint32_t number) {
    double const angle = (number * 0x1p-23 - 1.0) * std::numbers::pi;
    float cosine = 0.0F;
    float sine = 0.0F;
    float_cosine_sine(number, cosine, sine);
    worst = std::max({worst, std::abs(static_cast<double>(cosine) - std::cos(angle)),
                      std::abs(static_cast<double>(sine) - std::sin(angle))});
  };
  for (std::uint32_t number = 0; number < (1U << 24U); number += 7) check(number);
  for (std::uint32_t eighth = 0; eighth < 8; ++eighth)
    for (std::uint32_t near = 0; near < 3; ++near) check(((eighth << 21U) + near + 0xFFFFFFU) & 0xFFFFFFU);
  CHECK(worst < 0x1p-23);
}

TEST_CASE("Lanes of floats have the bits of single floats") {
  std::size_t wrong = 0;
  auto const differs = [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b) ? 1U : 0U;
  };
  for (std::uint32_t first = 0; first < (1U << 24U); first += 1117) {
    std::array<std::uint32_t, octet_floats> numbers;
    std::array<float, octet_floats> u;
    for (std::size_t l = 0; l < octet_floats; ++l) {
      numbers[l] = (first + static_cast<std::uint32_t>(l) * 131'071U) & 0xFFFFFFU;
      u[l] = (static_cast<float>(numbers[l]) + 0.5F) * 0x1p-24F;
    }
    auto const us = fltr::simd::load_vector<OctetFloats>(u.data());
    OctetFloats const logs = float_log(us);
    OctetFloats const exps = float_exp(OctetFloats(us * 80.0F));
    OctetFloats const roots = lane_roots(us);
    OctetFloats cosines;
    OctetFloats sines;
    float_cosine_sine(fltr::simd::load_vector<OctetWords>(numbers.data()), cosines, sines);
    for (std::size_t l = 0; l < octet_floats; ++l) {
      float cosine = 0.0F;
      float sine = 0.0F;
      float_cosine_sine(numbers[l], cosine, sine);
      wrong += differs(logs[l], float_log(u[l])) + differs(exps[l], float_exp(u[l] * 80.0F)) +
               differs(roots[l], std::sqrt(u[l])) + differs(cosines[l], cosine) + differs(sines[l], sine);
    }
  }
  CHECK(wrong == 0);
}
