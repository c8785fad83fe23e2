// LambdaMART: trains a forest of one's own data, or takes one from a file (ours, or a text model of LightGBM), and says
// what it is worth on the test queries.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fltr/data/atomic_file.hpp>
#include <fltr/io/lightgbm_reader.hpp>
#include <fltr/io/lightgbm_writer.hpp>
#include <fltr/io/model_file.hpp>
#include <fltr/io/trec.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/rankers/forest.hpp>

#include "support/experiment.hpp"
#include "support/program.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

struct Options : CommonOptions {
  LambdaMart mart{.min_data = 50};
  std::filesystem::path model;
  std::filesystem::path exported;
  std::filesystem::path trec_run;
};

/// The options of training, which a given model makes pointless.
constexpr char const* training_options[] = {"--trees",       "--leaves",   "--learning-rate",  "--min-data",
                                            "--min-hessian", "--patience", "--query-fraction", "--feature-fraction",
                                            "--truncation",  "--repeats",  "--seed",           "--eval-every"};

void declare(Program& program, Options& o) {
  Range const fraction{.least = 0, .most = 1, .least_included = false};
  program.common(
      o, {Common::clicks, Common::ranker, Common::start, Common::clients, Common::interactions, Common::rounds});
  program.whole("--trees", o.rounds, "of the forest, at most", 1, 1'000'000);
  program.whole("--leaves", o.mart.leaves, "of a tree, at most", 2, 32'768);
  program.whole("--min-data", o.mart.min_data, "documents in a leaf, at least", 1);
  program.number("--min-hessian", o.mart.min_hessian, "sum of hessians in a leaf, at least", at_least(0));
  program.whole("--patience", o.mart.patience,
                "trees without a better nDCG@10 on the validation queries, after which training stops; 0: never");
  program.whole("--truncation", o.mart.lambda.truncation,
                "a pair counts if one of the two stands within these ranks; 0: every pair");
  program.number("--query-fraction", o.mart.query_fraction, "of the queries, drawn for each tree", fraction);
  program.number("--feature-fraction", o.mart.feature_fraction, "of the features, drawn for each tree", fraction);
  program.path("--model", o.model, "no training: a model of --out, or a text model of LightGBM");
  program.path("--export", o.exported, "writes the forest as a text model of LightGBM");
  program.path("--run", o.trec_run, "writes a TREC run of the test queries");
}

Forest read_forest(std::filesystem::path const& path) {
  std::string first;
  std::getline(std::ifstream(path), first);
  return first == "tree" || first == "tree\r" ? read_lightgbm_model(path).forest : read_model<Forest>(path);
}

Offline offline_of(BoostedScores const& scores, Threads threads) {
  return {.ndcg10 = scores.evaluate(threads, Ndcg{.cutoff = 10}).mean(),
          .mrr10 = scores.evaluate(threads, ReciprocalRank{.cutoff = 10}).mean()};
}

Offline offline_of(Forest const& forest, Dataset const& data, Threads threads) {
  auto const [ndcg, mrr] = evaluate_on(threads, forest, data, Ndcg{.cutoff = 10}, ReciprocalRank{.cutoff = 10});
  return {.ndcg10 = ndcg.mean(), .mrr10 = mrr.mean()};
}

/// Seconds that trees took, without evaluations.
struct TreeTime {
  double seconds = 0;
  std::size_t trees = 0;
};

/// Trees one by one, each a row: the same forest as LambdaMart::train.
Forest train(Run& run, Options const& o, NamedFold const& fold, TreeTime& time) {
  Threads const threads = threads_of(o);
  Boosting training(threads, query_views(fold.train), o.mart.boosting(), {.seed = run.seed()});
  BoostedScores vali(query_views(fold.vali));
  BoostedScores test(query_views(fold.test));
  bool const watches = o.mart.patience > 0 && vali.evaluate(threads, Ndcg{}).queries > 0;
  EarlyStopping early{.patience = o.mart.patience};
  bool const samples = o.mart.query_fraction < 1 || o.mart.feature_fraction < 1;
  std::vector<Tree> trees;
  run.add({.offline = run.evaluate([&] { return offline_of(test, threads); }), .extra = {Cell()}});
  for (std::uint32_t t = 1; t <= o.rounds; ++t) {
    Stopwatch const watch;
    Tree tree = training.step(threads);
    time.seconds += watch.seconds();
    ++time.trees;
    if (tree.leaf_count() == 1 && !samples) break;
    RoundRow row{.round = t, .extra = {Cell()}};
    run.evaluate([&] {
      vali.add(threads, tree);
      test.add(threads, tree);
      if (run.evaluates(t)) row.offline = offline_of(test, threads);
      if (watches) {
        double const value = vali.evaluate(threads, Ndcg{.cutoff = 10}).mean();
        early.add(t, value);
        row.extra = {value};
      }
      return 0;
    });
    trees.push_back(std::move(tree));
    run.add(std::move(row));
    if (watches && early.stops(t)) break;
  }
  if (watches) trees.resize(early.best);
  return Forest(std::move(trees), fold.train.feature_count());
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  o.normalize = Scaling::none;
  o.rounds = 300;
  Program program("lambda_mart", "Trains a forest with LambdaMART, or evaluates one from a file.");
  declare(program, o);
  return program.run(argc, argv, [&] {
    if (!o.model.empty())
      for (char const* option : training_options)
        if (program.given(option))
          throw UsageError(std::string(option) + " belongs to training, which --model replaces");
    o.mart.learning_rate = o.learning_rate;
    Recorder recorder(program, o, {"vali_ndcg10"});
    TreeTime time;
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      Forest const forest = o.model.empty() ? train(run, o, fold, time) : read_forest(o.model);
      if (!o.model.empty()) run.add({.extra = {Cell()}});
      run.add_offline(run.evaluate([&] { return offline_of(forest, fold.test, threads_of(o)); }));
      run.result("trees", static_cast<double>(forest.trees().size()));
      run.model(model_bytes(forest));
      if (run.number() != 1) return;
      if (!o.exported.empty()) write_lightgbm_model(o.exported, LightGbmModel(forest));
      if (!o.trec_run.empty()) {
        AtomicFile file(o.trec_run);
        write_trec_run(file.out(), fold.test, forest);
        file.commit();
      }
    });
    if (time.trees > 0) recorder.add_seconds("per_tree", time.seconds / static_cast<double>(time.trees));
    recorder.finish();
  });
}
