#pragma once

#include <cstddef>

#include <fltr/core/reduction_tree.hpp>

namespace fltr {

/// An Execution that computes the blocks in order on the calling thread.
struct Serial {
  static constexpr bool shares_memory = true;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return reduce_tree(0, blocks, leaf);
  }
};

}  // namespace fltr
