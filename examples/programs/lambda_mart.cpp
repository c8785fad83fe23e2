// LambdaMART: trains a forest, or reads one from a model file or a text model of LightGBM, and evaluates it on the test
// queries.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/content_hash.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/letor_writer.hpp>
#include <fltr/formats/lightgbm_columns.hpp>
#include <fltr/formats/lightgbm_reader.hpp>
#include <fltr/formats/lightgbm_writer.hpp>
#include <fltr/formats/model_file.hpp>
#include <fltr/formats/trec.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/random_search.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/rankers/forest.hpp>

#include <fmt/core.h>

#include "support/experiment.hpp"
#include "support/files.hpp"
#include "support/forest_stage.hpp"
#include "support/given_models.hpp"
#include "support/interruption.hpp"
#include "support/program.hpp"
#include "support/resumable_training.hpp"
#include "support/saved_input.hpp"
#include "support/train.hpp"
#include "support/trials.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

struct Options : CommonOptions {
  LambdaMart mart{.min_data = 50};
  std::uint32_t tune = 0;
  std::filesystem::path trials;
  std::filesystem::path model;
  std::optional<std::size_t> model_base;
  std::filesystem::path exported;
  std::filesystem::path trec_run;
  std::filesystem::path write_data;
};

/// The options of training. A run with --model does not use them.
constexpr char const* training_options[] = {"--trees",       "--leaves",   "--learning-rate",  "--min-data",
                                            "--min-hessian", "--patience", "--query-fraction", "--feature-fraction",
                                            "--truncation",  "--repeats",  "--seed",           "--eval-every",
                                            "--tune",        "--trials",   "--checkpoint",     "--resume"};
/// The options whose values --tune chooses.
constexpr char const* tuned_options[] = {"--leaves", "--learning-rate", "--min-data", "--min-hessian"};

