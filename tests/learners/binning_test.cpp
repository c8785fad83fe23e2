#include <fltr/learners/binning.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/execution/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/boosted_scores.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::bin_bounds;
using fltr::BinnedFeatures;
using fltr::Binning;
using fltr::BinSearch;
using Bounds = std::vector<double>;

Bounds bounds_of(std::vector<float> values, Binning const& options = {}) {
  std::ranges::sort(values);
  return bin_bounds(values, options);
}

double cut(float low, float high) { return fltr::bound_between(low, high); }

/// From the definition: how many bounds lie below the value.
std::size_t bin_of(Bounds const& bounds, float value) {
  return static_cast<std::size_t>(
      std::ranges::count_if(bounds, [&](double bound) { return bound < static_cast<double>(value); }));
}

}  // namespace

TEST_CASE("bounds: few distinct values have a bin each, cut at the golden section") {
  CHECK(bounds_of({3, 1, 2, 1, 2, 3}, {.min_data = 1}) == Bounds{cut(1, 2), cut(2, 3)});
  CHECK(bounds_of({-1, 0, 0.5F}, {.min_data = 1}) == Bounds{cut(-1, 0), cut(0, 0.5F)});
  CHECK(bounds_of({0, 1}, {.min_data = 1}) == Bounds{cut(0, 1)});
}

TEST_CASE("bounds: decimal numbers lie on the same side as floats and as doubles") {
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

TEST_CASE("bounds: any double lies on the side of its float, be they close or far apart") {
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
      // Rounded to a float, it still divides them.
      auto const rounded = static_cast<float>(bound);
      REQUIRE((low <= rounded && rounded < high));
      REQUIRE(static_cast<double>(std::nextafter(rounded, high)) > bound);
    }
  }
}

TEST_CASE("bounds: nothing to cut") {
  CHECK(bounds_of({}).empty());
  CHECK(bounds_of({7}).empty());
  CHECK(bounds_of(std::vector<float>(1000, 7.0F)).empty());
  CHECK(bounds_of({-0.0F, 0.0F, 0.0F, -0.0F}, {.min_data = 1}).empty());
}

TEST_CASE("bounds: bins of too few documents are joined") {
  // 1 1 | 2 2: two bins of at least two; 1 2 3 cannot be cut so that both sides have two.
  CHECK(bounds_of({1, 1, 2, 2}, {.min_data = 2}) == Bounds{cut(1, 2)});
  CHECK(bounds_of({1, 2, 3}, {.min_data = 2}).empty());
  CHECK(bounds_of({1, 2, 3, 4}, {.min_data = 2}) == Bounds{cut(2, 3)});
}

TEST_CASE("bounds: many distinct values are cut into equal numbers") {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(i));
  auto const bounds = bounds_of(values, {.bins = 10});
  REQUIRE(bounds.size() == 9);
  for (std::size_t b = 0; b < 9; ++b)
    CHECK(bounds[b] == cut(100.0F * static_cast<float>(b + 1) - 1, 100.0F * static_cast<float>(b + 1)));
}

