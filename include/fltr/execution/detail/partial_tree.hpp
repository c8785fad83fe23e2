#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/reduction_tree.hpp>

namespace fltr::detail {

/// Whether [low, high) is a node of the reduction tree of this many leaves.
[[nodiscard]] constexpr bool is_tree_node(std::size_t low, std::size_t high, std::size_t leaves) noexcept {
  std::size_t from = 0;
  std::size_t to = leaves;
  while (from != low || to != high) {
    if (to - from <= 1) return false;
    std::size_t const middle = tree_cut(from, to);
    if (high <= middle)
      to = middle;
    else if (low >= middle)
      from = middle;
    else
      return false;
  }
  return true;
}

/// The part of a reduction tree that belongs to some neighbouring leaves: the values of the largest nodes whose leaves
/// are all there. Two neighbouring parts merge into the part of all their leaves, and the values are merged exactly as
/// in reduce_tree. A part of n leaves has at most 2 log2(n) + 2 nodes.
template <class Value>
class PartialTree {
 public:
  PartialTree() = default;
  /// One leaf of a tree.
  PartialTree(std::size_t leaves, std::size_t leaf, Value value) : leaves_(leaves) {
    nodes_.push_back({leaf, leaf + 1, std::move(value)});
  }

  /// `other` begins where this part ends.
  void merge(PartialTree&& other) {
    if (other.nodes_.empty()) return;
    if (nodes_.empty()) {
      *this = std::move(other);
      return;
    }
    if (leaves_ != other.leaves_ || nodes_.back().high != other.nodes_.front().low)
      throw FormatError("required neighbouring parts of one reduction tree");
    for (Node& node : other.nodes_) {
      nodes_.push_back(std::move(node));
      join_last();
    }
  }

  /// The value of the whole tree. The part must have all leaves.
  [[nodiscard]] Value take() && {
    if (nodes_.size() != 1 || nodes_.front().low != 0 || nodes_.front().high != leaves_)
      throw FormatError("required all leaves of the reduction tree");
    return std::move(nodes_.front().value);
  }

  auto fields(auto&& visit) { return visit(leaves_, nodes_); }

 private:
  struct Node {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    Value value{};

    auto fields(auto&& visit) { return visit(low, high, value); }
  };

  /// Merges the last two nodes as long as they are the two halves of a node.
  void join_last() {
    while (nodes_.size() > 1) {
      Node& left = nodes_[nodes_.size() - 2];
      Node& right = nodes_.back();
      if (tree_cut(left.low, right.high) != left.high || !is_tree_node(left.low, right.high, leaves_)) return;
      left.value.merge(std::move(right.value));
      left.high = right.high;
      nodes_.pop_back();
    }
  }

  std::uint64_t leaves_ = 0;
  std::vector<Node> nodes_;  // in order, without gaps
};

}  // namespace fltr::detail
