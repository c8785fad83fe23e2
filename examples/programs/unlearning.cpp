// Forgetting clients (Wang 2024, chapter 6): trains with clients that send poisoned models, forgets them by FedEraser, and
// compares the result with retraining: quality, cost, distance, and what the model still tells about their data.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/attacks/inversion.hpp>
#include <fltr/federation/leak_test.hpp>
#include <fltr/federation/poisoning_check.hpp>
#include <fltr/metrics/summary_statistics.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>
#include <fltr/unlearners/verify.hpp>

#include "support/experiment.hpp"
#include "support/paired_means.hpp"
#include "support/program.hpp"
#include "support/table.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

/// The two data sets of the forgotten clients between which the leak test decides.
enum class Candidates { opposite, halves };

struct Options : CommonOptions {
  std::uint32_t forget = 1;
  FedEraser eraser{};
  double poison_scale = 2;
  std::uint32_t leak_pairs = 200;
  std::uint32_t leak_rounds = 100;
  Candidates candidates = Candidates::opposite;
};

void declare(Program& program, Options& o) {
  o.clients = 10;
  o.interactions = 5;
  o.rounds = 10'000;
  o.eval_every = 100;
  program.common(o);
  program.whole("--forget", o.forget, "number of clients to forget; they send poisoned models before", 1);
  program.whole("--interval", o.eraser.interval, "rounds between two kept updates, of which one is replayed", 1);
  program.whole("--local-steps", o.eraser.local_steps, "local steps of a client in a replayed round", 1);
  program.number("--poison-scale", o.poison_scale, "z: a poisoned model is -z times the client's model", at_least(0));
  program.choice("--store", o.eraser.store, {{"norm", FedEraser::Store::norm}, {"update", FedEraser::Store::update}},
                 "what clients keep: the length of an update, for the new direction; or the whole update, for the new "
                 "length");
  program.whole("--leak-pairs", o.leak_pairs,
                "pairs of trainings that the leak test counts, on the first fold; half as many more choose the "
                "distinguisher; 0: no leak test");
  program.whole("--leak-rounds", o.leak_rounds, "rounds of each training of the leak test", 1);
  program.choice("--candidates", o.candidates, {{"opposite", Candidates::opposite}, {"halves", Candidates::halves}},
                 "the two data sets of the forgotten clients in the leak test: the training queries with their grades "
                 "or with reversed grades; or two halves of the training queries");
}

void check(Program& program, Options const& o) {
  if (o.forget >= o.clients)
    throw UsageError(fmt::format("--forget: required fewer than the {} clients, got {}", o.clients, o.forget));
  if (o.eraser.local_steps > o.interactions)
    throw UsageError(fmt::format("--local-steps: required at most the {} of --interactions, got {}", o.interactions,
                                 o.eraser.local_steps));
  if (o.leak_pairs == 0)
    for (char const* option : {"--leak-rounds", "--candidates"})
      program.ignore(option, "belongs to the leak test, which --leak-pairs 0 turns off");
  else if (o.leak_pairs < 4)
    throw UsageError(fmt::format("--leak-pairs: required 0 or at least 4, got {}", o.leak_pairs));
  if (o.ranker == RankerKind::neural)
    program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");
}

/// The names of the thesis for 1 of 10 clients: 9H-1M, 10H-0M and 9H-0M.
struct Names {
  std::string poisoned;
  std::string honest;
  std::string retrained;
};

Names names_of(Options const& o) {
  return {fmt::format("{}H-{}M", o.clients - o.forget, o.forget), fmt::format("{}H-0M", o.clients),
          fmt::format("{}H-0M", o.clients - o.forget)};
}

/// The clients that are forgotten: those with the largest ids.
std::vector<ClientId> forgotten(Options const& o) {
  std::vector<ClientId> ids;
  for (ClientId id = o.clients - o.forget; id < o.clients; ++id) ids.push_back(id);
  return ids;
}

