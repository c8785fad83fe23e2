#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/state.hpp>
#include <fltr/formats/model_file.hpp>
#include <fltr/formats/model_sha256.hpp>
#include <fltr/metrics/average_precision.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/evaluation.hpp>
#include <fltr/metrics/expected_max_rr.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>

#include "data_source.hpp"
#include "interruption.hpp"
#include "options.hpp"
#include "program_execution.hpp"
#include "recorder.hpp"
#include "resumable_training.hpp"

namespace fltr::examples {

/// The click model of --clicks.
[[nodiscard]] inline CascadeModel click_model_of(CommonOptions const& options, NamedFold const& fold) {
  require_click_tables(fold);
  switch (options.clicks) {
    case Clicks::navigational:
      return CascadeModel::navigational(fold.grade_count());
    case Clicks::informational:
      return CascadeModel::informational(fold.grade_count());
    case Clicks::perfect:
      break;
  }
  return CascadeModel::perfect(fold.grade_count());
}

/// The mean; NaN if the metric skipped every query.
[[nodiscard]] inline double mean_of(Evaluation const& evaluation) noexcept {
  return evaluation.queries > 0 ? evaluation.mean() : std::numeric_limits<double>::quiet_NaN();
}

/// The offline measures of all programs, in one pass over the queries.
template <class R>
[[nodiscard]] Offline offline_of(R const& ranker, Dataset const& data, ProgramExecution const& execution) {
  auto const [ndcg, ndcg5, mrr] =
      evaluate_on(execution, ranker, data, Ndcg{.cutoff = 10}, Ndcg{.cutoff = 5}, ReciprocalRank{.cutoff = 10});
  return {.ndcg10 = mean_of(ndcg), .mrr10 = mean_of(mrr), .ndcg5 = mean_of(ndcg5)};
}

/// The same over the test queries, with MaxRR: its expectation under the click model.
template <class R>
[[nodiscard]] Offline offline_of(R const& ranker, NamedFold const& fold, CascadeModel const& users,
                                 ProgramExecution const& execution) {
  auto const [ndcg, ndcg5, mrr, maxrr] =
      evaluate_on(execution, ranker, fold.test, Ndcg{.cutoff = 10}, Ndcg{.cutoff = 5}, ReciprocalRank{.cutoff = 10},
                  ExpectedMaxRr{.click_probability = users.click_probability, .cutoff = 10});
  return {mean_of(ndcg), mean_of(mrr), mean_of(maxrr), mean_of(ndcg5)};
}

/// Records `query_metrics` of each test query under the trained model, with the conventions of `offline_of`. Without
/// --out nothing is evaluated. `folder`: see Recorder::add_folder.
template <class R>
void record_queries(Run& run, R const& ranker, Dataset const& test, std::string const& folder = {}) {
  if (!run.records_queries()) return;
  run.queries(test, run.evaluate([&] {
    return evaluate_queries(ranker, test, Ndcg{.cutoff = 10}, Ndcg{.cutoff = 5}, AveragePrecision{.cutoff = 0},
                            ReciprocalRank{.cutoff = 10});
  }),
              folder);
}

/// Records the trained model. `folder`: see Recorder::add_folder.
template <class R>
void record_model(Run& run, R const& ranker, ModelInput const& input, std::string const& folder = {}) {
  run.model(model_bytes(ranker, input), model_sha256(ranker), folder);
}

[[nodiscard]] inline PrivacySpent privacy_spent(PrivacyLoss const& loss) {
  return {loss.epsilon_nominal, loss.epsilon_accounted, loss.delta, loss.assumption, loss.reason,
          loss.bound,           loss.epsilon_any_stop};
}

/// The row of rounds.csv of a round, without an evaluation.
template <class Round>
[[nodiscard]] RoundRow row_of(Round const& round) {
  auto const& statistics = round.statistics;
  RoundRow row{
      .round = round.number,
      .interactions = statistics.lists > 0 ? statistics.lists : statistics.objectives,  // logs: no list is shown
      .clients = statistics.reported + statistics.rejected + statistics.dropped,
      .dropped = statistics.dropped,
      .rejected = statistics.rejected,
      .discarded = statistics.discarded};
  if (statistics.lists > 0) row.online_ndcg10 = statistics.online_ndcg();
  if (round.privacy) row.privacy = privacy_spent(*round.privacy);
  return row;
}

/// The options of the trainings of a run.
[[nodiscard]] inline RunOptions run_options(CommonOptions const& options, Run const& run) {
  return {.seed = run.seed(), .minimum_reports = options.minimum_reports};
}

/// A row of rounds.csv in a checkpoint.
struct SavedRow {
  RoundRow row{};
  double seconds = 0;  ///< of training up to this round
  auto fields(auto&& visit) { return visit(row, seconds); }
};

/// What train_rounds collects, for checkpoints. `Own` is what the program collects in `own_cells`.
template <Field Own>
struct RoundsLog {
  Own& own;
  std::vector<SavedRow> rows{};  ///< without checkpoints: none
  double evaluate_seconds = 0;
  std::deque<std::pair<double, std::uint64_t>> objectives{};  ///< sum and number, of the last rounds
  auto fields(auto&& visit) { return visit(own, rows, evaluate_seconds, objectives); }
};

/// Runs a training for --rounds rounds and records every round. If the learner reports its objective, its mean over the
/// last ten rounds is the result online_metric. `measure(ranker)` is the offline evaluation. A signal ends the training
/// after the current round. `own_cells(round)` is the program's own columns of rounds.csv. With --resume, the rounds of
/// an earlier process are recorded again and not computed, and `own` has what `own_cells` collected there in these rounds.
template <class T, class Measure, class OwnCells, Field Own>
void train_rounds(Run& run, T& training, CommonOptions const& options, Measure const& measure,
                  OwnCells const& own_cells, Own& own) {
  auto const offline = [&] { return run.evaluate([&] { return measure(training.ranker()); }); };
  constexpr std::size_t last = 10;  // rounds over which the learner's objective is averaged
  RoundsLog<Own> log{own};
  ResumableTraining saved(run, training);
  auto const add = [&](RoundRow row) {
    if (saved.on()) log.rows.push_back({row});
    run.add(std::move(row));
    if (saved.on()) log.rows.back().seconds = run.train_seconds();
    log.evaluate_seconds = run.evaluate_seconds();
  };
  if (saved.resume(log)) {
    for (auto const& [row, seconds] : log.rows) run.add_again(row, seconds);
    run.continue_from(run.train_seconds(), log.evaluate_seconds);
  } else {
    add({.offline = offline(), .extra = own_cells(0)});
  }
  keep_results();
  auto const record = [&](auto const& round) {
    RoundRow row = row_of(round);
    if constexpr (requires {
                    training.charged_privacy();
                  })  // without rounds of a killed process that will be run again
      if (auto const charged = training.charged_privacy()) row.privacy = privacy_spent(*charged);
    if (run.evaluates(round.number)) row.offline = offline();
    row.extra = own_cells(round.number);
    add(std::move(row));
    log.objectives.emplace_back(round.statistics.objective_sum, round.statistics.objectives);
    if (log.objectives.size() > last) log.objectives.pop_front();
    return round.number == options.rounds || !run.stops();
  };
  if (!run.stops()) saved.run(options.rounds, log, record);
  if constexpr (requires { training.round().privacy; })  // also of a round that a signal left undone
    if (auto const spent = training.round().privacy) run.privacy(privacy_spent(*spent));
  if (run.discarded_rounds() > 0 && run.discarded_rounds() == run.last_round())
    run.warn("too few clients reported in every round: all rounds were discarded, and the model is that of the start");
  if constexpr (requires { training.worst_total(); }) {
    if (!run.cut_short() && training.number() < options.rounds && training.exhausted()) {
      run.stopped_by_budget(
          {training.number() + 1U, training.worst_total()->epsilon_accounted, training.options().epsilon_budget});
      if (!run.last_row_is_evaluated()) run.add_offline(offline());
    }
  }
  if (run.cut_short()) {
    if (log.objectives.empty())
      throw Interrupted("interrupted by " + stop_signal_name() + " before the first round; no new files are left");
    if (!run.last_row_is_evaluated()) run.add_offline(offline());
  }
  double metric = 0;
  std::uint64_t measured = 0;
  for (auto const& [sum, count] : log.objectives) {
    metric += sum;
    measured += count;
  }
  if (measured > 0) run.online_result("online_metric", metric / static_cast<double>(measured));
}
template <class T, class Measure, class OwnCells>
void train_rounds(Run& run, T& training, CommonOptions const& options, Measure const& measure,
                  OwnCells const& own_cells) {
  NoState none;
  train_rounds(run, training, options, measure, own_cells, none);
}

/// The column that a program with private messages adds to rounds.csv: the name of the bound that epsilon_accounted is.
inline constexpr char const* bound_column = "epsilon_bound";

/// The same, and records the test queries and the model. A training with a privacy ledger has the column `bound_column`.
template <class T, class Measure>
void train(Run& run, T training, CommonOptions const& options, NamedFold const& fold, Measure const& measure) {
  train_rounds(run, training, options, measure, [&](std::uint64_t round) {
    std::vector<Cell> cells;
    if constexpr (requires { training.charged_privacy()->bound; })
      if (auto const spent = training.charged_privacy()) cells.emplace_back(round > 0 ? spent->bound : std::string());
    return cells;
  });
  record_queries(run, training.ranker(), fold.test);
  record_model(run, training.ranker(), fold.input);
}

/// The same for a training with online clicks.
template <class T>
void train_online(Run& run, T training, CommonOptions const& options, NamedFold const& fold,
                  CascadeModel const& users) {
  train(run, std::move(training), options, fold,
        [&](auto const& ranker) { return offline_of(ranker, fold, users, execution_of(options)); });
}

}  // namespace fltr::examples