void declare(Program& program, Options& o) {
  Range const fraction{.least = 0, .most = 1, .least_included = false};
  program.common(o, {Common::clicks, Common::ranker, Common::start, Common::clients, Common::interactions,
                     Common::rounds, Common::checkpoint_every, Common::dropout, Common::no_online});
  program.refuse("--checkpoint-every", "a checkpoint is saved after each forest; --trials saves each trial of --tune");
  for (char const* option : {"--dropout", "--minimum-reports"}) program.refuse(option, "it has no clients");
  program.whole("--trees", o.rounds, "largest number of trees", 1, 1'000'000);
  program.whole("--leaves", o.mart.leaves, "largest number of leaves in a tree", 2, 32'768);
  program.whole("--min-data", o.mart.min_data, "smallest number of documents in a leaf", 1);
  program.number("--min-hessian", o.mart.min_hessian, "smallest sum of hessians in a leaf", at_least(0));
  program.whole("--patience", o.mart.patience,
                "training stops after N trees without a better nDCG@10 on the validation queries; 0: never");
  program.whole("--truncation", o.mart.lambda.truncation,
                "a pair counts if one of its two documents is within the first N ranks; 0: every pair");
  program.number("--query-fraction", o.mart.query_fraction, "share of the queries that is drawn for each tree",
                 fraction);
  program.number("--feature-fraction", o.mart.feature_fraction, "share of the features that is drawn for each tree",
                 fraction);
  program.whole(
      "--tune", o.tune,
      "tries N random combinations of --leaves, --learning-rate, --min-data and --min-hessian, and trains with "
      "the one of the highest nDCG@10 on the validation queries; 0: no tuning");
  program.output(
      "--trials", o.trials,
      "CSV file for the trials of --tune; trials in an existing file are kept, and only missing ones are run");
  program.input("--model", o.model,
                "evaluates this model instead of training: a model file of --out, or a text model of LightGBM");
  program.choice("--model-base", o.model_base, model_bases(), model_base_help);
  program.output("--export", o.exported, "writes the forest as a text model of LightGBM");
  program.output("--run", o.trec_run, "writes a TREC run of the test queries");
  program.output_folder("--write-data", o.write_data, {"train.txt", "vali.txt", "test.txt"},
                        "writes train.txt, vali.txt and test.txt into this folder, as input of other programs");
}

Forest read_forest(Options const& o, std::size_t features) {
  if (!is_lightgbm_model(o.model)) {
    auto forest = read_model<Forest>(o.model);
    if (forest.feature_count() > features)
      throw std::runtime_error(
          fmt::format("--model {}: required data of at least {} features, got {} features in --data {}",
                      o.model.string(), forest.feature_count(), features, o.data));
    return forest;
  }
  return GivenModels({o.model.string()}, features, o.model_base).forests().front().message;
}

Offline offline_of(BoostedScores const& scores, Threads threads) {
  return {.ndcg10 = mean_of(scores.evaluate(threads, Ndcg{.cutoff = 10})),
          .mrr10 = mean_of(scores.evaluate(threads, ReciprocalRank{.cutoff = 10})),
          .ndcg5 = mean_of(scores.evaluate(threads, Ndcg{.cutoff = 5}))};
}

/// The time for growing trees, without evaluations.
struct TreeTime {
  double seconds = 0;
  std::size_t trees = 0;
};

/// The rows of rounds.csv of a forest, for checkpoints.
struct ForestLog {
  struct SavedTree {
    SavedRow row{};
    Keep keep = Keep::yes;
    auto fields(auto&& visit) { return visit(row, keep); }
  };
  std::vector<SavedTree> trees{};
  double evaluate_seconds = 0;
  auto fields(auto&& visit) { return visit(trees, evaluate_seconds); }
};

/// Trains as LambdaMart::train does. Each tree of the returned forest is a row of rounds.csv.
Forest train(Run& run, Options const& o, LambdaMart const& mart, NamedFold const& fold, TreeTime& time,
             ForestLog& log) {
  Threads const threads = threads_of(o);
  BoostedScores vali(query_views(fold.vali));
  BoostedScores test(query_views(fold.test));
  bool const watches = mart.patience > 0 && vali.evaluate(threads, Ndcg{}).queries > 0;
  EarlyStopping early{.patience = mart.patience};
  Stopwatch watch;
  auto const forest = mart.train(threads, fold.train, {.seed = run.seed()}, [&](TreeRound const& round) {
    auto const trees = round.trees;
    auto const t = static_cast<std::uint32_t>(trees.size());
    if (t > 0) time.seconds += watch.seconds();
    RoundRow row{.round = t, .extra = {Cell()}};
    Keep keep = Keep::yes;
    run.evaluate([&] {
      if (t > 0) {
        vali.add(threads, trees.back());
        test.add(threads, trees.back());
      }
      if (t == 0 || run.evaluates(t)) row.offline = offline_of(test, threads);
      if (t > 0 && watches) {
        double const value = vali.evaluate_for_selection(threads, Ndcg{.cutoff = 10}).mean();
        early.add(t, value);
        row.extra = {value};
        if (early.best != t) keep = Keep::if_followed;  // early stopping may remove this tree
      }
      return 0;
    });
    log.trees.push_back({{row}, keep});
    run.add(std::move(row), keep);
    log.trees.back().row.seconds = run.train_seconds();
    log.evaluate_seconds = run.evaluate_seconds();
    if (t == 0) keep_results();
    watch = {};
    return t == 0 || ((!watches || !early.stops(t)) && (t == mart.trees || !run.stops()));
  });
  time.trees += forest.trees().size();
  return watches ? early.best_of(forest) : forest;
}

/// The same. A complete forest is saved as --checkpoint asks, and with --resume it is not trained again.
Forest saved_or_trained(Run& run, Options const& o, LambdaMart const& mart, NamedFold const& fold, TreeTime& time) {
  ForestLog log;
  ForestStage stage(execution_of(o));
  ResumableTraining saved(run, stage);
  if (saved.resume(log)) {
    for (auto const& [row, keep] : log.trees) run.add_again(row.row, row.seconds, keep);
    run.continue_from(run.train_seconds(), log.evaluate_seconds);
    keep_results();
    return std::move(stage.forest);
  }
  stage.forest = train(run, o, mart, fold, time, log);
  stage.complete();
  if (!run.cut_short()) saved.save(log);
  return std::move(stage.forest);
}

/// A hash of the grades and features of all train and vali queries.
std::string fingerprint(Fold const& fold) {
  std::uint64_t state = 0;
  auto const add = [&]<class T>(std::span<T const> values) { state = content_hash(std::as_bytes(values), state).low; };
  for (Dataset const* part : {&fold.train, &fold.vali}) {
    std::array const sizes{part->size(), part->document_count(), part->feature_count()};
    add(std::span<std::size_t const>(sizes));
    for (std::size_t q = 0; q < part->size(); ++q) {
      QueryView const query = (*part)[q];
      add(query.grades());
      for (std::size_t d = 0; d < query.document_count(); ++d) add(query.row(d));
    }
  }
  return fmt::format("{:016x}", state);
}

/// Everything that the result of a trial depends on, except the tuned parameters.
std::string setting_of(LambdaMart const& mart, Fold const& fold) {
  return fmt::format("data={} trees={} patience={} truncation={} query-fraction={} feature-fraction={}",
                     fingerprint(fold), mart.trees, mart.patience, mart.lambda.truncation, mart.query_fraction,
                     mart.feature_fraction);
}

/// The message for a tuning that a signal ended: the best trial so far.
std::string interrupted_tuning(Options const& o, std::span<Trial const> done) {
  std::string text = fmt::format("interrupted by {} after {} of {} trials", stop_signal_name(), done.size(), o.tune);
  if (done.empty()) return text;
  Trial const best = RandomSearch::best(done);
  text += fmt::format(
      "; best so far: --learning-rate {:g} --leaves {} --min-data {} --min-hessian {:g} (nDCG@10 {:.4f} "
      "on vali)",
      best.learning_rate, best.leaves, best.min_data, best.min_hessian, best.value);
  return text + (o.trials.empty() ? "" : fmt::format("; the same command continues from {}", o.trials.string()));
}

/// Tries sets of parameters on a fold, and returns the best. Throws Interrupted after a signal; the finished trials
/// are in the file.
LambdaMart tuned(Options const& o, NamedFold const& fold, RandomSearch const& search, Trials& trials) {
  if (fold.vali.size() == 0) throw std::runtime_error("--tune: required validation queries, got none");
  StoppableThreads const threads(threads_of(o));
  auto const setting = setting_of(search.base, fold);
  keep_results();
  while (trials.of(fold.number, setting).size() < o.tune) {
    auto const& done = trials.of(fold.number, setting);
    try {
      trials.add(fold.number, search.run(threads, fold.train, fold.vali, done.size() + 1, done).back());
    } catch (Interrupted const&) {
      std::string text = interrupted_tuning(o, done);
      try {
        trials.save();
      } catch (std::runtime_error const& error) {
        text += fmt::format("; {}", error.what());
      }
      throw Interrupted(text);
    }
  }
  Trial const best = RandomSearch::best(std::span(trials.of(fold.number, setting)).first(o.tune));
  LambdaMart mart = best.learner(search.base);
  mart.trees = o.mart.trees;
  return mart;
}

void check(Program& program, Options const& o) {
  if (!o.model.empty())
    for (char const* option : training_options) program.ignore(option, "belongs to training, which --model replaces");
  if (o.tune > 0)
    for (char const* option : tuned_options) program.ignore(option, "is chosen by --tune; leave it out");
  if (o.tune > 0 && o.mart.patience == 0)
    throw UsageError("--tune: required --patience of at least 1, because trials stop early, got 0");
  if (o.tune == 0 && !o.trials.empty()) throw UsageError("--trials belongs to --tune, which is not given");
  bool const given = !o.model.empty() && is_lightgbm_model(o.model);
  if (given && !o.exported.empty())
    throw UsageError("--export: " + o.model.string() + " is already a text model of LightGBM");
  if (o.model_base && !given && o.exported.empty())
    throw UsageError("--model-base is for text models of LightGBM: give one with --model, or --export");
}

/// How documents are prepared for the model in --model; the options are set accordingly. Empty without --model and for
/// models without a ModelInput: then --data and the options decide.
std::optional<ModelInput> adopt_input(Program const& program, Options& o) {
  if (o.model.empty() || is_lightgbm_model(o.model)) return std::nullopt;
  auto const saved = ModelFile(o.model).input();
  if (!saved) {
    if (!program.given("--normalize")) throw UsageError(not_stated(o.model));
    return std::nullopt;
  }
  auto const input = saved_input(program, o.model, saved, o.normalize, o.clamp);
  o.normalize = input.normalization.kind();
  o.clamp = clamp_option(input);
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  o.normalize = Normalization::none;
  o.rounds = 300;
  Program program("lambda_mart", "Trains a forest with LambdaMART, or evaluates a forest from a file.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    if (!first_rank_works_alone()) return;
    o.mart.trees = o.rounds;
    o.mart.learning_rate = o.learning_rate;
    RandomSearch const search{.base = o.mart, .seed = o.seed};
    Trials trials(o.trials, search);
    auto const input = adopt_input(program, o);
    CommonOptions loading = o;
    if (input) loading.normalize = Normalization::none;  // `prepare` normalises
    auto const prepare = [&](NamedFold& fold) {
      if (input) fold.normalize(input->normalization);
    };
    Recorder recorder(program, o, {"vali_ndcg10"});
    recorder.unit("tree");
    TreeTime time;
    double tuning = 0;  // seconds
    auto const one_run = [&](NamedFold const& fold, Run& run) {
      LambdaMart mart = o.mart;
      if (o.tune > 0) {
        Stopwatch const watch;
        mart = run.evaluate([&] { return tuned(o, fold, search, trials); });
        tuning += watch.seconds();
        run.result("tuned_learning_rate", mart.learning_rate);
        run.result("tuned_leaves", static_cast<double>(mart.leaves));
        run.result("tuned_min_data", static_cast<double>(mart.min_data));
        run.result("tuned_min_hessian", mart.min_hessian);
      }
      Forest const forest =
          o.model.empty() ? saved_or_trained(run, o, mart, fold, time) : read_forest(o, fold.test.feature_count());
      if (!o.model.empty()) run.add({.extra = {Cell()}});
      run.add_offline(run.evaluate([&] { return offline_of(forest, fold.test, execution_of(o)); }));
      run.result("trees", static_cast<double>(forest.trees().size()));
      record_queries(run, forest, fold.test);
      record_model(run, forest, fold.input);
      if (run.number() != 1) return;
      if (!o.write_data.empty()) {
        recorder.attempt([&] { make_folder(o.write_data); });
        recorder.attempt([&] { write_letor(fold.train, o.write_data / "train.txt"); });
        recorder.attempt([&] { write_letor(fold.vali, o.write_data / "vali.txt"); });
        recorder.attempt([&] { write_letor(fold.test, o.write_data / "test.txt"); });
      }
      if (!o.exported.empty())
        recorder.attempt([&] {
          write_lightgbm_model(o.exported, LightGbmModel(to_lightgbm_columns(forest, o.model_base.value_or(1))));
        });
      if (!o.trec_run.empty())
        recorder.attempt([&] {
          AtomicFile file(o.trec_run);
          write_trec_run(file.out(), fold.test, forest);
          file.commit();
        });
    };
    for_each_run(loading, recorder, one_run, prepare);
    recorder.attempt([&] { trials.save(); });
    if (time.trees > 0) recorder.add_seconds("per_tree", time.seconds / static_cast<double>(time.trees));
    if (o.tune > 0) recorder.add_seconds("tune", tuning);
    recorder.finish();
    if (!o.exported.empty())
      if (auto const note = export_note(o.exported, o.normalize); !note.empty()) fmt::print("{}\n", note);
  });
}
