#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/data/dataset.hpp>

#include "curve.hpp"
#include "files.hpp"
#include "interruption.hpp"
#include "options.hpp"
#include "output_folder.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "query_results.hpp"
#include "round_row.hpp"
#include "stopwatch.hpp"

namespace fltr::examples {

class Recorder;

/// What run.json says about the data.
struct DatasetSummary {
  std::size_t queries = 0;
  std::size_t documents = 0;
  std::size_t features = 0;
  std::size_t grades = 0;
  std::size_t empty_queries = 0;
  std::size_t clamped = 0;  ///< feature values that the reader clamped, see --clamp
};

/// One run (a fold and a seed) on its way into the recorder. All that happens from its start to its last row counts as
/// training, but for what `evaluate` runs; without rows, to its end.
class Run {
 public:
  Run(Recorder& recorder, std::size_t number, std::size_t fold, std::uint64_t seed)
      : recorder_(&recorder), number_(number), fold_(fold), seed_(seed) {}

  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] std::size_t fold() const noexcept { return fold_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// Whether --eval-every asks for an evaluation after this round.
  [[nodiscard]] bool evaluates(std::uint64_t round) const;
  /// Returns `measure()` and counts its time as evaluation.
  template <class F>
  auto evaluate(F&& measure) {
    Stopwatch const watch;
    auto result = std::forward<F>(measure)();
    evaluate_seconds_ += watch.seconds();
    return result;
  }

  /// The next round. Rows with Keep::if_followed that nothing follows are dropped in the end, with their points in the
  /// curve: the last row and the last point belong to the model that is reported.
  void add(RoundRow row, Keep keep = Keep::yes);
  /// Asked before each further round. True: a signal came, and the run ends with the rounds that it has.
  [[nodiscard]] bool stops();
  /// Whether `stops` was true.
  [[nodiscard]] bool cut_short() const noexcept { return cut_short_; }
  /// The evaluation of the last row that is kept, where the rounds ended earlier than was known (a privacy budget,
  /// early stopping). Later rows are dropped.
  void add_offline(Offline const& offline);
  [[nodiscard]] bool last_row_is_evaluated() const noexcept { return !rows_.empty() && rows_.back().row.offline; }

  /// For a run whose work is not counted in rounds: the progress shows stage `number` of `count` and its name instead
  /// of rounds, with the stages before it as done. It is drawn at once, or else when it is due again.
  void stage(std::size_t number, std::size_t count, std::string name, bool at_once = true);

  /// A result of the program's own: run.json gets the mean over runs and its deviation.
  void result(std::string name, double value) { own_results_.emplace_back(std::move(name), value); }
  /// Whether anybody reads what `queries` takes: without --out it need not be measured.
  [[nodiscard]] bool records_queries() const noexcept;
  /// The metrics of each test query under the trained model, once in a run. Of further models, in a folder of their
  /// own: see Recorder::add_folder.
  void queries(Dataset const& test, std::span<QueryValues const> values, std::string const& folder = {});
  /// The trained model. Written to --out as model.fltr, or as model-foldF-seedS.fltr where there are several runs. The
  /// first run's is hashed, unless it is a further one in a folder of its own.
  void model(std::span<std::byte const> bytes, std::string const& folder = {});

 private:
  friend class Recorder;
  using Points = std::vector<std::pair<std::uint64_t, double>>;

  /// A row that is not written yet.
  struct Row {
    RoundRow row;
    double seconds = 0;  // of training so far
    Keep keep = Keep::yes;
  };

  void end();
  void write_rows();
  void drop_unfollowed();
  [[nodiscard]] std::vector<std::pair<std::string, double>> results() const;

  Recorder* recorder_;
  std::size_t number_;
  std::size_t fold_;
  std::uint64_t seed_;
  std::vector<Row> rows_;  // not written yet: the last that is kept, and those behind it
  std::optional<ProgressStage> stage_;
  std::uint64_t interactions_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t rejected_ = 0;
  Offline offline_;
  Offline kept_offline_;  // the last in a row that is kept
  std::optional<PrivacySpent> privacy_;
  Points offline_points_;
  Points online_points_;
  double online_discounted_ = 0;
  double weight_ = 1;
  std::vector<std::pair<std::string, double>> own_results_;
  Stopwatch clock_;
  double evaluate_seconds_ = 0;
  double train_seconds_ = 0;
  std::set<std::string> folders_with_queries_;
  bool ended_ = false;
  bool cut_short_ = false;
  std::uint64_t last_round_ = 0;
};

/// Collects the rounds of all runs and makes of them what every program leaves: rounds.csv, queries.csv, run.json,
/// curve.svg and the models, in --out; a table and a curve on stdout.
///
/// rounds.csv is CSV as in RFC 4180, except that lines end in a plain line feed. `interactions` (of the run), the ε
/// columns and `seconds` (of training) are totals since the run's start; the other columns belong to the round. A field
/// without a value is empty. Numbers are the shortest decimals that read back exactly. So it is in queries.csv, which
/// has a line for each test query of each run (see query_results.hpp).
///
/// A file that cannot be written (a full disk) keeps neither the other files nor the report from coming; `finish`
/// throws at its end. Where an earlier result is to be replaced (--force), that happens as a whole or not at all: if a
/// file is missing the earlier result stays, and the new files have ".new" behind their names. A signal ends the last
/// run early: see Run::stops. Results count the rounds that this run has.
///
/// In run.json a number that does not exist or is not finite is null. Deviations are of the sample (n − 1). The results
/// of a run are those of its last evaluated round.
class Recorder {
 public:
  /// Takes hold of --out and opens the files there at once, see OutputFolder.
  Recorder(Program const& program, CommonOptions const& options, std::vector<std::string> extra_columns = {});
  Recorder(Recorder const&) = delete;
  Recorder& operator=(Recorder const&) = delete;

