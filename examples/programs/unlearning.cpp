// Forgetting clients (Wang 2024, chapter 6): trains with clients that send poisoned models, forgets them by FedEraser, and
// compares the result with retraining: quality, cost, distance, and what the model still tells about their data.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/attacks/inversion.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/leak_test.hpp>
#include <fltr/federation/poisoning_check.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>
#include <fltr/unlearners/verify.hpp>

#include "support/experiment.hpp"
#include "support/program.hpp"
#include "support/resumable_training.hpp"
#include "support/terminal.hpp"
#include "support/train.hpp"
#include "support/unlearning_report.hpp"
#include "support/unlearning_setting.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

/// Clients that all draw from the training queries, except the forgotten ones, which draw from `of_forgotten`.
std::vector<Client> clients_of(UnlearningOptions const& o, Dataset const& train, QueryPool const& of_forgotten) {
  std::vector<Client> clients;
  for (ClientId id = 0; id < o.clients; ++id)
    clients.push_back({id, o.interactions, id < o.clients - o.forget ? QueryPool(train) : of_forgotten});
  return clients;
}

/// The two candidate data sets of --candidates.
std::pair<QueryPool, QueryPool> candidates(UnlearningOptions const& o, Dataset const& train) {
  QueryPool const all(train);
  if (o.candidates == Candidates::halves) {
    std::vector<std::uint32_t> halves[2];
    for (std::uint32_t q = 0; q < train.size(); ++q) halves[q % 2].push_back(q);
    if (halves[1].empty()) throw UsageError("--candidates halves: required at least 2 training queries, got 1");
    return {QueryPool(train, halves[0]), QueryPool(train, halves[1])};
  }
  auto const highest = static_cast<int>(train.grade_count()) - 1;
  std::vector<Grade> reversed;
  for (std::size_t q = 0; q < train.size(); ++q)
    for (Grade const grade : train[q].grades()) reversed.push_back(static_cast<Grade>(highest - int{grade}));
  return {all, all.with_grades(std::move(reversed))};
}

/// Processor time: other programs on the machine do not change it.
class ProcessorClock {
 public:
  [[nodiscard]] double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

/// The processor time of the rounds of a replay, without that of the program's observer between them.
class ReplayClock {
 public:
  void round_begins() { watch_ = {}; }
  void round_ends() { seconds_ += watch_.seconds(); }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  ProcessorClock watch_;
  double seconds_ = 0;
};

/// Models of the runs of one fold.
template <class R>
struct FoldModels {
  std::size_t fold = 0;
  std::vector<R> unlearned;
  std::vector<R> retrained;
};

/// One run: the four trainings of the poisoning check. The rows of rounds.csv are the rounds of the poisoned federation,
/// then the rounds that it replays to forget.
template <class R>
class Experiment {
 public:
  Experiment(UnlearningOptions const& options, NamedFold const& fold, Run& run, UnlearningFindings& findings,
             FoldModels<R>& models)
      : o_(options),
        fold_(fold),
        run_(run),
        findings_(findings),
        models_(models),
        users_(click_model_of(options, fold)),
        execution_(execution_of(options)) {}

  void run(R const& ranker) {
    auto const federation =
        fpdgd(ranker, users_, Pdgd{.learning_rate = static_cast<float>(o_.learning_rate)})
            .with_attack(Inversion{})  // the type that poisoning_check takes: one Training is compiled for both checks
            .with_unlearner(o_.eraser)
            .with_execution(execution_);
    findings_.parameters = shared_parameters(ranker).size();
    keep_results();
    auto const check = check_poisoning(federation);
    replay_.reset();
    if (!check) return;
    finish(*check);
    if (o_.grid) grid(federation);
    if (run_.number() == 1 && o_.leak_pairs > 0 && !run_.cut_short()) leak(federation);
  }

 private:
  /// The reference curves of the picture, in the order of Recorder::reference.
  enum Reference : std::size_t { honest_curve, retrained_curve, poisoned_curve };

