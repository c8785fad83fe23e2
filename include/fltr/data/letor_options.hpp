#pragma once

#include <cstddef>
#include <limits>

#include <fltr/core/error.hpp>

namespace fltr {

/// What to do with a qid that comes back after another one.
enum class ReturningQid {
  error,
  merge,  ///< its documents join those of its first appearance, in the order of the file
};

/// What to do with a value beyond ±clamp_to. Istella, for one, writes 1.79769313486e+308 for "none".
enum class HugeValues { clamp, reject };

/// Counts of the values that a reader changed.
struct LetorReport {
  std::size_t clamped = 0;  ///< values beyond ±clamp_to, which became ±clamp_to
};

/// How to read LETOR text. Everything but `threads` and `chunk_bytes` may change the result.
struct LetorOptions {
  /// The first feature's number, 1 in all public sets. 0 makes `0:` a feature; otherwise it is an error.
  std::size_t index_base = 1;
  /// How many features there are; any beyond is an error. 0 = as many as the text holds.
  std::size_t feature_count = 0;
  ReturningQid returning_qid = ReturningQid::error;
  HugeValues huge_values = HugeValues::clamp;
  /// The largest magnitude of a value; raise it to FLT_MAX to keep all that a float can hold.
  double clamp_to = 1e6;
  /// With feature_count 0, the most features that a text may bring. The matrix is dense: a mistyped 1000000000 would
  /// cost 4 GB for every document. The widest public set has 700 features, embeddings stay below 10,000.
  std::size_t feature_limit = 16'384;
  std::size_t threads = 0;  ///< 0 = one per core
  std::size_t chunk_bytes = std::size_t{4} << 20U;

  /// Throws std::invalid_argument where an option makes no sense.
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