TEST_CASE("bounds: a frequent value has a bin for itself, the others share the rest") {
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

TEST_CASE("bounds: rising, not too many, never between equal values, whatever the values") {
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

TEST_CASE("bin search: neighbouring floats, full bins, extremes") {
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

TEST_CASE("binned features: each byte is the bin of its value, constant features have no column") {
  // 40 features, of which every fifth is constant; small integers and normals.
  fltr::Stream stream(2);
  std::vector<std::vector<fltr::testing::Document>> queries(30);
  for (auto& query : queries) {
    query.resize(stream.below(20));
    for (auto& document : query)
      for (std::size_t f = 0; f < 40; ++f)
        document.features.push_back(f % 5 == 4   ? 3.0F
                                    : f % 2 == 0 ? static_cast<float>(stream.below(4))
                                                 : static_cast<float>(stream.normal()));
  }
  auto const data = fltr::testing::dataset_of(queries, 40);
  auto const views = fltr::query_views(data);
  BinnedFeatures const binned(fltr::Serial{}, views, {.min_data = 1});
  BinnedFeatures const threaded(fltr::Threads{3}, views, {.min_data = 1});
  REQUIRE(binned.column_count() == 32);
  REQUIRE(binned.panel_count() == 4);
  REQUIRE(binned.document_count() == data.document_count());
  for (std::size_t c = 0; c < 32; ++c) {
    auto const f = binned.feature(c);
    CHECK(f == c / 4 * 5 + c % 4);
    CHECK(binned.bin_count(c) == (f % 2 == 0 ? 4U : std::min<std::size_t>(data.document_count(), 255)));
    for (std::size_t q = 0; q < data.size(); ++q)
      for (std::size_t d = 0; d < data[q].document_count(); ++d) {
        auto const value = static_cast<double>(data[q].row(d)[f]);
        auto const document = data.first_document(q) + d;
        std::size_t const bin = binned.bin(document, c);
        bool const above = bin == 0 || value > binned.bound(c, bin - 1);
        bool const below = bin + 1 == binned.bin_count(c) || value <= binned.bound(c, bin);
        CHECK((above && below));
        CHECK(threaded.bin(document, c) == bin);
      }
  }
}

TEST_CASE("binned features: bounds from a sample hold for all documents") {
  std::vector<fltr::testing::Document> documents;
  for (int i = 0; i < 1000; ++i) documents.push_back({0, {static_cast<float>(i)}});
  auto const data = fltr::testing::dataset_of({documents}, 1);
  BinnedFeatures const binned(fltr::Serial{}, fltr::query_views(data), {.bins = 4, .min_data = 1, .sample = 100});
  REQUIRE(binned.column_count() == 1);
  REQUIRE(binned.bin_count(0) == 4);
  for (std::size_t d = 0; d < 1000; ++d)
    CHECK(std::size_t{binned.bin(d, 0)} == std::min<std::size_t>(3, (d + 6) / 250));  // cut at 243.8, 493.8, 743.8
}

TEST_CASE("binned features: nothing to bin, and refusals") {
  BinnedFeatures const none(fltr::Serial{}, std::span<fltr::QueryView const>());
  CHECK(none.column_count() == 0);
  CHECK(none.document_count() == 0);
  auto const two = fltr::testing::dataset_of({{{0, {1, 2}}}}, 2);
  auto const three = fltr::testing::dataset_of({{{0, {1, 2, 3}}}}, 3);
  std::vector<fltr::QueryView> const mixed{two[0], three[0]};
  CHECK_THROWS_AS(BinnedFeatures(fltr::Serial{}, mixed), std::invalid_argument);
  auto const views = fltr::query_views(two);
  CHECK_THROWS_AS(BinnedFeatures(fltr::Serial{}, views, {.bins = 1}), std::invalid_argument);
  CHECK_THROWS_AS(BinnedFeatures(fltr::Serial{}, views, {.bins = 257}), std::invalid_argument);
  CHECK_THROWS_AS(BinnedFeatures(fltr::Serial{}, views, {.min_data = 0}), std::invalid_argument);
  CHECK_THROWS_AS(BinnedFeatures(fltr::Serial{}, views, {.sample = 0}), std::invalid_argument);

  // Also where it is not in the sample.
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (std::size_t at = 0; at < 6; ++at) {
      std::vector<fltr::testing::Document> query;
      for (std::size_t d = 0; d < 6; ++d) query.push_back({0, {d == at ? bad : static_cast<float>(d)}});
      auto const data = fltr::testing::dataset_of({query}, 1);
      for (std::size_t const sample : {6U, 3U})
        CHECK_THROWS_WITH(BinnedFeatures(fltr::Serial{}, fltr::query_views(data), {.min_data = 1, .sample = sample}),
                          ContainsSubstring("required finite features"));
    }
}
