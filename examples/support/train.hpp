#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fltr/click_models/cascade.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/io/model_file.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>

#include "data_source.hpp"
#include "interruption.hpp"
#include "options.hpp"
#include "recorder.hpp"

namespace fltr::examples {

[[nodiscard]] inline Threads threads_of(CommonOptions const& options) {
  return Threads{static_cast<int>(thread_count(options))};
}

/// The users that --clicks asks for.
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

/// The mean, or NaN (no result) if the metric skipped every query.
[[nodiscard]] inline double mean_of(Evaluation const& evaluation) noexcept {
  return evaluation.queries > 0 ? evaluation.mean() : std::numeric_limits<double>::quiet_NaN();
}

/// The offline measures of all programs, in one pass over the queries.
template <class R>
[[nodiscard]] Offline offline_of(R const& ranker, Dataset const& data, Threads threads) {
  auto const [ndcg, ndcg5, mrr] =
      evaluate_on(threads, ranker, data, Ndcg{.cutoff = 10}, Ndcg{.cutoff = 5}, ReciprocalRank{.cutoff = 10});
  return {.ndcg10 = mean_of(ndcg), .mrr10 = mean_of(mrr), .ndcg5 = mean_of(ndcg5)};
}

/// The same of the test queries, and MaxRR: its expectation under the run's users.
template <class R>
[[nodiscard]] Offline offline_of(R const& ranker, NamedFold const& fold, CascadeModel const& users, Threads threads) {
  auto const [ndcg, ndcg5, mrr, maxrr] =
      evaluate_on(threads, ranker, fold.test, Ndcg{.cutoff = 10}, Ndcg{.cutoff = 5}, ReciprocalRank{.cutoff = 10},
                  ExpectedMaxRr{.click_probability = users.click_probability, .cutoff = 10});
  return {mean_of(ndcg), mean_of(mrr), mean_of(maxrr), mean_of(ndcg5)};
}

/// Records `query_metrics` of each test query under the trained model, with the conventions of `offline_of`. Costs
/// nothing without --out. `folder`: see Recorder::add_folder.
template <class R>
void record_queries(Run& run, R const& ranker, Dataset const& test, std::string const& folder = {}) {
  if (!run.records_queries()) return;
  run.queries(test, run.evaluate([&] {
    return evaluate_queries(ranker, test, Ndcg{.cutoff = 10}, Ndcg{.cutoff = 5}, AveragePrecision{.cutoff = 0},
                            ReciprocalRank{.cutoff = 10});
  }),
              folder);
}

/// Runs a training for as many rounds as asked for, and records every round, the test queries, the model and, where
/// the learner reports what it optimises, its mean over the last rounds. `measure(ranker)` is the offline evaluation.
template <class T, class Measure>
void train(Run& run, T training, CommonOptions const& options, NamedFold const& fold, Measure const& measure) {
  auto const offline = [&] { return run.evaluate([&] { return measure(training.ranker()); }); };
  run.add({.offline = offline()});
  constexpr std::size_t last = 10;  // rounds over which the learner's own metric is averaged
  std::deque<std::pair<double, std::uint64_t>> objectives;
  keep_results();
  for (std::uint32_t number = 1; number <= options.rounds && !run.stops(); ++number) {
    training.advance();
    auto const round = training.round();
    auto const& tally = round.tally;
    RoundRow row{.round = number,
                 .interactions = tally.lists > 0 ? tally.lists : tally.objectives,  // with logs, nothing is shown
                 .clients = tally.reported + tally.rejected + tally.dropped,
                 .dropped = tally.dropped,
                 .rejected = tally.rejected};
    if (tally.lists > 0) row.online_ndcg10 = tally.online_ndcg();
    if (run.evaluates(number)) row.offline = offline();
    if (round.privacy)
      row.privacy = PrivacySpent{round.privacy->epsilon_nominal, round.privacy->epsilon_accounted, round.privacy->delta,
                                 round.privacy->assumption, round.privacy->reason};
    run.add(std::move(row));
    objectives.emplace_back(tally.objective_sum, tally.objectives);
    if (objectives.size() > last) objectives.pop_front();
  }
  if (run.cut_short()) {
    if (objectives.empty())
      throw Interrupted("interrupted by " + stop_signal_name() + " before the first round; no new files are left");
    if (!run.last_row_is_evaluated()) run.add_offline(offline());
  }
  double metric = 0;
  std::uint64_t measured = 0;
  for (auto const& [sum, count] : objectives) {
    metric += sum;
    measured += count;
  }
  if (measured > 0) run.result("online_metric", metric / static_cast<double>(measured));
  record_queries(run, training.ranker(), fold.test);
  run.model(model_bytes(training.ranker(), fold.input));
}

/// The same where users click online.
template <class T>
void train_online(Run& run, T training, CommonOptions const& options, NamedFold const& fold,
                  CascadeModel const& users) {
  train(run, std::move(training), options, fold,
        [&](auto const& ranker) { return offline_of(ranker, fold, users, threads_of(options)); });
}

}  // namespace fltr::examples
