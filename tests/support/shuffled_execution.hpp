#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/reduction_tree.hpp>

namespace fltr::testing {

/// An Execution that computes the leaves in a random order and merges them in the usual tree. A test with it finds
/// results that depend on the order in which clients work.
struct ShuffledExecution {
  static constexpr bool shares_memory = true;
  std::uint64_t seed = 0;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    std::vector<std::size_t> order(blocks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Stream(seed).shuffle(std::span(order));
    std::vector<std::optional<decltype(leaf(std::size_t{}))>> results(blocks);
    for (std::size_t const block : order) results[block].emplace(leaf(block));
    return reduce_tree(0, blocks, [&](std::size_t block) { return std::move(*results[block]); });
  }
};
static_assert(Execution<ShuffledExecution>);

}  // namespace fltr::testing
