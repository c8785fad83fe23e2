#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The number of clients per block. A block is a leaf of the tree in which messages are summed. A constant, because it
/// determines the order of the additions.
inline constexpr std::size_t clients_per_block = 16;

/// The position at which the range [low, high) of two or more leaves is cut. The left part has the largest power of two
/// that leaves at least one leaf in the right part.
[[nodiscard]] constexpr std::size_t tree_cut(std::size_t low, std::size_t high) noexcept {
  return low + std::bit_floor(high - low - 1);
}

/// leaf(low), …, leaf(high − 1), merged in a binary tree that depends on the number of leaves only. Every Execution
/// merges in this order, so that rounding errors do not depend on the thread or the time at which a leaf is computed.
template <class Leaf>
[[nodiscard]] auto reduce_tree(std::size_t low, std::size_t high, Leaf const& leaf) -> decltype(leaf(low)) {
  if (high - low <= 1) return leaf(low);
  std::size_t const middle = tree_cut(low, high);
  auto left = reduce_tree(low, middle, leaf);
  left.merge(reduce_tree(middle, high, leaf));
  return left;
}

}  // namespace fltr
