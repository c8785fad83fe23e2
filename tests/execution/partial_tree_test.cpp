#include <fltr/execution/detail/partial_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/serial.hpp>

#include "support/catch.hpp"
#include "support/merge_order.hpp"

namespace {

using fltr::detail::is_tree_node;
using fltr::detail::PartialTree;
using fltr::testing::MergeOrder;

/// The part [low, high), merged in the order of the reduction tree of its own leaves.
PartialTree<MergeOrder> part(std::size_t leaves, std::size_t low, std::size_t high) {
  if (low == high) return {};
  return fltr::Serial{}.reduce(
      high - low, [&](std::size_t i) { return PartialTree<MergeOrder>(leaves, low + i, MergeOrder::leaf(low + i)); });
}

/// The number of leaves.
struct Count {
  std::size_t leaves = 1;
  void merge(Count other) { leaves += other.leaves; }
  auto fields(auto&& visit) { return visit(leaves); }
};

}  // namespace

TEST_CASE("Parts of a reduction tree that are cut anywhere merge in the order of the tree") {
  auto const leaf = [](std::size_t i) { return MergeOrder::leaf(i); };
  for (std::size_t leaves = 1; leaves <= 40; ++leaves) {
    auto const expected = fltr::Serial{}.reduce(leaves, leaf).text;
    for (std::size_t first = 0; first <= leaves; ++first)
      for (std::size_t second = first; second <= leaves; ++second) {
        auto all = part(leaves, 0, first);
        all.merge(part(leaves, first, second));
        all.merge(part(leaves, second, leaves));
        REQUIRE(std::move(all).take().text == expected);
        auto right = part(leaves, first, second);  // the right neighbours first, as in a tree of ranks
        right.merge(part(leaves, second, leaves));
        auto left = part(leaves, 0, first);
        left.merge(std::move(right));
        REQUIRE(std::move(left).take().text == expected);
      }
  }
}

TEST_CASE("The nodes of a reduction tree of 6 leaves are known") {
  // ((0 1) (2 3)) (4 5)
  std::vector<std::pair<std::size_t, std::size_t>> const nodes{{0, 6}, {0, 4}, {4, 6}, {0, 2}, {2, 4}, {0, 1},
                                                               {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
  for (std::size_t low = 0; low < 6; ++low)
    for (std::size_t high = low + 1; high <= 6; ++high) {
      bool const is_node = std::find(nodes.begin(), nodes.end(), std::pair(low, high)) != nodes.end();
      CHECK(is_tree_node(low, high, 6) == is_node);
    }
}

TEST_CASE("A part of 100000 leaves in the middle has few nodes") {
  PartialTree<Count> all;
  for (std::size_t i = 33333; i < 66666; ++i) all.merge(PartialTree<Count>(100000, i, Count{}));
  // A node takes 24 bytes, and 16 bytes stand before the nodes. log2(33333) is 15.02, so there are at most 32 nodes.
  CHECK(fltr::field_bytes(all).size() <= 16 + 32 * 24);
}

TEST_CASE("Parts that are no neighbours, parts of other trees and incomplete parts are refused") {
  auto left = part(8, 0, 3);
  CHECK_THROWS_WITH(left.merge(part(8, 4, 8)), "required neighbouring parts of one reduction tree");
  CHECK_THROWS_WITH(left.merge(part(9, 3, 8)), "required neighbouring parts of one reduction tree");
  CHECK_THROWS_WITH(std::move(left).take(), "required all leaves of the reduction tree");
}
