#include <fltr/rankers/detail/feature_codes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/rankers/tree.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Tree;
using fltr::detail::FeatureCodes;

/// FeatureCodes use only features and thresholds, so a chain of nodes is enough.
Tree chain(std::vector<std::uint32_t> feature, std::vector<double> threshold) {
  Tree tree;
  tree.feature = std::move(feature);
  tree.threshold = std::move(threshold);
  return tree;
}

/// Checks that every comparison of codes equals the comparison of values, for every row.
void check_answers(std::vector<Tree> const& trees, std::vector<float> const& rows, std::size_t features) {
  std::vector<Tree const*> pointers;
  for (Tree const& tree : trees) pointers.push_back(&tree);
  FeatureCodes const codes(pointers);
  std::size_t const documents = rows.size() / features;
  std::size_t const width = documents + 3;  // with unused bytes
  std::vector<std::int8_t> bytes(codes.column_count() * width);
  codes.encode(rows.data(), features, documents, width, bytes.data());
  for (Tree const& tree : trees)
    for (std::size_t n = 0; n < tree.inner_count(); ++n) {
      auto const question = codes.question(tree.feature[n], tree.threshold[n]);
      for (std::size_t d = 0; d < documents; ++d) {
        float const value = rows[d * features + tree.feature[n]];
        CAPTURE(n, d, value, tree.threshold[n]);
        REQUIRE((bytes[question.column * width + d] > question.rank) ==
                (static_cast<double>(value) > tree.threshold[n]));
      }
    }
}

}  // namespace

TEST_CASE("FeatureCodes: the code of a value gives its side of every threshold") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  check_answers({chain({0, 1, 0}, {0.5, -1, 2}), chain({1, 0}, {0.0, 0.5})},
                {0.5F, -1, 0.4F, 0, 2, -0.0F, 3, 1e-45F, -inf, inf, inf, -inf, 0.50000006F, -1.0000001F}, 2);
}

TEST_CASE("FeatureCodes: thresholds between floats, beyond all floats, and several that round to one float") {
  constexpr float most = std::numeric_limits<float>::max();
  check_answers({chain({0, 0, 0, 0, 0}, {0.1, 0.1 + 1e-12, 1e300, -1e300, 1e-60})},
                {0.1F, 0.099999994F, 0.0F, -0.0F, 1e-45F, most, -most}, 1);
}

TEST_CASE("FeatureCodes: a feature with more than 255 thresholds has several columns") {
  fltr::Stream stream(4);
  for (std::size_t const count : {254U, 255U, 256U, 510U, 511U, 1000U}) {
    std::vector<double> thresholds;
    std::vector<float> values{-5, 5};
    for (std::size_t i = 0; i < count; ++i) thresholds.push_back(stream.normal());
    for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(thresholds[stream.below(254)]));
    for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(stream.normal()));
    CAPTURE(count);
    Tree const tree = chain(std::vector<std::uint32_t>(count, 0), thresholds);
    Tree const* const pointer = &tree;
    CHECK(FeatureCodes(std::span(&pointer, 1)).column_count() == (count + 254) / 255);
    check_answers({tree}, values, 1);
  }
}