  /// None if a signal ended it.
  template <class F>
  std::optional<PoisoningCheck<R>> check_poisoning(F const& federation) try {
    return poisoning_check(
        federation, clients_of(o_, fold_.train, QueryPool(fold_.train)),
        {.forget = forgotten_clients(o_),
         .rounds = o_.rounds,
         .z = static_cast<float>(o_.poison_scale),
         .seed = run_.seed()},
        [this](CheckedRound<R> const& round) { return observe(round); },
        [this](CheckedTraining which, auto& training, std::uint32_t rounds, auto const& observer) {
          this->train(which, training, rounds, observer);
        });
  } catch (Interrupted const&) {  // in the middle of a round
    if (!run_.stops()) throw;
    end_early();
    return std::nullopt;
  }

  [[nodiscard]] Offline measure(R const& ranker) const { return offline_of(ranker, fold_, users_, execution_of(o_)); }

  /// What the honest or the poisoned training has recorded after round 0, for checkpoints.
  struct Log {
    Run::Points points{};
    std::vector<SavedRow> rows{};
    double evaluate_seconds = 0;
    auto fields(auto&& visit) { return visit(points, rows, evaluate_seconds); }
  };

  /// Runs a training. With --resume it goes on from its checkpoint, and its earlier rounds are recorded again.
  template <class T, class O>
  void train(CheckedTraining which, T& training, std::uint32_t rounds, O const& observer) {
    replay_.reset();
    log_ = {};
    ResumableTraining saved(run_, training);
    if (saved.resume(log_)) {
      std::size_t const curve = which == CheckedTraining::honest ? honest_curve : poisoned_curve;
      for (auto const& [round, ndcg10] : log_.points) run_.add_reference(round, ndcg10, curve);
      for (auto const& [row, seconds] : log_.rows) run_.add_again(row, seconds);
      if (!log_.rows.empty()) run_.continue_from(run_.train_seconds(), log_.evaluate_seconds);
    }
    if (training.number() == 0 || !run_.stops()) saved.run(rounds, log_, observer);
    last_ = training.ranker();
    // A signal in the middle of a round; at the end of one the observer ended the check.
    if (training.number() < rounds && run_.stops() && !ended_)
      throw Interrupted("interrupted by " + stop_signal_name());
  }

  bool observe(CheckedRound<R> const& round) {
    bool const replayed = round.training == CheckedTraining::retrained || round.training == CheckedTraining::unlearned;
    at_ = round.training;
    if (replayed && round.number == 0) clock_ = {};
    if (replayed && round.number > 0) clock_.round_ends();
    auto const record_it = [&] { return this->record(round); };
    bool const goes_on = replay_ ? replay_->pause(record_it) : record_it();
    ended_ = !goes_on;
    if (replayed && round.number == 0)
      replay_.emplace(execution_.watch(), replayed_rounds(round.training));
    else if (replayed)
      last_ = round.ranker;
    clock_.round_begins();
    return goes_on;
  }

  /// After a signal in the middle of a round, which is undone: the run ends with the round before it.
  void end_early() {
    if (at_ == CheckedTraining::honest || at_ == CheckedTraining::retrained) return end_without_rounds();
    if (run_.last_round() == 0) return;
    if (!run_.last_row_is_evaluated()) {
      run_.add_offline(run_.evaluate([&] { return measure(*last_); }));
      auto const [round, ndcg10] = run_.offline_points().back();
      if (at_ == CheckedTraining::poisoned)
        run_.add_reference(round, ndcg10, poisoned_curve);
      else
        run_.add_curve_point((round - o_.rounds) * o_.eraser.interval, ndcg10);
    }
    record_model(run_, *last_, fold_.input);
  }

  /// A run has at least one row: that of the start model.
  void end_without_rounds() {
    run_.not_training(references_.seconds());
    run_.add({.offline = start_, .extra = cells(0)});
  }

  [[nodiscard]] std::uint32_t replayed_rounds(CheckedTraining training) const {
    return training == CheckedTraining::retrained ? o_.rounds : o_.eraser.kept_rounds(o_.rounds);
  }

  bool record(CheckedRound<R> const& round) {
    switch (round.training) {
      case CheckedTraining::honest:
      case CheckedTraining::retrained:
        return reference(round);
      case CheckedTraining::poisoned:
        return poisoned(round);
      case CheckedTraining::unlearned:
        break;
    }
    return unlearned(round);
  }

