#pragma once

#include <concepts>
#include <cstddef>

#include <fltr/core/hooks.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(interruption_point);
FLTR_HOOK(interruption_point_in_block);
FLTR_HOOK(shares_memory);
FLTR_HOOK(keeps_blocks);
}  // namespace composition

namespace archetypes {

/// A leaf for checking an Execution.
struct Leaf {
  WeightSum operator()(std::size_t) const { return {}; }
};

}  // namespace archetypes

/// An **Execution** decides where blocks of clients are computed: on one thread, on several, or in several processes.
///
/// | required                 | meaning                                                                               |
/// | ------------------------ | ------------------------------------------------------------------------------------- |
/// | `e.reduce(blocks, leaf)` | const; blocks >= 1; calls leaf(b) once for every b < blocks, in any order and any     |
/// |                          | place, and joins the results by `merge` in the order of reduce_tree                   |
/// |                          | (core/reduction_tree.hpp)                                                             |
///
/// | optional                 | meaning                                                                               |
/// | ------------------------ | ------------------------------------------------------------------------------------- |
/// | `E::shares_memory`       | static constexpr bool; true: leaves run in the caller's memory, and each may write to |
/// |                          | a place of its own (see for_each_block); default false                                |
/// | `E::keeps_blocks`        | static constexpr bool; true: for the same number of blocks, each block runs in the    |
/// |                          | same process in every call, and its clients' states stay there; default false         |
/// | `e.interruption_point()` | const; throws Interrupted if the caller asked to stop; long work outside of blocks     |
/// |                          | calls it from time to time; default: nothing                                          |
/// | `e.interruption_point_in_block()` | the same within a block; called by several threads at the same time, before  |
/// |                          | each client and every 1,024 steps of a client's work; default: nothing                |
///
/// Results do not depend on the Execution: random numbers belong to clients, and the reduction tree is fixed. A leaf
/// may run in another process. Therefore its whole result is the value that it returns, and this value has fields.
///
///     struct OneAfterTheOther {
///       template <class Leaf>
///       auto reduce(std::size_t blocks, Leaf const& leaf) const { return fltr::reduce_tree(0, blocks, leaf); }
///     };
///     static_assert(fltr::Execution<OneAfterTheOther>);
///
/// Models: Serial, Threads, MpiRanks (execution/mpi.hpp, needs MPI), and around another Execution Interruptible<E>.
template <class E>
concept Execution = requires(E const& e, std::size_t blocks) {
  { e.reduce(blocks, archetypes::Leaf{}) } -> std::same_as<WeightSum>;
};

static_assert(Execution<Serial>);

/// An Execution whose leaves run in the caller's memory.
template <class E>
concept SharedMemoryExecution = Execution<E> && requires { requires static_cast<bool>(E::shares_memory); };

/// An Execution on several processes. Every process calls `reduce`, runs the same blocks in every call, and gets the
/// same result. The state of a client stays in the process of its block.
template <class E>
concept BlockKeepingExecution = Execution<E> && requires { requires static_cast<bool>(E::keeps_blocks); };

/// Throws Interrupted if the caller asked this Execution to stop. For loops over all clients that are not in blocks.
template <Execution E>
void interruption_point(E const& execution) {
  if constexpr (composition::NamesHook_interruption_point<E>) {
    static_assert(
        requires { execution.interruption_point(); },
        "fltr: the Execution's hook 'interruption_point' must be callable as void interruption_point() const");
    execution.interruption_point();
  }
}

/// The same within a block, where an exception reaches the other blocks through `reduce`.
template <Execution E>
void interruption_point_in_block(E const& execution) {
  if constexpr (composition::NamesHook_interruption_point_in_block<E>) {
    static_assert(
        requires { execution.interruption_point_in_block(); },
        "fltr: the Execution's hook 'interruption_point_in_block' must be callable as "
        "void interruption_point_in_block() const");
    execution.interruption_point_in_block();
  }
}

/// Calls body(b) for every b < blocks. Each call may write to a place of its own.
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
