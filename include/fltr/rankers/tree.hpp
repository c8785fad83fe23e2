#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// A regression tree: a document goes left at a node if its value of the feature is at most the threshold. Its score is
/// the value of the leaf where it ends. Inner node 0 is the root; a tree of one leaf has no inner node.
///
/// `gain`, `decision` and the vectors of `statistics` may be empty.
struct Tree {
  /// How a node treats missing values, with the bits of LightGBM. Without these bits NaN counts as 0.
  enum Decision : std::uint8_t { default_left = 2, zero_is_missing = 4, nan_is_missing = 8 };
  /// With `zero_is_missing`, values up to this magnitude count as zero (a float in LightGBM, too).
  static constexpr double zero_threshold = 1e-35F;

  /// Statistics of the training. Scoring does not use them; files keep them.
  struct Statistics {
    std::vector<double> leaf_weight;         ///< sum of hessians
    std::vector<std::uint32_t> leaf_count;   ///< documents
    std::vector<double> inner_value;         ///< the value that the node would have as a leaf
    std::vector<double> inner_weight;        ///< sum of hessians
    std::vector<std::uint32_t> inner_count;  ///< documents

    auto fields(auto&& visit) { return visit(leaf_weight, leaf_count, inner_value, inner_weight, inner_count); }
    friend bool operator==(Statistics const&, Statistics const&) = default;
  };

  std::vector<std::uint32_t> feature;  ///< by inner node
  std::vector<double> threshold;       ///< by inner node; value <= threshold goes left
  std::vector<std::int32_t> left;      ///< by inner node; ≥ 0: an inner node, < 0: leaf ~left
  std::vector<std::int32_t> right;     ///< likewise
  std::vector<float> gain;             ///< by inner node: gain of the split, for importance; or empty
  std::vector<std::uint8_t> decision;  ///< by inner node: bits of Decision; or empty
  std::vector<double> leaf;            ///< by leaf: its value, shrinkage included
  double shrinkage = 1.0;              ///< the factor that the leaves include; scoring does not use it
  Statistics statistics;

  [[nodiscard]] std::size_t inner_count() const noexcept { return feature.size(); }
  [[nodiscard]] std::size_t leaf_count() const noexcept { return leaf.size(); }

  /// Whether a document with this value goes left at an inner node.
  [[nodiscard]] bool goes_left(std::size_t node, double value) const noexcept {
    unsigned const bits = decision.empty() ? 0U : decision[node];
    bool const is_nan = std::isnan(value);
    if (is_nan && (bits & nan_is_missing) == 0) value = 0.0;
    bool const is_missing =
        (bits & nan_is_missing) != 0 ? is_nan : (bits & zero_is_missing) != 0 && std::abs(value) <= zero_threshold;
    return is_missing ? (bits & default_left) != 0 : value <= threshold[node];
  }

  /// The leaf of a document with these features (floats or doubles). Requires a tree without a fault for this number of
  /// features.
  template <class T>
  [[nodiscard]] std::size_t leaf_of(std::span<T const> row) const noexcept {
    if (feature.empty()) return 0;
    bool const all_plain = decision.empty();
    std::int32_t node = 0;
    while (node >= 0) {
      auto const n = static_cast<std::size_t>(node);
      auto const value = static_cast<double>(row[feature[n]]);
      bool is_left = value <= threshold[n];
      if (std::isnan(value) || (!all_plain && decision[n] >= zero_is_missing)) [[unlikely]]
        is_left = goes_left(n, value);
      node = is_left ? left[n] : right[n];
    }
    return static_cast<std::size_t>(~node);
  }

  /// The first fault of the tree for rows of `feature_count` features, or an empty string: vectors of sizes that do not
  /// agree, a feature or a child that does not exist, a node reached twice or never, a number that is not finite.
  [[nodiscard]] std::string fault(std::size_t feature_count) const;

  /// Multiplies the values of the leaves.
  void scale(double factor) noexcept {
    for (double& value : leaf) value *= factor;
    for (double& value : statistics.inner_value) value *= factor;
    shrinkage *= factor;
  }

