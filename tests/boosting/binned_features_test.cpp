#include <fltr/boosting/detail/binned_features.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::Binning;
using fltr::detail::bin_bounds;
using fltr::detail::BinnedFeatures;

}  // namespace

TEST_CASE("BinnedFeatures: each byte is the bin of its value; constant features have no column") {
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

TEST_CASE("BinnedFeatures: bounds that are computed from a sample apply to all documents") {
  std::vector<fltr::testing::Document> documents;
  for (int i = 0; i < 1000; ++i) documents.push_back({0, {static_cast<float>(i)}});
  auto const data = fltr::testing::dataset_of({documents}, 1);
  BinnedFeatures const binned(fltr::Serial{}, fltr::query_views(data), {.bins = 4, .min_data = 1, .sample = 100});
  REQUIRE(binned.column_count() == 1);
  REQUIRE(binned.bin_count(0) == 4);
  for (std::size_t d = 0; d < 1000; ++d)
    CHECK(std::size_t{binned.bin(d, 0)} == std::min<std::size_t>(3, (d + 6) / 250));  // cut at 243.8, 493.8, 743.8
}

TEST_CASE(
    "BinnedFeatures: no documents are allowed; wrong options, mixed feature counts and values that are not finite are "
    "errors") {
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

  // Also if the document is not in the sample.
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
