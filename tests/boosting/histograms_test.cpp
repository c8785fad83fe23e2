#include <fltr/boosting/detail/histograms.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::detail::BinnedFeatures;
using fltr::detail::GradientSum;
using fltr::detail::Histograms;

std::vector<GradientSum> random_sums(fltr::Stream& stream, std::size_t n) {
  std::vector<GradientSum> sums(n);
  for (auto& sum : sums)
    sum = {static_cast<std::int64_t>(stream.below(2'000'000)) - 1'000'000,
           static_cast<std::int64_t>(stream.bits64() >> 30U)};
  return sums;
}

/// The sums of a column by definition.
std::vector<GradientSum> expected(BinnedFeatures const& data, std::size_t column,
                                  std::vector<std::uint32_t> const& documents, std::vector<GradientSum> const& sums) {
  std::vector<GradientSum> out(Histograms::bins);
  for (std::size_t i = 0; i < documents.size(); ++i) out[data.bin(documents[i], column)] += sums[i];
  return out;
}

bool equal(std::span<GradientSum const> a, std::vector<GradientSum> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("Histograms: each bin has the sum of its documents; a sibling is the difference to the parent") {
  fltr::Stream stream(1);
  auto const set = fltr::testing::random_dataset(1, {.queries = 60, .features = 21, .most_documents = 40});
  BinnedFeatures const data(fltr::Serial{}, fltr::query_views(set), {.min_data = 1});
  REQUIRE(data.panel_count() == 3);
  auto const of_document = random_sums(stream, data.document_count());
  // All documents, and two parts of them.
  std::vector<std::uint32_t> all, chosen, others;
  for (std::uint32_t d = 0; d < data.document_count(); ++d) {
    all.push_back(d);
    (stream.below(3) == 0 ? chosen : others).push_back(d);
  }
  auto const build = [&](Histograms& h, std::vector<std::uint32_t> const& documents) {
    std::vector<GradientSum> sums;
    for (auto d : documents) sums.push_back(of_document[d]);
    for (std::size_t p = 0; p < data.panel_count(); ++p) h.build(data, p, documents, sums);
    for (std::size_t c = 0; c < data.column_count(); ++c) CHECK(equal(h.column(c), expected(data, c, documents, sums)));
  };
  Histograms parent(data), part(data), rest(data);
  build(part, others);  // overwritten: a histogram may be used again
  build(part, chosen);
  build(rest, others);
  build(parent, all);
  for (std::size_t c = 0; c < data.column_count(); ++c)
    for (std::size_t b = 0; b < Histograms::bins; ++b) {
      parent.column(c)[b] -= part.column(c)[b];
      CHECK(parent.column(c)[b] == rest.column(c)[b]);
    }
  build(part, {});
  build(part, {all.back()});
}
