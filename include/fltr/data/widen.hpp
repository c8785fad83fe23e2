#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fltr/core/aligned.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The same documents with more features, 0 for all: a test file may lack the last features of its training file. Free
/// where the rows have room for them, else a copy of the matrix.
[[nodiscard]] inline Dataset widen(Dataset data, std::size_t feature_count) {
  require(feature_count >= data.feature_count(), "widen", "at least the features of the dataset", feature_count);
  std::size_t const old_stride = data.stride();
  std::size_t const stride = Dataset::stride_for(feature_count);
  auto parts = std::move(data).release();
  parts.feature_count = feature_count;
  if (stride != old_stride) {
    AlignedFloats features(parts.labels.size() * stride);
    for (std::size_t i = 0; i < parts.labels.size(); ++i) {
      float* const row = features.data() + i * stride;
      std::copy_n(parts.features.data() + i * old_stride, old_stride, row);
      std::fill_n(row + old_stride, stride - old_stride, 0.0F);
    }
    parts.features = std::move(features);
  }
  return Dataset(std::move(parts));
}

}  // namespace fltr
