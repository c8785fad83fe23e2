#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/execution/threads.hpp>

namespace fltr::examples {

/// Thrown when a signal ends work without a result. `what()` names the work and the files that remain.
using fltr::Interrupted;

/// While it exists, it handles SIGINT, SIGTERM and SIGHUP as described below. Signals that were ignored when the
/// program started (nohup, a job in the background) stay ignored.
///
/// Before `keep_results` the first signal ends the process at once with the status 128 + signal: nothing is lost, and
/// unfinished files and new empty folders are removed. After `keep_results` the first signal makes `stop_requested`
/// true: the program leaves its round undone, writes its results and ends with that status. A second signal ends the process
/// by the signal's default action; unfinished files are removed.
///
/// SIGPIPE and SIGXFSZ are ignored, so that a closed pipe or a limit on file sizes is a write error and does not end a
/// training.
class SignalWatch {
 public:
  explicit SignalWatch(std::string program);
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;
  ~SignalWatch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Call when there are results to save. After this call a signal only makes `stop_requested` true.
void keep_results();

/// True after a signal that has not been acted on. On several ranks: after a signal on any of them, of which all ranks
/// know, so that all of them stop at the same place.
[[nodiscard]] bool stop_requested() noexcept;
/// The same on this rank alone, for work within a reduction.
[[nodiscard]] bool signal_arrived() noexcept;
/// The same, called before more work. If true, the caller skips that work, and the program ends as interrupted.
[[nodiscard]] bool stop_here() noexcept;
/// Whether `stop_here` was ever true.
[[nodiscard]] bool was_interrupted() noexcept;
/// The number of the signal (0: none), and its name.
[[nodiscard]] int stop_signal() noexcept;
[[nodiscard]] std::string stop_signal_name();

/// If a signal ends the process, unfinished files of AtomicFile in the folder of this file are removed.
void remove_partial_when_killed(std::filesystem::path const& file);
/// If a signal ends the process, this folder is removed if it is empty.
void remove_folder_when_killed(std::filesystem::path const& folder);

/// While the lock is held, no signal removes unfinished files. For renaming several files without an interruption.
[[nodiscard]] std::unique_lock<std::mutex> hold_unfinished_files();

/// Marks the end of work as interrupted and throws Interrupted.
[[noreturn]] void throw_interrupted();

/// An Execution for work without rounds: throws Interrupted as soon as a signal arrives, on all ranks.
template <Execution E>
class Stoppable {
 public:
  explicit Stoppable(E execution) : execution_(std::move(execution)) {}

  static constexpr bool shares_memory = SharedMemoryExecution<E>;
  static constexpr bool keeps_blocks = BlockKeepingExecution<E>;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    try {
      return execution_.reduce(blocks, [&leaf](std::size_t block) {
        if (signal_arrived()) throw Interrupted("interrupted");
        return leaf(block);
      });
    } catch (Interrupted const&) {
      throw_interrupted();
    } catch (std::runtime_error const&) {
      if (keeps_blocks && stop_requested()) throw_interrupted();  // the signal came to another rank
      throw;
    }
  }

 private:
  E execution_;
};
using StoppableThreads = Stoppable<Threads>;
static_assert(Execution<StoppableThreads>);

/// For tests: simulates a signal after `keep_results`; 0: no signal.
void pretend_signal(int signal) noexcept;

}  // namespace fltr::examples
