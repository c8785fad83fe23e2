#pragma once

#include <bit>
#include <cstddef>
#include <utility>

namespace fltr {

/// Clients per block, and a block is a leaf of the tree in which messages are added up. A constant: it decides in which
/// order sums are formed.
inline constexpr std::size_t clients_per_block = 16;

/// Where the range [low, high) of two or more leaves is cut: the left part is the largest power of two that leaves
/// something to the right.
[[nodiscard]] constexpr std::size_t tree_cut(std::size_t low, std::size_t high) noexcept {
  return low + std::bit_floor(high - low - 1);
}

/// leaf(low), …, leaf(high − 1), joined by `merge` in a binary tree that depends on nothing but the number of leaves.
/// Every Execution joins in this order, so that rounding does not depend on where or when a leaf was computed.
template <class Leaf>
[[nodiscard]] auto reduce_tree(std::size_t low, std::size_t high, Leaf const& leaf) -> decltype(leaf(low)) {
  if (high - low <= 1) return leaf(low);
  std::size_t const middle = tree_cut(low, high);
  auto left = reduce_tree(low, middle, leaf);
  left.merge(reduce_tree(middle, high, leaf));
  return left;
}

}  // namespace fltr
