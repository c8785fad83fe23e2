#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::testing {

struct RandomTreeShape {
  std::size_t leaves = 31;
  std::uint32_t features = 6;
  std::uint32_t levels =
      0;               ///< > 0: thresholds are integers below `levels`, so that features equal them; 0: normal numbers
  bool chain = false;  ///< split one of the two leaves of the last split
  std::vector<std::uint8_t> decisions{};  ///< decision types to draw from; empty: the tree has none
};

/// A tree grown by splitting random leaves, as trainers do: one side of the new inner node keeps the number of the
/// leaf.
[[nodiscard]] inline Tree random_tree(Stream& stream, RandomTreeShape const& shape = {}) {
  Tree tree;
  std::vector<std::pair<std::int32_t, bool>> parent{
      {-1, false}};  // of each leaf: its parent node, and whether it is the right child
  tree.leaf.push_back(stream.normal());
  std::size_t last = 0;
  while (tree.leaf.size() < shape.leaves) {
    auto const node = static_cast<std::int32_t>(tree.inner_count());
    auto const leaf = shape.chain ? last : stream.below(static_cast<std::uint32_t>(tree.leaf.size()));
    bool const keeps_left = stream.below(2) == 0;
    auto const old_leaf = ~static_cast<std::int32_t>(leaf), new_leaf = ~static_cast<std::int32_t>(tree.leaf.size());
    if (auto const [above, right] = parent[leaf]; above >= 0)
      (right ? tree.right : tree.left)[static_cast<std::size_t>(above)] = node;
    tree.feature.push_back(stream.below(shape.features));
    tree.threshold.push_back(shape.levels > 0 ? stream.below(shape.levels) : stream.normal());
    tree.left.push_back(keeps_left ? old_leaf : new_leaf);
    tree.right.push_back(keeps_left ? new_leaf : old_leaf);
    tree.gain.push_back(static_cast<float>(stream.uniform()));
    if (!shape.decisions.empty())
      tree.decision.push_back(shape.decisions[stream.below(static_cast<std::uint32_t>(shape.decisions.size()))]);
    parent[leaf] = {node, !keeps_left};
    parent.emplace_back(node, keeps_left);
    last = stream.below(2) == 0 ? leaf : tree.leaf.size();
    tree.leaf.push_back(stream.normal());
  }
  return tree;
}

}  // namespace fltr::testing
