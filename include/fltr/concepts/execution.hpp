#pragma once

#include <concepts>
#include <cstddef>

#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// A leaf for checking an Execution.
struct AnyLeaf {
  WeightSum operator()(std::size_t) const { return {}; }
};

/// An **Execution** says where blocks of clients run.
///
/// | required                    | meaning                                                                         |
/// | --------------------------- | ------------------------------------------------------------------------------- |
/// | `e.reduce(blocks, leaf)`    | const; calls leaf(b) once for every b < blocks, anywhere and in any order, and  |
/// |                             | joins the results by `merge` in the order of reduce_tree; blocks ≥ 1            |
///
/// | optional                    | meaning                                                                         |
/// | --------------------------- | ------------------------------------------------------------------------------- |
/// | `E::shares_memory`          | static constexpr bool; true: leaves run in the caller's memory, so that each    |
/// |                             | may write to a place of its own (see for_each_block)                            |
/// | `E::keeps_blocks`           | static constexpr bool; true: of the same number of blocks, each runs in the     |
/// |                             | same process in every call, so that what its clients keep may stay there        |
///
/// Results never depend on it: streams of random numbers belong to clients, and the tree is fixed. A leaf may run in
/// another process: all that it found out is in the value that it returns, which has fields.
///
/// Models: Serial, Threads.
template <class E>
concept Execution = requires(E const& e, std::size_t blocks) {
  { e.reduce(blocks, AnyLeaf{}) } -> std::same_as<WeightSum>;
};

/// An Execution whose leaves run in the caller's memory.
template <class E>
concept SharedMemoryExecution = Execution<E> && requires {
  requires static_cast<bool>(E::shares_memory);
};

/// An Execution on several processes, each of which runs the same blocks in every call and calls `reduce` itself; the
/// result is the same in each of them. What clients keep stays in the process of their block.
template <class E>
concept BlockKeepingExecution = Execution<E> && requires {
  requires static_cast<bool>(E::keeps_blocks);
};

/// body(b) for every b < blocks, where each writes to a place of its own.
template <Execution E, class Body>
void for_each_block(E const& execution, std::size_t blocks, Body const& body) {
  static_assert(
      SharedMemoryExecution<E>,
      "fltr: this work writes its results in place, so it needs an Execution in the caller's memory (one with "
      "'static constexpr bool shares_memory = true')");
  struct Done {
    void merge(Done) {}
  };
  if (blocks == 0) return;
  (void)execution.reduce(blocks, [&body](std::size_t block) {
    body(block);
    return Done{};
  });
}

}  // namespace fltr
