#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The same documents with more features. The new features are 0. A test file may lack the last features of its
/// training file. The matrix is copied only if the padding of the rows is too small for the new features.
template <class = void>
[[nodiscard]] Dataset pad_features(Dataset data, std::size_t feature_count) {
  require(feature_count >= data.feature_count(), "pad_features",
          "at least " + std::to_string(data.feature_count()) + " features", feature_count);
  std::size_t const old_stride = data.stride();
  std::size_t const stride = Dataset::stride_for(feature_count);
  auto parts = std::move(data).release();
  parts.feature_count = feature_count;
  if (stride != old_stride) {
    AlignedFloats features(parts.grades.size() * stride);
    for (std::size_t i = 0; i < parts.grades.size(); ++i) {
      float* const row = features.data() + i * stride;
      std::copy_n(parts.features.data() + i * old_stride, old_stride, row);
      std::fill_n(row + old_stride, stride - old_stride, 0.0F);
    }
    parts.features = std::move(features);
  }
  return Dataset(std::move(parts));
}

}  // namespace fltr
