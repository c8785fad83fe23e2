#include <fltr/core/ordered_floats.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

std::vector<float> ordered(std::vector<double> const& values) {
  std::vector<float> floats(values.size());
  fltr::ordered_floats(values, floats);
  return floats;
}

}  // namespace

TEST_CASE("ordered_floats gives floats in the order of the doubles, and the nearest floats if these are distinct") {
  CHECK(ordered({}).empty());
  CHECK(ordered({0.5, -2, 0.5, 3}) == std::vector{0.5F, -2.0F, 0.5F, 3.0F});
  float const below = std::nextafter(1.0F, 0.0F);
  CHECK(ordered({1, 1 - 1e-12, 1, 1 - 2e-12}) == std::vector{1.0F, below, 1.0F, std::nextafter(below, 0.0F)});
  CHECK(ordered({1e300, 2e300}) ==
        std::vector{std::nextafter(std::numeric_limits<float>::max(), 0.0F), std::numeric_limits<float>::max()});

  float const lowest = std::numeric_limits<float>::lowest();
  float const second = std::nextafter(lowest, 0.0F);
  CHECK(ordered({-1e39, -2e39, -2e39, -3e39, 5}) ==
        std::vector{std::nextafter(second, 0.0F), second, second, lowest, 5.0F});

  fltr::Stream stream(3);
  std::vector<double> values(300);
  // Half of the values are in clusters within the precision of a float. Some of these values are equal.
  for (double& value : values)
    value = stream.bernoulli(0.5) ? stream.normal() : 1 + stream.below(4) * 1e-3 + stream.below(20) * 1e-11;
  auto const floats = ordered(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t k = 0; k < values.size(); ++k) {
      CHECK((values[i] < values[k]) == (floats[i] < floats[k]));
      CHECK((values[i] == values[k]) == (floats[i] == floats[k]));
    }
  // A cluster has 20 values, so the distance is at most 20 steps of 2^-23.
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(std::abs(static_cast<double>(floats[i]) - values[i]) <= 21 * 0x1p-23 * std::max(1.0, std::abs(values[i])));
}

TEST_CASE("ordered_floats throws if the numbers of floats and doubles differ") {
  std::vector<float> floats(1);
  CHECK_THROWS_WITH(fltr::ordered_floats(std::vector<double>{1, 2}, floats),
                    ContainsSubstring("required 2 floats, got 1"));
}
