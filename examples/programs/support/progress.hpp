#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "stopwatch.hpp"
#include "terminal.hpp"

namespace fltr::examples {

/// The current stage of a run whose work is not counted in rounds.
struct ProgressStage {
  std::size_t number = 1;  ///< from 1
  std::size_t count = 1;
  std::string name;
};

/// The state of a program for the progress bar.
struct ProgressState {
  std::size_t run = 1;
  std::size_t runs = 1;
  std::uint64_t round = 0;
  std::uint64_t rounds = 0;
  std::uint64_t interactions = 0;  ///< of all runs so far
  double seconds = 0;              ///< since the start of the program
  std::optional<double> ndcg{};    ///< of the last evaluation
  std::optional<ProgressStage> stage{};
  std::string unit = "round";  ///< what `round` and `rounds` count
};

/// One line of at most `width` columns: bar, round, interactions per second, last nDCG and time left; or bar, stage and
/// last nDCG.
[[nodiscard]] std::string progress_line(ProgressState const& state, std::size_t width, bool utf8);

/// A progress bar on stderr, only on a terminal. It is redrawn at most ten times per second and erased at the end.
class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;
  ~Progress() { clear(); }

  /// Draws the state. Without `at_once`, nothing is drawn within 0.1 s of the last drawing.
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
