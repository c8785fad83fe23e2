#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/tree.hpp>

namespace fltr {

/// Blocks on several threads of this machine (oneTBB). The halves of the tree are tasks; the joins are those of Serial.
struct Threads {
  int count = 0;  ///< 0: all cores

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    require(count >= 0, "Threads", "a count >= 0", count);
    // More threads than cores, as tests of reproducibility want them, have to be allowed first.
    std::optional<oneapi::tbb::global_control> more;
    if (count > oneapi::tbb::info::default_concurrency())
      more.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
    oneapi::tbb::task_arena arena(count == 0 ? oneapi::tbb::task_arena::automatic : count);
    return arena.execute([&] { return node(0, blocks, leaf); });
  }

 private:
  template <class Leaf>
  static auto node(std::size_t low, std::size_t high, Leaf const& leaf) -> decltype(leaf(low)) {
    if (high - low <= 1) return leaf(low);
    std::size_t const middle = tree_cut(low, high);
    std::optional<decltype(leaf(low))> left;
    std::optional<decltype(leaf(low))> right;
    oneapi::tbb::parallel_invoke([&] { left.emplace(node(low, middle, leaf)); },
                                 [&] { right.emplace(node(middle, high, leaf)); });
    left->merge(std::move(*right));
    return std::move(*left);
  }
};
static_assert(Execution<Threads>);

}  // namespace fltr