/// Clients that all draw from the training queries, except the forgotten ones, which draw from `of_forgotten`.
std::vector<Client> clients_of(Options const& o, Dataset const& train, QueryPool const& of_forgotten) {
  std::vector<Client> clients;
  for (ClientId id = 0; id < o.clients; ++id)
    clients.push_back({id, o.interactions, id < o.clients - o.forget ? QueryPool(train) : of_forgotten});
  return clients;
}

/// The two candidate data sets of --candidates.
std::pair<QueryPool, QueryPool> candidates(Options const& o, Dataset const& train) {
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

/// The processor time of a replay, without that of evaluations in it.
struct ReplayClock {
  ProcessorClock watch;
  double evaluated = 0;
  [[nodiscard]] double seconds() const { return watch.seconds() - evaluated; }
};

/// What the program finds out over all runs.
struct Findings {
  PairedMeans difference;  ///< retrained − unlearned, by run
  std::vector<double> retraining_seconds;
  std::vector<double> unlearning_seconds;
  ReplayReport retraining;  ///< of the last run
  ReplayReport unlearning;
  std::uint64_t history_bytes = 0;
  std::size_t parameters = 0;
  std::vector<DistanceToRetraining> distances;  ///< of each fold
  std::optional<LeakTest> leak;                 ///< of the first run
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
  Experiment(Options const& options, NamedFold const& fold, Run& run, Findings& findings, FoldModels<R>& models)
      : o_(options),
        fold_(fold),
        run_(run),
        findings_(findings),
        models_(models),
        users_(click_model_of(options, fold)) {}

  void run(R const& ranker) {
    auto const federation =
        fpdgd(ranker, users_, Pdgd{.learning_rate = static_cast<float>(o_.learning_rate)})
            .with_attack(Inversion{})  // the type that poisoning_check takes: one Training is compiled for both checks
            .with_unlearner(o_.eraser)
            .with_execution(execution_of(o_));
    findings_.parameters = shared_parameters(ranker).size();
    keep_results();
    auto const check = poisoning_check(
        federation, clients_of(o_, fold_.train, QueryPool(fold_.train)),
        {.forget = forgotten(o_), .rounds = o_.rounds, .z = static_cast<float>(o_.poison_scale), .seed = run_.seed()},
        [this](CheckedRound<R> const& round) { return observe(round); });
    if (!check) return;
    finish(*check);
    if (run_.number() == 1 && o_.leak_pairs > 0) leak(federation);
  }

 private:
  [[nodiscard]] Offline measure(R const& ranker) const { return offline_of(ranker, fold_, users_, execution_of(o_)); }

  /// The same, timed as evaluation of a replay and of the run.
  [[nodiscard]] Offline measure(R const& ranker, ReplayClock& clock) {
    ProcessorClock const watch;
    Offline const offline = measure(ranker);
    clock.evaluated += watch.seconds();
    return offline;
  }

  bool observe(CheckedRound<R> const& round) {
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
    Names const names = names_of(o_);
    if (round.number == 0) {
      if (honest) references_ = {};
      run_.stage(honest ? 1 : 2, 4, honest ? names.honest : names.retrained + ", retrained");
      clock_ = {};
    }
    if (!honest && round.number == o_.rounds) retraining_seconds_ = clock_.seconds();
    if (evaluates(round.number)) run_.add_reference(round.number, measure(round.ranker, clock_).ndcg10, honest ? 0 : 1);
    if (!run_.stops()) return true;
    run_.not_training(references_.seconds());
    run_.add({.offline = measure(round.ranker), .extra = cells(0)});  // a run has at least one row
    return false;
  }

  bool poisoned(CheckedRound<R> const& round) {
    if (round.number == 0) {
      run_.not_training(references_.seconds());
      run_.stage(3, 4, names_of(o_).poisoned, false);
    }
    bool const stops = round.number > 0 && run_.stops();
    RoundRow row = round.number == 0 ? RoundRow{} : row_of(round.number, round.statistics);
    if (evaluates(round.number) || stops) row.offline = run_.evaluate([&] { return measure(round.ranker); });
    row.extra = cells(round.number);
    run_.add(std::move(row));
    if (stops) record_model(run_, round.ranker, fold_.input);
    return !stops;
  }

  /// Row T + k of rounds.csv is the k-th replayed round.
  bool unlearned(CheckedRound<R> const& round) {
    if (round.number == 0) {
      run_.stage(4, 4, "unlearning", false);
      clock_ = {};
      return true;
    }
    std::uint32_t const replayed = (round.number - 1) / o_.eraser.interval + 1;
    bool const last = replayed == o_.eraser.kept_rounds(o_.rounds);
    if (last) unlearning_seconds_ = clock_.seconds();
    bool const stops = !last && run_.stops();
    RoundRow row = row_of(o_.rounds + replayed, round.statistics);
    if (last || stops || replayed % std::max(1U, o_.eval_every / o_.eraser.interval) == 0) {
      Stopwatch const watch;
      row.offline = measure(round.ranker, clock_);
      run_.not_training(watch.seconds());
    }
    row.extra = {Cell(), Cell(), Cell(round.number)};
    run_.add(std::move(row));
    if (stops) record_model(run_, round.ranker, fold_.input);
    return !stops;
  }

  [[nodiscard]] bool evaluates(std::uint32_t round) const {
    return round % o_.eval_every == 0 || round == o_.rounds;  // the run has more rounds than --rounds
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
    for (std::size_t const which : {0U, 1U}) {
      auto const& points = run_.reference_points(which);
      auto const found = std::ranges::lower_bound(points, round, {}, [](auto const& point) { return point.first; });
      cells.push_back(found == points.end() || found->first != round ? Cell() : Cell(found->second));
    }
    cells.emplace_back();
    return cells;
  }

  void finish(PoisoningCheck<R> const& check) {
    double const before = ndcg_at(o_.rounds);
    double const honest = run_.reference_points(0).back().second;
    double const retrained = run_.reference_points(1).back().second;
    double const after = run_.offline_points().back().second;
    run_.result("before", before);
    run_.result("honest", honest);
    run_.result("retrained", retrained);
    run_.result("unlearned", after);
    findings_.difference.add({run_.number(), 0}, retrained, after);
    findings_.retraining_seconds.push_back(retraining_seconds_);
    findings_.unlearning_seconds.push_back(unlearning_seconds_);
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

  /// The offline result after a round of the training.
  [[nodiscard]] double ndcg_at(std::uint64_t round) const {
    auto const& points = run_.offline_points();
    return std::ranges::lower_bound(points, round, {}, [](auto const& point) { return point.first; })->second;
  }

  template <class F>
  void leak(F const& federation) {
    auto const both = candidates(o_, fold_.train);
    run_.evaluate([&] {
      std::size_t const pairs = o_.leak_pairs + o_.leak_pairs / 2;
      findings_.leak =
          leak_test(federation, clients_of(o_, fold_.train, both.first), clients_of(o_, fold_.train, both.second),
                    {.forget = forgotten(o_),
                     .rounds = o_.leak_rounds,
                     .counted = o_.leak_pairs,
                     .choosing = o_.leak_pairs / 2,
                     .seed = run_.seed()},
                    [&](std::size_t done) {
                      run_.stage(done, pairs, "leak test", false);
                      return !run_.stops();
                    });
      return true;
    });
  }

  Options const& o_;
  NamedFold const& fold_;
  Run& run_;
  Findings& findings_;
  FoldModels<R>& models_;
  CascadeModel users_;
  Stopwatch references_;  // since the first round of the honest training
  ReplayClock clock_;
  double retraining_seconds_ = 0;
  double unlearning_seconds_ = 0;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t const n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// The cost of forgetting.
struct Cost {
  double local_steps;
  double messages;
  double seconds;  ///< median over runs
};

Cost cost_of(ReplayReport const& report, std::vector<double> const& seconds) {
  return {static_cast<double>(report.statistics.lists), static_cast<double>(report.statistics.reported),
          median(seconds)};
}

Json cost_json(Cost const& cost, ReplayReport const& report) {
  return {{"rounds", report.rounds},
          {"local_steps", cost.local_steps},
          {"messages", cost.messages},
          {"seconds", cost.seconds},
          {"zero_updates", report.statistics.zero_updates},
          {"unrecorded", report.statistics.unrecorded}};
}

std::string cost_report(Recorder& recorder, Options const& o, Findings const& f, bool utf8) {
  Cost const retraining = cost_of(f.retraining, f.retraining_seconds);
  Cost const unlearning = cost_of(f.unlearning, f.unlearning_seconds);
  double const expected = static_cast<double>(o.interactions) / o.eraser.local_steps * o.eraser.interval;
  recorder.result("speedup", {{"local_steps", retraining.local_steps / unlearning.local_steps},
                              {"messages", retraining.messages / unlearning.messages},
                              {"seconds", number_or_null(retraining.seconds / unlearning.seconds)},
                              {"calculated", expected}});
  recorder.result(
      "cost", {{"retrained", cost_json(retraining, f.retraining)}, {"unlearned", cost_json(unlearning, f.unlearning)}});
  std::uint64_t const width = o.eraser.store == FedEraser::Store::norm ? 1 : f.parameters;
  std::uint64_t const calculated = std::uint64_t{4} * o.eraser.kept_rounds(o.rounds) * o.clients * width;
  recorder.result("storage", {{"bytes", f.history_bytes}, {"calculated", calculated}});

  Table table({"cost of forgetting", "retraining", "FedEraser", "speed-up"});
  auto const add = [&](char const* what, double a, double b, auto const& text) {
    table.add({what, text(a), text(b), fmt::format("{:.2f}", a / b)});
  };
  auto const count = [](double value) { return grouped(static_cast<std::uint64_t>(value)); };
  add("rounds", f.retraining.rounds, f.unlearning.rounds, count);
  add("local steps", retraining.local_steps, unlearning.local_steps, count);
  add("messages", retraining.messages, unlearning.messages, count);
  add("processor seconds (median)", retraining.seconds, unlearning.seconds,
      [](double value) { return fmt::format("{:.4f}", value); });
  std::string text = "\n" + table.text(utf8);
  text += fmt::format("\n{} of local steps, as calculated: interactions / local steps * interval\n",
                      fmt::format("{:.2f}", expected));
  text += fmt::format("stored         {} bytes (calculated: {} kept rounds * {} clients * {} * 4 = {})\n",
                      grouped(f.history_bytes), grouped(o.eraser.kept_rounds(o.rounds)), o.clients, grouped(width),
                      grouped(calculated));
  text += o.eraser.store == FedEraser::Store::norm
              ? "if stolen      it tells how far the client's clicks moved the model in each kept round, no direction\n"
              : "if stolen      it tells the gradient steps of each kept round, from which clicks can be guessed\n";
  auto const& s = f.unlearning.statistics;
  text += fmt::format("updates        {} of {} had length 0 in the replay, {} without a record\n",
                      grouped(s.zero_updates), grouped(s.reported), grouped(s.unrecorded));
  return text;
}

Json distance_json(RankerDistance const& d) {
  return {{"weights", number_or_null(d.weights)},
          {"relative_weights", number_or_null(d.relative_weights)},
          {"kendall_tau", number_or_null(d.kendall_tau)},
          {"ndcg10_difference", number_or_null(d.ndcg_difference)},
          {"ndcg10_change", number_or_null(d.ndcg_change)}};
}

std::string distance_report(Recorder& recorder, Findings const& f, bool utf8) {
  if (f.distances.empty()) return "";
  RankerDistance unlearned;
  RankerDistance retrained;
  double const share = 1.0 / static_cast<double>(f.distances.size());
  bool const yardstick = f.distances.front().retrained.has_value();
  for (DistanceToRetraining const& of_fold : f.distances) {
    unlearned.add(of_fold.unlearned, share);
    if (of_fold.retrained) retrained.add(*of_fold.retrained, share);
  }
  Json json{{"unlearned", distance_json(unlearned)}};
  json["between_retrainings"] = yardstick ? distance_json(retrained) : Json();
  recorder.result("distance", json);
  Table table({"distance to a retrained model", "weights", "relative", "Kendall tau", "nDCG@10 change per query"});
  auto const add = [&](char const* what, RankerDistance const& d) {
    table.add({what, fmt::format("{:.4f}", d.weights), fmt::format("{:.4f}", d.relative_weights),
               fmt::format("{:.4f}", d.kendall_tau), fmt::format("{:.4f}", d.ndcg_change)});
  };
  add("unlearned", unlearned);
  if (yardstick) add("another retraining", retrained);
  return "\n" + table.text(utf8) + (yardstick ? "" : "--repeats 2 or more adds the distance between retrainings.\n");
}

Json leak_json(Leak const& leak) {
  return {{"advantage", leak.advantage},
          {"low", leak.low},
          {"high", leak.high},
          {"pairs", leak.pairs},
          {"identical", leak.identical}};
}

std::string leak_report(Recorder& recorder, Findings const& f, bool utf8) {
  recorder.result("leak", Json());
  if (!f.leak) return "";
  recorder.result("leak", {{"unlearned", leak_json(f.leak->unlearned)},
                           {"retrained", leak_json(f.leak->retrained)},
                           {"nothing", leak_json(f.leak->nothing)}});
  Table table({"leak: which data did they hold?", "advantage", "95 % interval", "identical models"});
  auto const add = [&](char const* what, Leak const& leak) {
    table.add({what, fmt::format("{:.3f}", leak.advantage), fmt::format("[{:.3f}, {:.3f}]", leak.low, leak.high),
               fmt::format("{} of {} pairs", leak.identical, leak.pairs)});
  };
  add("after FedEraser", f.leak->unlearned);
  add("after retraining", f.leak->retrained);
  add("without forgetting", f.leak->nothing);
  return "\n" + table.text(utf8);
}

std::string reports(Recorder& recorder, Options const& o, Findings const& f) {
  if (f.unlearning_seconds.empty()) return "";
  bool const utf8 = Terminal::of(stdout).utf8;
  std::string text;
  auto const test = f.difference.test();
  recorder.result("difference_p", test ? number_or_null(test->p) : Json());
  recorder.result("difference_low", test ? number_or_null(test->low) : Json());
  recorder.result("difference_high", test ? number_or_null(test->high) : Json());
  if (test)
    text += fmt::format("\nretrained - unlearned over runs: {:+.4f}, 95 % interval [{:+.4f}, {:+.4f}], p {:.2g}\n",
                        test->difference, test->low, test->high, test->p);
  return text + cost_report(recorder, o, f, utf8) + distance_report(recorder, f, utf8) + leak_report(recorder, f, utf8);
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("unlearning", "Forgets clients by FedEraser and compares the result with retraining.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    CommonOptions timeline = o;  // the rounds of a run: those of the training, then the replayed ones
    timeline.rounds = o.rounds + o.eraser.kept_rounds(o.rounds);
    Recorder recorder(program, timeline, {"honest_ndcg10", "retrained_ndcg10", "replayed_round"});
    Names const names = names_of(o);
    recorder.reference(names.poisoned + ", unlearning from round " + grouped(o.rounds + 1),
                       {names.honest, names.retrained + " (retrained)"});
    recorder.add_folder("retrained");
    Findings findings;
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
    recorder.finish(reports(recorder, o, findings));
  });
}
