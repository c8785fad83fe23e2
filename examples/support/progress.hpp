#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "stopwatch.hpp"
#include "terminal.hpp"

namespace fltr::examples {

/// The current stage of a run that has no rounds.
struct ProgressStage {
  std::size_t number = 1;  ///< of the current stage, from 1
  std::size_t count = 1;
  std::string name;
};

/// How far a program has come.
struct ProgressState {
  std::size_t run = 1;
  std::size_t runs = 1;
  std::uint64_t round = 0;
  std::uint64_t rounds = 0;
  std::uint64_t interactions = 0;  ///< in all runs
  double seconds = 0;              ///< since the first run began
  std::optional<double> ndcg{};    ///< the last that was evaluated
  std::optional<ProgressStage> stage{};
};

/// One line of at most `width` columns: bar, round, rate, nDCG so far and time left; or bar,
/// stage and nDCG so far.
[[nodiscard]] std::string progress_line(ProgressState const& state, std::size_t width, bool utf8);

/// A progress bar on stderr: only on a terminal, drawn over at most ten times a second, gone when it ends.
class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;
  ~Progress() { clear(); }

  /// `at_once`: draws even if the last drawing was a moment ago; for states that stay for long.
  void show(ProgressState const& state, bool at_once = false);
  void clear();

 private:
  Terminal terminal_;
  bool quiet_;
  bool drawn_ = false;
  double next_ = 0;
  Stopwatch clock_;
};

}  // namespace fltr::examples