  auto fields(auto&& visit) {
    return visit(feature, threshold, left, right, gain, decision, leaf, shrinkage, statistics);
  }
  friend bool operator==(Tree const&, Tree const&) = default;

 private:
  [[nodiscard]] std::string fault_of_sizes() const;
  [[nodiscard]] std::string fault_of_paths() const;
};

/// The score of one document: the sum of the values of its leaves in the order of the trees.
template <class T>
[[nodiscard]] double sum_of_leaves(std::span<Tree const> trees, std::span<T const> row) noexcept {
  double sum = 0.0;
  for (Tree const& tree : trees) sum += tree.leaf[tree.leaf_of(row)];
  return sum;
}

inline std::string Tree::fault(std::size_t feature_count) const {
  if (auto text = fault_of_sizes(); !text.empty()) return text;
  for (std::size_t n = 0; n < inner_count(); ++n) {
    auto const has = [n](std::string const& what) { return "node " + std::to_string(n) + " has " + what; };
    if (feature[n] >= feature_count)
      return has("feature " + std::to_string(feature[n]) + " of " + std::to_string(feature_count));
    if (!std::isfinite(threshold[n])) return has("a threshold that is not finite");
    unsigned const bits = decision.empty() ? 0U : decision[n];
    if ((bits & ~unsigned{default_left | zero_is_missing | nan_is_missing}) != 0U) return has("an unknown decision");
    if ((bits & zero_is_missing) != 0U && (bits & nan_is_missing) != 0U) return has("two kinds of missing values");
  }
  for (std::size_t l = 0; l < leaf_count(); ++l)
    if (!std::isfinite(leaf[l])) return "leaf " + std::to_string(l) + " has a value that is not finite";
  auto const finite = [](auto const&... of) {
    return (std::all_of(of.begin(), of.end(), [](auto x) { return std::isfinite(x); }) && ...);
  };
  if (!std::isfinite(shrinkage) ||
      !finite(gain, statistics.leaf_weight, statistics.inner_value, statistics.inner_weight))
    return "a gain, shrinkage or statistic that is not finite";
  return fault_of_paths();
}

inline std::string Tree::fault_of_sizes() const {
  if (leaf.empty()) return "no leaf";
  std::size_t const inner = leaf.size() - 1;
  auto const agree = [](std::size_t expected, auto const&... sized) { return ((sized.size() == expected) && ...); };
  auto const agree_or_empty = [](std::size_t expected, auto const&... sized) {
    return ((sized.size() == expected || sized.empty()) && ...);
  };
  auto const& s = statistics;
  if (!agree(inner, feature, threshold, left, right) || !agree_or_empty(inner, gain, decision) ||
      !agree_or_empty(inner, s.inner_value, s.inner_weight, s.inner_count) ||
      !agree_or_empty(leaf.size(), s.leaf_weight, s.leaf_count))
    return "arrays whose sizes do not agree with " + std::to_string(leaf.size()) + " leaves";
  return {};
}

/// Each node and leaf must be reached exactly once from the root. A second visit means a cycle or a shared child. With
/// n − 1 inner nodes and no second visit, a traversal that reaches all inner nodes also reaches all n leaves.
inline std::string Tree::fault_of_paths() const {
  if (feature.empty()) return {};
  std::vector<bool> seen_inner(inner_count()), seen_leaf(leaf_count());
  std::vector<std::size_t> open{0};
  std::size_t reached = 0;
  seen_inner[0] = true;
  while (!open.empty()) {
    std::size_t const n = open.back();
    open.pop_back();
    ++reached;
    for (std::int32_t const child : {left[n], right[n]}) {
      auto& seen = child >= 0 ? seen_inner : seen_leaf;
      auto const c = static_cast<std::size_t>(child >= 0 ? child : ~child);
      auto const name = [&] { return (child >= 0 ? "node " : "leaf ") + std::to_string(c); };
      if (c >= seen.size()) return "node " + std::to_string(n) + " has a child that does not exist, " + name();
      if (seen[c]) return name() + " is reached twice";
      seen[c] = true;
      if (child >= 0) open.push_back(c);
    }
  }
  return reached == inner_count() ? std::string() : "nodes that are never reached";
}

}  // namespace fltr
