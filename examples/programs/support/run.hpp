#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/metrics/online_measure.hpp>

#include "progress.hpp"
#include "query_results.hpp"
#include "round_row.hpp"
#include "stopwatch.hpp"

namespace fltr::examples {

class Checkpoints;
class Recorder;

/// Results by name, in the order of run.json.
using NamedResults = std::vector<std::pair<std::string, double>>;

/// One run (a fold and a seed) of a Recorder. The time from its start to its last row is training time, except the time
/// of `evaluate`. Without rows, the training time lasts until the run ends.
class Run {
 public:
  /// Values by round, for the curve.
  using Points = std::vector<std::pair<std::uint64_t, double>>;

  Run(Recorder& recorder, std::size_t number, std::size_t fold, std::uint64_t seed)
      : recorder_(&recorder), number_(number), fold_(fold), seed_(seed) {}

  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] std::size_t fold() const noexcept { return fold_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  // ---- during the rounds

  /// Whether --eval-every requires an evaluation after this round.
  [[nodiscard]] bool evaluates(std::uint64_t round) const;
  /// Returns `measure()` and counts its time as evaluation.
  template <class F>
  auto evaluate(F&& measure) {
    Stopwatch const watch;
    auto result = std::forward<F>(measure)();
    evaluate_seconds_ += watch.seconds();
    return result;
  }
  /// Adds the next round. At the end of the run, rows with Keep::if_followed after the last row with Keep::yes are
  /// removed, with their points in the curve: the last row and the last point belong to the reported model.
  void add(RoundRow row, Keep keep = Keep::yes);
  /// Adds a round of an earlier process again. `seconds` is the training time up to this round.
  void add_again(RoundRow row, double seconds, Keep keep = Keep::yes);
  /// For a run that an earlier process began: the times up to its checkpoint.
  void continue_from(double train_seconds, double evaluate_seconds);
  /// The checkpoints of the program.
  [[nodiscard]] Checkpoints& checkpoints() const noexcept;
  /// Call before each further round. If true, a signal came, and the run ends with the rounds that it has.
  [[nodiscard]] bool stops();
  /// The privacy budget ended the run before its last round.
  void stopped_by_budget(BudgetStop const& stop) { budget_stop_ = stop; }
  [[nodiscard]] std::optional<BudgetStop> const& budget_stop() const noexcept { return budget_stop_; }
  /// The privacy loss at the end of the run, if it is not that of the last round.
  void privacy(PrivacySpent spent) { privacy_ = std::move(spent); }
  /// Whether `stops` was ever true.
  [[nodiscard]] bool cut_short() const noexcept { return cut_short_; }
  /// See Recorder::warn.
  void warn(std::string text);
  /// Sets the evaluation of the last row with Keep::yes, for rounds that end early (a privacy budget, early stopping).
  /// Later rows are removed.
  void add_offline(Offline const& offline);
  [[nodiscard]] bool last_row_is_evaluated() const noexcept { return !rows_.empty() && rows_.back().row.offline; }
  /// Counts time of work that does not train the run's model as evaluation.
  void not_training(double seconds) noexcept { evaluate_seconds_ += seconds; }
  /// A point of the run's own curve in the picture, for Recorder::curve_of_own_points.
  void add_curve_point(std::uint64_t round, double ndcg10) { curve_points_.emplace_back(round, ndcg10); }
  /// A point of a curve with which the run is compared; `which`: its number in Recorder::reference.
  void add_reference(std::uint64_t round, double ndcg10, std::size_t which = 0);
  /// For a run whose work is not counted in rounds: the progress bar shows stage `number` of `count` and its name, with
  /// the stages before it as done. The bar is drawn at once, or at its next regular time.
  void stage(std::size_t number, std::size_t count, std::string name, bool at_once = true);

  // ---- after the rounds

  /// A result of the program's own: run.json shows the mean over runs and the standard deviation.
  void result(std::string name, double value) { own_results_.emplace_back(std::move(name), value); }
  /// The same for an exact function of clicks: --no-online leaves it out.
  void online_result(std::string name, double value);
  /// Whether `queries` writes anything: false without --out.
  [[nodiscard]] bool records_queries() const noexcept;
  /// The metrics of each test query under the trained model, once per run and folder. `folder`: see
  /// Recorder::add_folder.
  void queries(Dataset const& test, std::span<QueryValues const> values, std::string const& folder = {});
  /// The trained model: the bytes of its file and its model_sha256. The file is model.fltr, or model-foldF-seedS.fltr
  /// if there are several runs. `folder`: see Recorder::add_folder.
  void model(std::span<std::byte const> bytes, std::string sha256, std::string const& folder = {});

  /// model_sha256 of a result with several models, which are in folders.
  void model_hash(std::string sha256) { model_sha256_ = std::move(sha256); }

  // ---- for the report

  /// Writes the last rows. A second call does nothing.
  void end();
  /// All results: the common ones, then the program's own.
  [[nodiscard]] NamedResults results() const;
  [[nodiscard]] Points const& offline_points() const noexcept { return offline_points_; }
  [[nodiscard]] Points const& curve_points() const noexcept { return curve_points_; }
  [[nodiscard]] Points const& online_points() const noexcept { return online_points_; }
  [[nodiscard]] Points const& reference_points(std::size_t which = 0) const noexcept;
  [[nodiscard]] std::optional<PrivacySpent> const& privacy() const noexcept { return privacy_; }
  [[nodiscard]] std::optional<ProgressStage> const& stage() const noexcept { return stage_; }
  [[nodiscard]] std::uint64_t last_round() const noexcept { return last_round_; }
  [[nodiscard]] std::uint64_t discarded_rounds() const noexcept { return discarded_; }
  [[nodiscard]] std::uint64_t interactions() const noexcept { return interactions_; }
  [[nodiscard]] double train_seconds() const noexcept { return train_seconds_; }
  [[nodiscard]] double evaluate_seconds() const noexcept { return evaluated_before_ + evaluate_seconds_; }
  /// Of the model in --out itself. Empty: no model.
  [[nodiscard]] std::string const& model_sha256() const noexcept { return model_sha256_; }

 private:
  /// A row that is not written yet.
  struct Row {
    RoundRow row;
    double seconds = 0;  // of training so far
    Keep keep = Keep::yes;
  };

  [[nodiscard]] double seconds_of_training() const { return trained_before_ + clock_.seconds() - evaluate_seconds_; }
  void add_at(RoundRow row, Keep keep, double seconds);
  void write_rows();
  void remove_unfollowed();

  Recorder* recorder_;
  std::size_t number_;
  std::size_t fold_;
  std::uint64_t seed_;
  std::vector<Row> rows_;  // not written yet: the last row with Keep::yes, and those after it
  std::optional<ProgressStage> stage_;
  std::uint64_t interactions_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t discarded_ = 0;
  Offline offline_;
  Offline kept_offline_;  // of the last row with Keep::yes, or of a row before it
  std::optional<PrivacySpent> privacy_;
  std::optional<BudgetStop> budget_stop_;
  Points offline_points_;
  Points curve_points_;
  Points online_points_;
  std::vector<Points> reference_points_;
  OnlineMeasure online_discounted_;
  NamedResults own_results_;
  Stopwatch clock_;
  double evaluate_seconds_ = 0;
  double train_seconds_ = 0;
  double trained_before_ = 0;    // by an earlier process
  double evaluated_before_ = 0;  // by an earlier process
  std::set<std::string> folders_with_queries_;
  std::string model_sha256_;
  bool ended_ = false;
  bool cut_short_ = false;
  std::uint64_t last_round_ = 0;
};

}  // namespace fltr::examples
