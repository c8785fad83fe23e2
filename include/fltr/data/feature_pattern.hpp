#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The documents with a feature in [low, high].
struct FeatureRange {
  std::uint32_t feature = 0;  ///< its number in the row, from 0
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

/// A set of documents that is known by their features: those in all ranges.
struct FeaturePattern {
  std::vector<FeatureRange> ranges{};

  /// The documents whose feature is among the highest of this share of the documents. Documents of equal values are all
  /// in the pattern or all outside of it, so that the pattern can have more documents.
  [[nodiscard]] static FeaturePattern highest(Dataset const& data, std::uint32_t feature, double share) {
    require(feature < data.feature_count(), "FeaturePattern::highest",
            "a feature below " + std::to_string(data.feature_count()), feature);
    require(share > 0.0 && share <= 1.0, "FeaturePattern::highest", "a share in (0, 1]", share);
    require(data.document_count() > 0, "FeaturePattern::highest", "a Dataset with documents", data.document_count());
    std::vector<float> values;
    for (std::size_t q = 0; q < data.size(); ++q)
      for (std::size_t d = 0; d < data[q].document_count(); ++d) values.push_back(data[q].row(d)[feature]);
    double const wanted = std::ceil(share * static_cast<double>(values.size()));
    auto const last = values.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    std::ranges::nth_element(values, last, std::ranges::greater{});
    return {{{.feature = feature, .low = *last}}};
  }

  /// Whether a document with these features is in the pattern.
  [[nodiscard]] bool matches(std::span<float const> features) const {
    return std::ranges::all_of(ranges, [&](FeatureRange const& range) {
      require(range.feature < features.size(), "FeaturePattern", "features below the number of features of the data",
              range.feature);
      float const value = features[range.feature];
      return value >= range.low && value <= range.high;
    });
  }
};

}  // namespace fltr
