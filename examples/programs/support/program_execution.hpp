#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <fltr/concepts/execution.hpp>
#include <fltr/execution/interruptible.hpp>
#include <fltr/execution/threads.hpp>
#ifdef FLTR_PROGRAMS_USE_MPI
#include <fltr/execution/mpi.hpp>
#endif

#include "options.hpp"
#include "round_watch.hpp"

namespace fltr::examples {

/// The Execution of all programs. There is one type, so that no program compiles its federations twice. A signal ends the
/// round of a training (RoundWatch) in the middle of its blocks.
class ProgramExecution {
#ifdef FLTR_PROGRAMS_USE_MPI
  using Inner = MpiRanks<Threads>;
#else
  using Inner = Threads;
#endif

 public:
  static constexpr bool shares_memory = SharedMemoryExecution<Inner>;
  static constexpr bool keeps_blocks = BlockKeepingExecution<Inner>;

  explicit ProgramExecution(Inner inner) : inner_(std::move(inner)) {}
#ifdef FLTR_PROGRAMS_USE_MPI
  [[nodiscard]] static ProgramExecution alone(Threads threads) {
    return ProgramExecution(Inner::alone(std::move(threads)));
  }
#else
  [[nodiscard]] static ProgramExecution alone(Threads threads) { return ProgramExecution(std::move(threads)); }
#endif

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    watch_->begin();
    auto const stop = [this, own = own_blocks(inner_, blocks)](std::size_t, std::size_t) { return watch_->stops(own); };
    return Interruptible(inner_, stop).reduce(blocks, leaf);
  }
  void interruption_point() const {
    if constexpr (!keeps_blocks)  // ranks leave their work at the same reduction
      if (watch_->stops(0)) throw Interrupted();
  }

  void interruption_point_in_block() const {
    if (watch_->interrupted()) throw Interrupted();
  }

  /// Of all copies of this Execution.
  [[nodiscard]] RoundWatch& watch() const noexcept { return *watch_; }

 private:
  /// The number of blocks that run in this process. A template: Threads have no own_blocks.
  template <class E>
  [[nodiscard]] static std::size_t own_blocks(E const& execution, std::size_t blocks) noexcept {
    if constexpr (BlockKeepingExecution<E>) {
      auto const [first, last] = execution.own_blocks(blocks);
      return last - first;
    } else {
      return blocks;
    }
  }

  Inner inner_;
  std::shared_ptr<RoundWatch> watch_ = std::make_shared<RoundWatch>();
};
static_assert(Execution<ProgramExecution>);

/// --threads threads of this process, for work that is not spread over ranks.
[[nodiscard]] Threads threads_of(CommonOptions const& options);
/// The ranks with --threads threads each. Every rank calls the same reductions.
[[nodiscard]] ProgramExecution execution_of(CommonOptions const& options);
/// One thread of this process.
[[nodiscard]] ProgramExecution one_thread();

}  // namespace fltr::examples
