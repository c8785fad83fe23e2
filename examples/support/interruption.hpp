#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fltr/execution/threads.hpp>

namespace fltr::examples {

/// A signal ended work of which nothing was finished. `what()` says which work, and what is left of it.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// While it lives, SIGINT, SIGTERM and SIGHUP are answered as programs should. Signals that were ignored when the
/// program started (nohup, a job in the background) stay ignored.
///
/// Before `keep_results` the first signal ends the process at once with the status 128 + signal: nothing is lost, and
/// unfinished files and new empty folders are removed. After it, the first signal makes `stop_requested` true: the
/// program finishes its round, writes its results and ends with that status. A second signal ends the process by the
/// signal's default action; unfinished files are removed.
///
/// SIGPIPE and SIGXFSZ are ignored, so that a closed pipe or a limit on file sizes is an error of writing and not the
/// end of a training.
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

/// From here on there is something to save: a signal waits for `stop_requested` to be asked.
void keep_results();

/// True after a signal that has not been acted on.
[[nodiscard]] bool stop_requested() noexcept;
/// The same, asked where more work would follow. If true, that work is left out, and the program ends as interrupted.
[[nodiscard]] bool stop_here() noexcept;
/// Whether `stop_here` was ever true.
[[nodiscard]] bool was_interrupted() noexcept;
/// The signal: 0, or SIGINT and so on; and its name.
[[nodiscard]] int stop_signal() noexcept;
[[nodiscard]] std::string stop_signal_name();

/// Files that AtomicFile has not finished in the folder of this file are removed when a signal ends the process.
void remove_partial_when_killed(std::filesystem::path const& file);
/// The folder is removed when a signal ends the process, if it is empty then.
void remove_folder_when_killed(std::filesystem::path const& folder);

/// Threads for work that has no rounds: throws Interrupted as soon as a signal came.
class StoppableThreads {
 public:
  explicit StoppableThreads(Threads threads) : threads_(std::move(threads)) {}

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return threads_.reduce(blocks, [&leaf](std::size_t block) {
      if (stop_requested()) throw_interrupted();
      return leaf(block);
    });
  }

 private:
  [[noreturn]] static void throw_interrupted();

  Threads threads_;
};
static_assert(Execution<StoppableThreads>);

/// For tests: as if the signal had come after `keep_results`; 0: as if none had.
void pretend_signal(int signal) noexcept;

}  // namespace fltr::examples
