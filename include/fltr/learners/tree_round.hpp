#pragma once

#include <optional>
#include <span>

#include <fltr/rankers/tree.hpp>

namespace fltr {

/// The state of a LambdaMART training that its observer is called with: before the first tree and after each tree.
struct TreeRound {
  std::span<Tree const> trees;       ///< grown so far; empty before the first tree
  std::optional<double> validation;  ///< the metric of the validation queries after the last tree, if it was computed
};

}  // namespace fltr
