#pragma once

#include <cstddef>
#include <limits>

#include <fltr/rankers/forest.hpp>

namespace fltr {

/// Remembers after how many trees a validation metric was highest, and ends a training that does not improve on it.
struct EarlyStopping {
  std::size_t patience = 100;  ///< trees without a higher metric after which training stops
  std::size_t best = 0;        ///< number of trees with the highest metric
  double value = -std::numeric_limits<double>::infinity();  ///< the highest metric

  void add(std::size_t trees, double metric) noexcept {
    if (!(metric > value)) return;
    best = trees;
    value = metric;
  }
  [[nodiscard]] bool stops(std::size_t trees) const noexcept { return trees - best >= patience; }
  /// The first `best` trees of a forest.
  [[nodiscard]] Forest best_of(Forest const& forest) const {
    auto const trees = forest.trees().first(best);
    return {{trees.begin(), trees.end()}, forest.feature_count()};
  }
};

}  // namespace fltr
