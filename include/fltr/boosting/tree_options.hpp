#pragma once

#include <cmath>
#include <cstddef>

#include <fltr/core/error.hpp>

namespace fltr {

/// Limits of the trees that LambdaMART grows.
struct TreeOptions {
  std::size_t leaves = 31;    ///< most leaves of a tree
  std::size_t min_data = 20;  ///< fewest documents in a leaf
  double min_hessian = 1e-3;  ///< smallest sum of hessians in a leaf
  double l2 = 0.0;            ///< λ, added to every sum of hessians
  double min_gain = 0.0;      ///< the gain of a split must be larger

  void check() const {
    require(leaves >= 1 && leaves <= 32'768, "TreeOptions", "1 to 32768 leaves", leaves);
    require(min_hessian >= 0.0 && std::isfinite(min_hessian), "TreeOptions", "a finite min_hessian >= 0", min_hessian);
    require(l2 >= 0.0 && std::isfinite(l2), "TreeOptions", "a finite l2 >= 0", l2);
    require(min_gain >= 0.0, "TreeOptions", "a min_gain >= 0", min_gain);
  }
};

}  // namespace fltr
