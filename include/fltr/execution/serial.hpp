#pragma once

#include <cstddef>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/tree.hpp>

namespace fltr {

/// One block after the other, on the calling thread.
struct Serial {
  static constexpr bool shares_memory = true;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return reduce_tree(0, blocks, leaf);
  }
};
static_assert(Execution<Serial>);

}  // namespace fltr
