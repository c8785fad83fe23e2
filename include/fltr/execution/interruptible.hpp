#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// What an Interruptible asks: `stop()`, or `stop(block, blocks)` with the block that is about to start and the number of
/// blocks of the reduction (at all other questions, both are 0). Const; returns whether to stop. It is called by several
/// threads at the same time, before every block, before every client and within long work of a client, and must not
/// throw.
template <class S>
concept StopRequest = requires(S const& stop) {
  { stop() } -> std::convertible_to<bool>;
} || requires(S const& stop, std::size_t block) {
  { stop(block, block) } -> std::convertible_to<bool>;
};

/// An Execution that can be stopped in the middle of a round. It asks `stop` before each block of clients, before
/// each client, and every 1,024 steps of a client's work, and throws Interrupted if the answer is true. The round is
/// then undone: the Training is as before it, and the same round runs again with the same bits. Only its privacy account
/// keeps the round if a client had made its message, see Training.
///
///     std::atomic<bool> stop = false;  // a signal handler or another thread sets it
///     auto const stoppable = federation.with_execution(fltr::Interruptible(fltr::Threads{}, [&] { return stop.load(); }));
///
/// The answer must be false again before this Execution is used for other work, such as an evaluation after the stop.
///
/// With MpiRanks it may be outside, `Interruptible(ranks, stop)`, or inside, `MpiRanks(Interruptible(Threads{}, stop))`.
/// After one rank stopped, the same reduction throws Interrupted on all ranks. A rank whose own `stop` stays false first
/// works on to the end of its blocks: send the signal to all ranks.
template <Execution E, StopRequest Stop>
class Interruptible {
 public:
  static constexpr bool shares_memory = SharedMemoryExecution<E>;
  static constexpr bool keeps_blocks = BlockKeepingExecution<E>;

  Interruptible(E execution, Stop stop) : execution_(std::move(execution)), stop_(std::move(stop)) {}

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return execution_.reduce(blocks, [&](std::size_t block) {
      ask(block, blocks);
      return leaf(block);
    });
  }

  /// Does nothing if each process keeps its blocks: the processes must leave their work at the same reduction.
  void interruption_point() const {
    if constexpr (!keeps_blocks) ask(0, 0);
  }

  void interruption_point_in_block() const {
    ask(0, 0);
    fltr::interruption_point_in_block(execution_);
  }

 private:
  void ask(std::size_t block, std::size_t blocks) const {
    bool stops = false;
    if constexpr (requires { stop_(block, blocks); })
      stops = stop_(block, blocks);
    else
      stops = stop_();
    if (stops) [[unlikely]]
      throw Interrupted();
  }

  E execution_;
  Stop stop_;
};

}  // namespace fltr
