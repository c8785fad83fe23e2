#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The category of each document: its value of a feature (counted from 0). Call it before features are normalised per
/// query: normalisation changes the values.
[[nodiscard]] inline std::vector<float> categories_of(Dataset const& raw, std::size_t feature) {
  require(feature < raw.feature_count(), "categories_of",
          "a feature below " + std::to_string(raw.feature_count()) + ", the number of features", feature);
  std::vector<float> categories;
  categories.reserve(raw.document_count());
  for (std::size_t q = 0; q < raw.size(); ++q)
    for (std::size_t d = 0; d < raw[q].document_count(); ++d) categories.push_back(raw[q].row(d)[feature]);
  return categories;
}

}  // namespace fltr