  /// A folder in --out with a queries.csv and a model of its own, for programs that train several models in a run.
  /// Opened at once too.
  void add_folder(std::string const& folder);
  /// How many runs there will be, for the progress bar and the names of the models.
  void expect_runs(std::size_t runs) noexcept { expected_runs_ = runs; }
  /// For a run without clients: what the report and the chart say in their place.
  void instead_of_clients(std::string text) { instead_of_clients_ = std::move(text); }
  void dataset(DatasetSummary const& summary) { dataset_ = summary; }
  /// The next run; the one before ends, if it has not.
  Run& start_run(std::size_t fold, std::uint64_t seed);
  void end_run();
  /// The last run, which has no round yet, does not count.
  void drop_run();
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  /// Calls `write()`, which writes a file outside of --out. An error that it throws is reported by `finish`.
  template <class Write>
  void attempt(Write&& write) {
    output_errors_.attempt(std::forward<Write>(write));
  }
  /// Seconds for run.json: "load", or a name of the program's own. Adds up.
  void add_seconds(std::string_view name, double seconds);
  /// A result that is not one number per run, as JSON text.
  void result_json(std::string name, std::string json);

  /// Ends the last run and writes the files. Throws std::runtime_error where one could not be written.
  void close();
  /// The same, but prints the report, and `more`, before it throws.
  void finish(std::string_view more = {});

  /// The content of run.json, and what `finish` prints; when the last run has ended.
  [[nodiscard]] std::string run_json() const;
  [[nodiscard]] std::string report(bool utf8, std::size_t width) const;
  [[nodiscard]] Chart chart() const;

 private:
  friend class Run;
  using Named = std::vector<std::pair<std::string, double>>;

  /// By the name in --out; each is finished.
  using CompleteFiles = std::vector<std::pair<std::filesystem::path, GrowingFile*>>;

  void write_files();
  /// Gives the files their names.
  void name_files(CompleteFiles const& complete);
  /// For a new result that is not complete: the earlier one stays, and these files get names beside it.
  void keep_earlier_result(CompleteFiles const& complete);
  void write_lines(GrowingFile& file, std::string_view lines);
  /// Writes a file in --out: at once, or with the others at the end where it cannot be written yet or would replace one
  /// of an earlier result.
  void write_result(std::filesystem::path const& file, std::string bytes);
  /// Whether the file of this name in --out is one of this result, and not missing.
  [[nodiscard]] bool is_written(std::filesystem::path const& file) const;
  /// Where a signal ended the runs, for people.
  [[nodiscard]] std::string interruption() const;
  void write_row(Run const& run, RoundRow const& row, double seconds);
  void show_progress(Run const& run, bool at_once = false);
  /// The name of a run's model file.
  [[nodiscard]] std::string model_name(Run const& run) const;
  [[nodiscard]] std::vector<std::string> result_names() const;
  /// That result of every run of the fold (0: of all folds).
  [[nodiscard]] std::vector<double> results(std::string_view name, std::size_t fold) const;
  [[nodiscard]] std::vector<std::size_t> folds() const;
  [[nodiscard]] std::uint64_t interactions() const;
  [[nodiscard]] double train_seconds() const;
  [[nodiscard]] double evaluate_seconds() const;

  Program const* program_;
  CommonOptions const* options_;
  std::vector<std::string> extra_columns_;
  std::optional<OutputFolder> out_;
  std::optional<GrowingFile> rounds_file_;
  std::map<std::string, GrowingFile> queries_files_;        // by folder; "": --out itself
  std::map<std::filesystem::path, std::string> unwritten_;  // bytes by file in --out
  std::set<std::filesystem::path> written_;                 // in --out
  std::vector<std::string> missing_;                        // files in --out that could not be written
  OutputErrors output_errors_;
  bool earlier_stays_ = false;  // where --force asked to replace it
  std::string output_note_;     // what the error says behind the files that are missing
  std::vector<std::string> folders_;
  Progress progress_;
  Stopwatch clock_;
  double next_flush_ = 1;
  std::size_t expected_runs_ = 1;
  DatasetSummary dataset_;
  std::string instead_of_clients_;
  std::deque<Run> runs_;
  Named seconds_{{"load", 0.0}};
  std::vector<std::pair<std::string, std::string>> own_json_;
  std::string model_sha256_;
};

}  // namespace fltr::examples