  /// A round of a training with which the run is compared. Its time counts as evaluation.
  bool reference(CheckedRound<R> const& round) {
    bool const honest = round.training == CheckedTraining::honest;
    ConfigurationNames const names = configuration_names(o_);
    if (round.number == 0) {
      if (honest) {
        references_ = {};
        start_ = measure(round.ranker);
      }
      run_.stage(honest ? 1 : 2, 4, honest ? names.honest : names.retrained + ", retrained");
    }
    if (!honest && round.number == o_.rounds) seconds_.first = clock_.seconds();
    if (evaluates(round.number)) {
      double const ndcg10 = measure(round.ranker).ndcg10;
      run_.add_reference(round.number, ndcg10, honest ? honest_curve : retrained_curve);
      if (round.number > 0) log_.points.emplace_back(round.number, ndcg10);
    }
    if (!run_.stops()) return true;
    end_without_rounds();
    return false;
  }

  bool poisoned(CheckedRound<R> const& round) {
    if (round.number == 0) {
      run_.not_training(references_.seconds());
      run_.stage(3, 4, configuration_names(o_).poisoned, false);
    }
    bool const stops = round.number > 0 && run_.stops();
    RoundRow row = round.number == 0 ? RoundRow{} : row_of(round.number, round.statistics);
    row.extra = cells(round.number);
    auto const evaluate = [&] {
      row.offline = run_.evaluate([&] { return measure(round.ranker); });
      run_.add_reference(round.number, row.offline->ndcg10, poisoned_curve);
    };
    if (evaluates(round.number)) {
      evaluate();
      if (round.number > 0) log_.points.emplace_back(round.number, row.offline->ndcg10);
    }
    if (round.number > 0) log_.rows.push_back({row});
    if (stops && !row.offline) evaluate();  // not in the log: a run without interruption has no such evaluation
    run_.add(std::move(row));
    if (round.number > 0) {
      log_.rows.back().seconds = run_.train_seconds();
      log_.evaluate_seconds = run_.evaluate_seconds();
    }
    if (stops) record_model(run_, round.ranker, fold_.input);
    return !stops;
  }

  /// Row T + k of rounds.csv is the k-th replayed round. The curve shows it at round k · interval (at most T): it stands
  /// for the rounds up to this one.
  bool unlearned(CheckedRound<R> const& round) {
    if (round.number == 0) {
      run_.stage(4, 4, "unlearning");
      run_.add_curve_point(0, run_.offline_points().front().second);
      return true;
    }
    std::uint32_t const replayed = (round.number - 1) / o_.eraser.interval + 1;
    bool const last = replayed == o_.eraser.kept_rounds(o_.rounds);
    if (last) seconds_.second = clock_.seconds();
    bool const stops = !last && run_.stops();
    RoundRow row = row_of(o_.rounds + replayed, round.statistics);
    if (last || stops || replayed % std::max(1U, o_.evaluation_interval() / o_.eraser.interval) == 0) {
      Stopwatch const watch;
      row.offline = measure(round.ranker);
      run_.not_training(watch.seconds());
      run_.add_curve_point(last ? o_.rounds : replayed * o_.eraser.interval, row.offline->ndcg10);
    }
    row.extra = {Cell(), Cell(), Cell(round.number)};
    run_.add(std::move(row));
    if (stops) record_model(run_, round.ranker, fold_.input);
    return !stops;
  }

  [[nodiscard]] bool evaluates(std::uint32_t round) const {
    return round % o_.evaluation_interval() == 0 || round == o_.rounds;  // the run has more rounds than --rounds
  }

  [[nodiscard]] static RoundRow row_of(std::uint64_t number, RoundStatistics const& statistics) {
    struct {
      std::uint64_t number;
      RoundStatistics const& statistics;
      std::optional<PrivacyLoss> privacy{};
    } const round{number, statistics};
    return examples::row_of(round);
  }

