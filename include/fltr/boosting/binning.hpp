#pragma once

#include <cstddef>

#include <fltr/core/error.hpp>

namespace fltr {

/// How LambdaMART divides the values of each feature into bins. A bin number fits a byte.
struct Binning {
  std::size_t bins = 255;        ///< most bins of a feature; 2 to 256
  std::size_t min_data = 3;      ///< fewest sampled documents in a bin
  std::size_t sample = 200'000;  ///< most documents, evenly spaced, that the bounds of the bins are computed from

  void check() const {
    require(bins >= 2 && bins <= 256, "Binning", "2 to 256 bins", bins);
    require(min_data > 0, "Binning", "min_data >= 1", min_data);
    require(sample > 0, "Binning", "sample >= 1", sample);
  }
};

}  // namespace fltr
