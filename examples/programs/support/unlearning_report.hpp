#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fltr/federation/leak_test.hpp>
#include <fltr/federation/replay_report.hpp>
#include <fltr/unlearners/verify.hpp>

#include "recorder.hpp"
#include "unlearning_setting.hpp"

namespace fltr::examples {

/// A cell of --grid: FedEraser with one interval and one number of local steps, over all runs.
struct UnlearningCell {
  std::vector<double> unlearned;  ///< nDCG@10, by run
  std::vector<double> seconds;    ///< processor time of the replay, by run
  ReplayReport cost;              ///< of the last run
};

/// What the program unlearning finds out over all runs. Values are nDCG@10 after the last round, by run.
struct UnlearningFindings {
  std::vector<double> before;
  std::vector<double> honest;
  std::vector<double> retrained;
  std::vector<double> unlearned;
  std::vector<double> retraining_seconds;  ///< processor time of the replay, by run
  std::vector<double> unlearning_seconds;
  ReplayReport retraining;  ///< of the last run
  ReplayReport unlearning;
  std::uint64_t history_bytes = 0;
  std::size_t parameters = 0;
  std::vector<DistanceToRetraining> distances;  ///< of each fold
  std::optional<LeakTest> leak;                 ///< of the first run
  /// By interval and local steps. A run that a signal ended may be missing in some cells.
  std::map<std::pair<std::uint32_t, std::uint32_t>, UnlearningCell> grid;
};

/// Adds the findings to `result` of run.json, and returns the tables that follow the report. Empty if no run ended.
[[nodiscard]] std::string unlearning_report(Recorder& recorder, UnlearningOptions const& options,
                                            UnlearningFindings const& findings, bool utf8);

}  // namespace fltr::examples
