#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fltr/data/normalize.hpp>
#include <fltr/formats/letor_options.hpp>

namespace fltr::examples {

enum class Clicks { perfect, navigational, informational };
enum class RankerKind { linear, neural };
enum class StartKind { zero, random };

/// The options that all programs share. A program sets the defaults of its paper, passes the struct to Program::common,
/// and reads it after the command line has been parsed.
struct CommonOptions {
  std::string data = "synthetic:mq2007";
  std::optional<std::array<double, 3>> split{};
  Normalization normalize = Normalization::query;
  bool public_statistics = false;          ///< those of Normalization::zscore are declared public
  double clamp = LetorOptions{}.clamp_to;  ///< infinity: off
  Clicks clicks = Clicks::perfect;
  RankerKind ranker = RankerKind::linear;
  StartKind start = StartKind::zero;
  std::uint32_t clients = 1000;
  std::uint32_t interactions = 4;
  std::uint32_t rounds = 1000;
  double learning_rate = 0.1;
  std::uint64_t seed = 1;
  std::uint32_t repeats = 1;
  std::uint32_t threads = 0;
  std::uint32_t eval_every = 0;  ///< 0: the default, see evaluation_interval
  std::filesystem::path out{};   ///< empty: nothing is written
  bool force = false;            ///< an earlier result in `out` is replaced
  bool quiet = false;
  bool no_online = false;               ///< results that are exact functions of clicks are left out
  std::filesystem::path checkpoint{};   ///< the folder of the checkpoints; empty: none are written
  std::uint32_t checkpoint_rounds = 0;  ///< a checkpoint after rounds N, 2N, ...; 0: not by rounds
  double checkpoint_seconds = 60;       ///< a checkpoint after this time; 0: not by time
  bool resume = false;                  ///< goes on from the checkpoints
  double dropout = 0;                   ///< the probability that a client does not report in a round
  std::uint32_t minimum_reports = 1;    ///< with fewer reports, a round does not change the model

  /// The rounds between two offline evaluations: --eval-every, or a fiftieth of the rounds, at least 1.
  [[nodiscard]] std::uint32_t evaluation_interval() const noexcept {
    return eval_every > 0 ? eval_every : std::max(1U, rounds / 50);
  }
};

/// A common option. Program::common takes a list of those that the program does not use.
enum class Common {
  data,
  split,
  normalize,
  clamp,
  clicks,
  ranker,
  start,
  clients,
  interactions,
  rounds,
  learning_rate,
  seed,
  repeats,
  threads,
  eval_every,
  out,
  checkpoint,
  checkpoint_every,
  no_online,
  dropout,
};

/// Throws UsageError if --minimum-reports is above the number of clients: then no round could change the model.
void require_reports(CommonOptions const& options, std::uint64_t clients);

/// The number of threads: --threads, or all cores for 0.
[[nodiscard]] unsigned thread_count(CommonOptions const& options) noexcept;

}  // namespace fltr::examples
