#pragma once

#include <cstddef>
#include <limits>

#include <fltr/core/error.hpp>

namespace fltr {

/// The treatment of a qid that returns after another qid.
enum class ReturningQid {
  error,
  merge,  ///< its documents are appended to those of its first appearance, in the order of the file
};

/// The treatment of a value beyond ±clamp_to. Istella writes 1.79769313486e+308 for a missing value.
enum class HugeValues { clamp, reject };

/// The number of values that a reader changed.
struct LetorReport {
  std::size_t clamped = 0;  ///< values beyond ±clamp_to, which became ±clamp_to
};

/// How to read LETOR text. All options except `threads` and `chunk_bytes` may change the result.
struct LetorOptions {
  /// The number of the first feature: 1 in all public sets. With 1, a feature `0:` is an error.
  std::size_t index_base = 1;
  /// The number of features; a larger feature number is an error. 0 = the largest feature number in the text.
  std::size_t feature_count = 0;
  ReturningQid returning_qid = ReturningQid::error;
  HugeValues huge_values = HugeValues::clamp;
  /// The largest magnitude of a value; raise it to FLT_MAX to keep all that a float can hold.
  double clamp_to = 1e6;
  /// With feature_count 0, the largest number of features. The matrix is dense: a mistyped 1000000000 would need 4 GB
  /// for every document. The widest public set has 700 features, embeddings stay below 10,000.
  std::size_t feature_limit = 16'384;
  std::size_t threads = 0;  ///< 0 = one per core
  std::size_t chunk_bytes = std::size_t{4} << 20U;

  /// Throws std::invalid_argument if an option is outside its range.
  void check() const {
    require(index_base <= 1, "LetorOptions", "index_base 0 or 1", index_base);
    require(clamp_to > 0 && clamp_to <= static_cast<double>(std::numeric_limits<float>::max()), "LetorOptions",
            "clamp_to above 0 and within float", clamp_to);
    require(feature_limit > 0 && feature_limit < (std::size_t{1} << 31U), "LetorOptions", "feature_limit of 1 to 2^31",
            feature_limit);
    require(feature_count < (std::size_t{1} << 31U), "LetorOptions", "feature_count below 2^31", feature_count);
    require(chunk_bytes > 0, "LetorOptions", "chunk_bytes > 0", chunk_bytes);
  }
};

}  // namespace fltr
