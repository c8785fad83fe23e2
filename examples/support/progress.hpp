#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "stopwatch.hpp"
#include "terminal.hpp"

namespace fltr::examples {

/// How far a program has come.
struct ProgressState {
  std::size_t run = 1;
  std::size_t runs = 1;
  std::uint64_t round = 0;
  std::uint64_t rounds = 0;
  std::uint64_t interactions = 0;  ///< in all runs
  double seconds = 0;              ///< since the first run began
  std::optional<double> ndcg{};    ///< the last that was evaluated
};

/// One line of at most `width` columns: bar, round, rate, nDCG so far and time left.
[[nodiscard]] std::string progress_line(ProgressState const& state, std::size_t width, bool utf8);

/// A progress bar on stderr: only on a terminal, drawn over at most ten times a second, gone when it ends.
class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;
  ~Progress() { clear(); }

  void show(ProgressState state);
  void clear();

 private:
  Terminal terminal_;
  bool quiet_;
  bool drawn_ = false;
  double next_ = 0;
  Stopwatch clock_;
};

}  // namespace fltr::examples