  /// The columns honest_ndcg10, retrained_ndcg10 and replayed_round of a round of the training.
  [[nodiscard]] std::vector<Cell> cells(std::uint64_t round) const {
    std::vector<Cell> cells;
    for (std::size_t const which : {honest_curve, retrained_curve}) {
      auto const& points = run_.reference_points(which);
      auto const found = std::ranges::lower_bound(points, round, {}, [](auto const& point) { return point.first; });
      cells.push_back(found == points.end() || found->first != round ? Cell() : Cell(found->second));
    }
    cells.emplace_back();
    return cells;
  }

  void finish(PoisoningCheck<R> const& check) {
    auto const record = [&](char const* name, std::vector<double>& values, double ndcg10) {
      run_.result(name, ndcg10);
      values.push_back(ndcg10);
    };
    record("before", findings_.before, run_.reference_points(poisoned_curve).back().second);
    record("honest", findings_.honest, run_.reference_points(honest_curve).back().second);
    record("retrained", findings_.retrained, run_.reference_points(retrained_curve).back().second);
    record("unlearned", findings_.unlearned, run_.offline_points().back().second);
    findings_.retraining_seconds.push_back(seconds_.first);
    findings_.unlearning_seconds.push_back(seconds_.second);
    findings_.retraining = check.retraining;
    findings_.unlearning = check.unlearning;
    findings_.history_bytes = check.history_bytes;
    record_queries(run_, check.unlearned, fold_.test);
    record_model(run_, check.unlearned, fold_.input);
    record_queries(run_, check.retrained, fold_.test, "retrained");
    record_model(run_, check.retrained, fold_.input, "retrained");

    if (models_.fold != fold_.number) models_ = {fold_.number, {}, {}};
    models_.unlearned.push_back(check.unlearned);
    models_.retrained.push_back(check.retrained);
    if (models_.unlearned.size() == o_.repeats)
      findings_.distances.push_back(distance_to_retraining(std::span<R const>(models_.unlearned),
                                                           std::span<R const>(models_.retrained), fold_.test));
  }

  /// --grid: one poisoned training for each interval, which forgets with each number of local steps. Trainings are saved
  /// and restored into federations with another number.
  template <class F>
  void grid(F const& federation) {
    UnlearningGrid const axes = unlearning_grid(o_);
    auto const clients = clients_of(o_, fold_.train, QueryPool(fold_.train));
    auto const start = [&](std::uint32_t interval, std::uint32_t local_steps) {
      FedEraser eraser = o_.eraser;
      eraser.interval = interval;
      eraser.local_steps = local_steps;
      return federation
          .with_attack(Inversion{MaliciousClients(forgotten_clients(o_)), static_cast<float>(o_.poison_scale)})
          .with_unlearner(eraser)
          .start(clients, {.seed = run_.seed()});
    };
    run_.evaluate([&] {
      for (std::size_t i = 0; i < axes.intervals.size() && !run_.stops(); ++i) {
        std::uint32_t const interval = axes.intervals[i];
        run_.stage(i + 1, axes.intervals.size(), "grid", false);
        auto poisoned = start(interval, axes.local_steps.front());
        NoState none;
        ResumableTraining resumable(run_, poisoned);
        static_cast<void>(resumable.resume(none));
        resumable.run(o_.rounds, none, [&](auto const&) { return !run_.stops(); });
        if (run_.cut_short()) return false;
        auto const saved = save(poisoned);
        for (std::uint32_t const local_steps : axes.local_steps) {
          auto training = start(interval, local_steps);
          restore(training, saved);
          ProcessorClock const watch;
          ReplayReport report;
          if (!until_signal(run_, execution_.watch(), o_.eraser.kept_rounds(o_.rounds),
                            [&](auto&) { report = training.forget(forgotten_clients(o_)); }))
            return false;
          double const seconds = watch.seconds();
          auto& cell = findings_.grid[{interval, local_steps}];
          cell.unlearned.push_back(measure(training.ranker()).ndcg10);
          cell.seconds.push_back(seconds);
          cell.cost = report;
          if (run_.stops()) return false;
        }
      }
      return true;
    });
  }

