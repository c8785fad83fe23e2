#pragma once

#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/reduction_tree.hpp>

namespace fltr::testing {

/// An Execution on std::thread. The thread sanitizer understands its synchronisation (not that of TBB), so that it
/// finds data races between blocks.
struct PlainThreads {
  static constexpr bool shares_memory = true;
  std::size_t count = 2;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    std::vector<std::optional<decltype(leaf(std::size_t{}))>> results(blocks);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t block = t; block < blocks; block += count) results[block].emplace(leaf(block));
      });
    for (auto& thread : threads) thread.join();
    return reduce_tree(0, blocks, [&](std::size_t block) { return std::move(*results[block]); });
  }
};
static_assert(Execution<PlainThreads>);

}  // namespace fltr::testing
