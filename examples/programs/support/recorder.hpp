#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "curve.hpp"
#include "json.hpp"
#include "options.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "result_files.hpp"
#include "run.hpp"
#include "stopwatch.hpp"

namespace fltr::examples {

class RunSummary;

/// The description of the data in run.json.
struct DatasetSummary {
  std::size_t queries = 0;
  std::size_t documents = 0;
  std::size_t features = 0;
  std::size_t grades = 0;
  std::size_t empty_queries = 0;
  std::size_t clamped = 0;  ///< feature values that the reader clamped, see --clamp
};

/// The main result of a program, if it is not the offline result of the trained model. It is the first result in
/// run.json and in the table. In the table the program's other results follow it, and the offline results come last.
struct Headline {
  std::string result;         ///< a name of Run::result
  std::string label;          ///< its label in the table
  std::string offline_model;  ///< the model that the offline results belong to
};

/// Collects the rounds of all runs and makes the output of every program: rounds.csv, queries.csv, run.json, curve.svg
/// and the models in --out; a table and a curve on stdout.
///
/// rounds.csv is CSV as in RFC 4180, except that lines end in a line feed. `interactions` (of the run), the ε columns
/// and `seconds` (of training) are totals since the start of the run; the other columns belong to the round. A field
/// without a value is empty. Numbers are the shortest decimals that read back exactly. queries.csv has the same format
/// and one line for each test query of each run, see query_results.hpp.
///
/// If a file cannot be written (a full disk), the other files and the report are still written, and `finish` throws at
/// its end, see ResultFiles. A signal ends the last run early, see Run::stops. Results then count the rounds that this
/// run has.
///
/// In run.json a number that is missing or not finite is null. Deviations are of the sample (n − 1). The results of a
/// run are the values of its last evaluated round.
class Recorder {
 public:
  /// Locks --out and opens files there at once, see ResultFiles.
  Recorder(Program const& program, CommonOptions const& options, std::vector<std::string> extra_columns = {});
  Recorder(Recorder const&) = delete;
  Recorder& operator=(Recorder const&) = delete;
  ~Recorder();

  // ---- before the runs

  /// A folder in --out with its own queries.csv and models, for programs that train several models in a run.
  void add_folder(std::string const& folder) { files_.add_folder(folder); }
  /// The number of runs to come, for the progress bar and the names of the models.
  void expect_runs(std::size_t runs) noexcept { expected_runs_ = runs; }
  /// For a program without clients: the text that replaces their number in the report and in the chart.
  void instead_of_clients(std::string text) { instead_of_clients_ = std::move(text); }
  /// What the rounds of the program are, for pictures and the progress bar: "round" or "tree".
  void unit(std::string unit) { unit_ = std::move(unit); }
  void headline(Headline headline) { headline_ = std::move(headline); }
  /// The names in the picture of the run's own curve and of up to three others (Run::add_reference).
  void reference(std::string own, std::vector<std::string> references) {
    own_label_ = std::move(own);
    reference_labels_ = std::move(references);
  }
  /// The run's own curve is made of Run::add_curve_point, and not of the offline results of the rounds.
  void curve_of_own_points() noexcept { own_points_ = true; }
  void dataset(DatasetSummary const& summary) { dataset_ = summary; }
  /// The absolute path of --data, or the name of a synthetic set; and the hash of the files that were read (empty:
  /// none).
  void data_source(std::string path, std::string hash) {
    data_path_ = std::move(path);
    data_hash_ = std::move(hash);
  }

  // ---- the runs

  /// Starts the next run. The run before it ends.
  Run& start_run(std::size_t fold, std::uint64_t seed);
  void end_run();
  /// Removes the last run, which has no round yet.
  void drop_run();
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  /// Calls `write()`, which writes a file outside of --out; only on the first rank. If it throws, `finish` reports the
  /// error.
  template <class Write>
  void attempt(Write&& write) {
    if (is_first_rank()) files_.attempt(std::forward<Write>(write));
  }
  /// Adds seconds to a value of `seconds` in run.json: "load", or a name of the program's own.
  void add_seconds(std::string_view name, double seconds);
  /// A result of the program's own that is not one number per run. `value` stands in `result` of run.json.
  void result(std::string const& name, Json const& value);
  /// Names a result of the program's own that is computed from clicks, so that no epsilon covers it. --no-online does not
  /// leave it out.
  void depends_on_clicks(std::string name) { of_clicks_.push_back(std::move(name)); }
  /// The picture in place of the curve of the runs.
  void picture(Chart chart) { picture_ = std::move(chart); }
  /// A line of the report behind the lines about privacy. A line that is already there is not added again.
  void line(std::string what, std::string text);
  /// A line on stderr at once, in the report and in run.json. A warning that was given already is not given again.
  void warn(std::string text);

  // ---- after the runs

  /// Ends the last run and writes the files. Throws std::runtime_error if a file could not be written.
  void close();
  /// The same, but prints the report, and `more`, before it throws.
  void finish(std::string_view more = {});

  /// The content of run.json. Call it, `report` and `chart` after the last run has ended.
  [[nodiscard]] Json run_json() const;
  /// The text that `finish` prints.
  [[nodiscard]] std::string report(bool utf8, std::size_t width) const;
  [[nodiscard]] Chart chart() const;

  // ---- for Run

  [[nodiscard]] CommonOptions const& options() const noexcept { return *options_; }
  /// The number of columns that the program adds to rounds.csv.
  [[nodiscard]] std::size_t extra_columns() const noexcept { return extra_columns_; }
  [[nodiscard]] ResultFiles& files() noexcept { return files_; }
  [[nodiscard]] Checkpoints& checkpoints() noexcept { return *checkpoints_; }
  [[nodiscard]] std::string model_name(Run const& run) const;
  void show_progress(Run const& run, bool at_once = false);

 private:
  void write_files();
  /// The table of results.
  [[nodiscard]] std::string result_table(bool utf8) const;
  /// The place where a signal ended the runs, for people.
  [[nodiscard]] std::string interruption() const;
  /// "round", or "number of trees".
  [[nodiscard]] std::string x_label() const;
  /// The results that are functions of clicks and of no message alone: no epsilon covers them.
  [[nodiscard]] std::vector<std::string> not_covered(RunSummary const& summary) const;
  /// The options that a reader of the result wants to know, in one line.
  [[nodiscard]] std::string setting() const;

  Program const* program_;
  CommonOptions const* options_;
  std::size_t extra_columns_;
  std::unique_ptr<Checkpoints> checkpoints_;  // before the files: a refused folder of checkpoints leaves --out as it is
  ResultFiles files_;
  Progress progress_;
  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
  Stopwatch clock_;
  std::size_t expected_runs_ = 1;
  DatasetSummary dataset_;
  std::string data_path_;
  std::string data_hash_;
  std::string instead_of_clients_;
  std::string unit_ = "round";
  Headline headline_;
  std::string own_label_ = "offline";
  std::vector<std::string> reference_labels_;
  bool own_points_ = false;
  std::deque<Run> runs_;
  NamedResults seconds_{{"load", 0.0}};
  std::unique_ptr<Json> own_results_;  // an object
  std::vector<std::pair<std::string, std::string>> own_lines_;
  std::vector<std::string> warnings_;
  std::vector<std::string> of_clicks_;
  std::optional<Chart> picture_;
};

}  // namespace fltr::examples