  template <class F>
  void leak(F const& federation) {
    auto const both = candidates(o_, fold_.train);
    run_.evaluate([&] {
      std::size_t const pairs = o_.leak_pairs + o_.leak_pairs / 2;
      auto const rounds = static_cast<std::uint32_t>(pairs);  // a prediction counts pairs
      return until_signal(run_, execution_.watch(), rounds, [&](RoundWatch::Rounds& watched) {
        findings_.leak =
            leak_test(federation, clients_of(o_, fold_.train, both.first), clients_of(o_, fold_.train, both.second),
                      {.forget = forgotten_clients(o_),
                       .rounds = o_.leak_rounds,
                       .counted = o_.leak_pairs,
                       .choosing = o_.leak_pairs / 2,
                       .seed = run_.seed()},
                      [&](std::size_t done) {
                        return watched.pause([&] {
                          run_.stage(done, pairs, "leak test", false);
                          return !run_.stops();
                        });
                      });
      });
    });
  }

  UnlearningOptions const& o_;
  NamedFold const& fold_;
  Run& run_;
  UnlearningFindings& findings_;
  FoldModels<R>& models_;
  CascadeModel users_;
  ProgramExecution execution_;                // of all trainings
  std::optional<RoundWatch::Rounds> replay_;  // while rounds are replayed
  CheckedTraining at_{};                      // the training of the last round
  std::optional<R> last_;                     // the model after the last round
  bool ended_ = false;                        // the observer ended the check
  Stopwatch references_;                      // since the first round of the honest training
  Offline start_;                             // of the start model
  Log log_;                                   // of the training that runs
  ReplayClock clock_;
  std::pair<double, double> seconds_;  // of retraining and of unlearning
};

}  // namespace

int main(int argc, char** argv) {
  UnlearningOptions o;
  Program program("unlearning",
                  "Forgets clients by FedEraser and compares the result with retraining. A complete run "
                  "removes its checkpoints, which have histories of the forgotten clients.");
  declare_unlearning(program, o);
  program.check([&] {
    check_unlearning(program, o);
    program.fix_rounds();  // forgetting begins after the last of them
  });
  program.examples(
      R"(  unlearning --data MQ2008 --rounds 2000 --repeats 5 --eval-every 2000 --grid --leak-pairs 0
      9H-0M - 9H-1M                        +0.0338  95 % interval [+0.0243, +0.0433]  p 1.5e-07
      9H-0M - unlearned                    +0.0048  95 % interval [+0.0013, +0.0082]  p 0.0084
      of the gap 9H-0M - 9H-1M recovered   85.9 %  95 % interval [77.5, 95.4]
      recovered share of the gap  1 step  2 steps  3 steps  4 steps
      interval 10                 73.3 %   76.7 %   85.9 %   90.7 %
  unlearning --data MQ2008/Fold1 --rounds 2000 --eval-every 2000 --leak-pairs 400
      after FedEraser                      0.085   [0.047, 0.125]    0 of 400 pairs
      after retraining                     0.000  [-0.010, 0.010]  400 of 400 pairs
      without forgetting                   0.993   [0.974, 0.997]    0 of 400 pairs
)");
  return program.run(argc, argv, [&] {
    CommonOptions timeline = o;  // the rounds of a run: those of the training, then the replayed ones
    timeline.rounds = o.rounds + o.eraser.kept_rounds(o.rounds);
    timeline.eval_every = o.evaluation_interval();
    Recorder recorder(program, timeline, {"honest_ndcg10", "retrained_ndcg10", "replayed_round"});
    ConfigurationNames const names = configuration_names(o);
    recorder.reference("unlearned", {names.honest, names.retrained + " (retrained)", names.poisoned});
    recorder.curve_of_own_points();
    recorder.add_folder("retrained");
    UnlearningFindings findings;
    FoldModels<LinearRanker> linear;
    FoldModels<NeuralRanker> neural;
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      std::size_t const features = fold.train.feature_count();
      if (o.ranker == RankerKind::neural)
        Experiment<NeuralRanker>(o, fold, run, findings, neural).run(NeuralRanker(features));
      else
        Experiment<LinearRanker>(o, fold, run, findings, linear)
            .run(LinearRanker(features, o.start == StartKind::random ? Initialization::random : Initialization::zero));
    });
    recorder.finish(unlearning_report(recorder, o, findings, Terminal::of(stdout).utf8));
    recorder.checkpoints().remove_when_complete();
  });
}
