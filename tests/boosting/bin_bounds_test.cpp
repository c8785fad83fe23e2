#include <fltr/boosting/detail/bin_bounds.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Binning;
using fltr::detail::bin_bounds;
using fltr::detail::BinSearch;
using Bounds = std::vector<double>;

Bounds bounds_of(std::vector<float> values, Binning const& options = {}) {
  std::ranges::sort(values);
  return bin_bounds(values, options);
}

double cut(float low, float high) { return fltr::detail::bound_between(low, high); }

/// By definition: the number of bounds below the value.
std::size_t bin_of(Bounds const& bounds, float value) {
  return static_cast<std::size_t>(
      std::ranges::count_if(bounds, [&](double bound) { return bound < static_cast<double>(value); }));
}

}  // namespace

TEST_CASE("bin_bounds: few distinct values get a bin each, with bounds at the golden section") {
  CHECK(bounds_of({3, 1, 2, 1, 2, 3}, {.min_data = 1}) == Bounds{cut(1, 2), cut(2, 3)});
  CHECK(bounds_of({-1, 0, 0.5F}, {.min_data = 1}) == Bounds{cut(-1, 0), cut(0, 0.5F)});
  CHECK(bounds_of({0, 1}, {.min_data = 1}) == Bounds{cut(0, 1)});
}

TEST_CASE("bin_bounds: a decimal number is on the same side of a bound as a float and as a double") {
  // The nearest float is half of 2^-22 away at most, their spacing there, and the bound is half of it above.
  CHECK(std::abs(cut(2, 3) - (3 - (std::sqrt(5.0) - 1) / 2)) <= 0x1p-22);
  for (int low = -20; low < 100; ++low)
    for (int high = low + 1; high < 100; ++high) {
      double const bound = cut(static_cast<float>(low / 100.0), static_cast<float>(high / 100.0));
      for (int i = low; i <= high; ++i) {
        double const value = i / 100.0;
        REQUIRE((value <= bound) == (static_cast<double>(static_cast<float>(value)) <= bound));
      }
    }
}

TEST_CASE("bin_bounds: any double is on the same side of a bound as the float that it rounds to") {
  float const least = std::numeric_limits<float>::denorm_min();
  float const most = std::numeric_limits<float>::max();
  fltr::Stream stream(5);
  for (float const low : {-1700.0F, 0.0F, -0.0F, -least, 1e-30F, 1.0F, 1700.0F, 1e6F, 3e38F, -most}) {
    float high = low;
    for (int apart = 1; apart <= 40; ++apart) {
      high = std::nextafter(high, most);
      double const bound = cut(low, high);
      CAPTURE(low, apart);
      REQUIRE(static_cast<double>(low) < bound);
      REQUIRE(bound < static_cast<double>(high));
      auto const same_side = [&](double value) {
        return (value <= bound) == (static_cast<double>(static_cast<float>(value)) <= bound);
      };
      for (int i = 0; i < 200; ++i)
        REQUIRE(same_side(std::lerp(static_cast<double>(low), static_cast<double>(high), stream.uniform())));
      REQUIRE(same_side(bound));
      REQUIRE(same_side(std::nextafter(bound, static_cast<double>(high))));
      // Rounded to a float, the bound still separates the values.
      auto const rounded = static_cast<float>(bound);
      REQUIRE((low <= rounded && rounded < high));
      REQUIRE(static_cast<double>(std::nextafter(rounded, high)) > bound);
    }
  }
}

TEST_CASE("bin_bounds: no values and constant values have no bounds") {
  CHECK(bounds_of({}).empty());
  CHECK(bounds_of({7}).empty());
  CHECK(bounds_of(std::vector<float>(1000, 7.0F)).empty());
  CHECK(bounds_of({-0.0F, 0.0F, 0.0F, -0.0F}, {.min_data = 1}).empty());
}

TEST_CASE("bin_bounds: bins with fewer than min_data documents are joined") {
  // 1 1 | 2 2: two bins of at least two; 1 2 3 cannot be cut so that both sides have two.
  CHECK(bounds_of({1, 1, 2, 2}, {.min_data = 2}) == Bounds{cut(1, 2)});
  CHECK(bounds_of({1, 2, 3}, {.min_data = 2}).empty());
  CHECK(bounds_of({1, 2, 3, 4}, {.min_data = 2}) == Bounds{cut(2, 3)});
}

TEST_CASE("bin_bounds: many distinct values are divided into bins of equal numbers of documents") {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(i));
  auto const bounds = bounds_of(values, {.bins = 10});
  REQUIRE(bounds.size() == 9);
  for (std::size_t b = 0; b < 9; ++b)
    CHECK(bounds[b] == cut(100.0F * static_cast<float>(b + 1) - 1, 100.0F * static_cast<float>(b + 1)));
}

TEST_CASE("bin_bounds: a frequent value gets its own bin, the other values share the remaining bins") {
  std::vector<float> values(500, 0.0F);
  for (int i = 1; i <= 500; ++i) values.push_back(static_cast<float>(i));
  for (int i = 1; i <= 100; ++i) values.push_back(static_cast<float>(-i));
  auto const bounds = bounds_of(values, {.bins = 13});
  std::vector<std::size_t> count(bounds.size() + 1);
  for (float v : values) ++count[bin_of(bounds, v)];
  auto const zero = bin_of(bounds, 0.0F);
  CHECK(count[zero] == 500);  // the others: 600 documents in 12 bins
  for (std::size_t b = 0; b < count.size(); ++b)
    if (b != zero) CHECK((count[b] >= 25 && count[b] <= 100));
  CHECK(count.size() >= 11);
}

TEST_CASE("bin_bounds: bounds are ascending, at most bins - 1, and never between equal values") {
  fltr::Stream stream(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> values(1 + stream.below(400));
    auto const levels = 1 + stream.below(300);
    for (float& v : values)
      v = stream.below(2) == 0 ? 0.0F
                               : static_cast<float>(stream.below(levels)) * 0.1F - static_cast<float>(levels) / 30;
    Binning const options{.bins = 2 + stream.below(255), .min_data = 1 + stream.below(5)};
    auto const bounds = bounds_of(values, options);
    CHECK(bounds.size() < options.bins);
    CHECK(std::ranges::is_sorted(bounds));
    CHECK(std::ranges::adjacent_find(bounds) == bounds.end());
    std::vector<std::size_t> count(bounds.size() + 1);
    BinSearch const search(bounds);
    for (float v : values) {
      CHECK(std::size_t{search(v)} == bin_of(bounds, v));
      ++count[bin_of(bounds, v)];
    }
    CHECK(std::ranges::count(count, 0U) == 0);
  }
}

TEST_CASE("BinSearch: adjacent floats, 256 bins, extreme values") {
  float const next = std::nextafter(1.0F, 2.0F);
  auto const close = bounds_of({1.0F, next}, {.min_data = 1});
  BinSearch const search(close);
  CHECK(int{search(1.0F)} == 0);
  CHECK(int{search(next)} == 1);

  Bounds all;
  for (int i = 0; i < 255; ++i) all.push_back(i + 0.5);
  BinSearch const full(all);
  for (int i = 0; i < 256; ++i) CHECK(int{full(static_cast<float>(i))} == i);
  CHECK(int{full(std::numeric_limits<float>::max())} == 255);
  CHECK(int{full(std::numeric_limits<float>::lowest())} == 0);
  CHECK(int{full(-0.0F)} == 0);

  float const most = std::numeric_limits<float>::max();
  CHECK(bounds_of({-most, most}, {.min_data = 1}) == Bounds{cut(-most, most)});
}
