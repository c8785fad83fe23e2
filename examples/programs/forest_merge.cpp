// Two clients train forests on different categories of queries. Each client merges both forests, by a linear
// combination of their scores or by stacking (Learning to rank for non-IID datasets, 2024). Or: LightGBM models are
// merged, with weights chosen on validation data or with given weights. The model in --out is the global ranker with
// equal weights; the merged models of the clients are in the folders client1 and client2.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/aggregators/linear_combination.hpp>
#include <fltr/aggregators/stacking.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_shape.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/formats/lightgbm_columns.hpp>
#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/formats/lightgbm_writer.hpp>
#include <fltr/formats/model_file.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/partition/by_category.hpp>
#include <fltr/presets/stacking.hpp>

#include <fmt/core.h>

#include "support/client_forest.hpp"
#include "support/derived_category.hpp"
#include "support/experiment.hpp"
#include "support/files.hpp"
#include "support/forest_stage.hpp"
#include "support/given_models.hpp"
#include "support/interruption.hpp"
#include "support/merge_report.hpp"
#include "support/model_comparison.hpp"
#include "support/program.hpp"
#include "support/resumable_training.hpp"
#include "support/saved_input.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Merge { linear, stacking };

struct Options : CommonOptions {
  std::uint32_t category_feature = 0;  // from 1; 0: the category feature of the synthetic set, if it has one
  std::optional<double> category;
  CategoryRule rule = CategoryRule::no_tie;
  Merge merge = Merge::linear;
  std::uint32_t trees = 300;
  std::uint32_t leaves = 31;
  std::uint32_t min_data = 50;
  double min_hessian = 1;
  std::uint32_t patience = 100;
  std::uint32_t stack_trees = 100;
  std::uint32_t stack_leaves = 16;
  double stack_learning_rate = 0.1;
  bool mixed = false;
  bool no_full = false;
  std::vector<std::string> models;
  std::vector<double> weights;
  SameFeature match = SameFeature::by_column;
  std::optional<std::size_t> model_base;
  std::filesystem::path exported;
  std::uint32_t export_client = 1;
};

void declare(Program& program, Options& o) {
  o.data = "synthetic:istella";
  o.normalize = Normalization::none;
  o.rounds = 1;
  program.common(o, {Common::clicks, Common::ranker, Common::start, Common::clients, Common::interactions,
                     Common::rounds, Common::eval_every, Common::checkpoint_every, Common::dropout, Common::no_online});
  program.refuse("--checkpoint-every", "a checkpoint is saved after the clients' forests, and one after M_full");
  for (char const* option : {"--dropout", "--minimum-reports"})
    program.refuse(option, "it merges the forests of all its clients");
  program
      .whole("--category-feature", o.category_feature,
             "feature with the category of a document, counted from 1 as in the files; synthetic:istella has one. "
             "Without this option, other data gets two categories: values of a feature above its median, and the "
             "others; the feature is the one that divides the training queries most evenly")
      .without_default();
  program.number("--category", o.category, "the category of the first client; default: the most frequent category");
  program.choice("--category-rule", o.rule,
                 {{"tie", CategoryRule::tie}, {"no-tie", CategoryRule::no_tie}, {"exclusive", CategoryRule::exclusive}},
                 "queries of the first client: tie = the category has the most relevant documents, ties broken by "
                 "grades and then at random; no-tie = strictly more than any other category; exclusive = no relevant "
                 "document of another category");
  program.flag("--mixed", o.mixed,
               "the second client has all other queries, including those with relevant documents of the category: the "
               "first split of the paper. No queries remain for choosing the weights, which are then equal");
  program.choice("--merge", o.merge, {{"linear", Merge::linear}, {"stacking", Merge::stacking}},
                 "linear = a weighted sum of the scores; stacking = a small forest that has the scores as features");
  program.whole("--trees", o.trees, "largest number of trees in a forest", 1, 1'000'000);
  program.whole("--leaves", o.leaves, "largest number of leaves in a tree", 2, 32'768);
  program.whole("--min-data", o.min_data, "smallest number of documents in a leaf", 1);
  program.number("--min-hessian", o.min_hessian, "smallest sum of hessians in a leaf", at_least(0));
  program.whole("--patience", o.patience, "training stops after this number of trees without a better nDCG@10 on vali",
                1);
  program.whole("--stack-trees", o.stack_trees, "largest number of trees in the stacked forest", 1, 1'000'000);
  program.whole("--stack-leaves", o.stack_leaves, "largest number of leaves in a tree of the stacked forest", 2,
                32'768);
  program.number("--stack-learning-rate", o.stack_learning_rate, "learning rate of the stacked forest", above(0));
  program.flag("--no-full", o.no_full,
               "does not train M_full, the forest of all queries that the other models are compared with");
  program.inputs("--models", o.models,
                 "merges text models of LightGBM, without training; without categories, weights are chosen on vali");
  program.numbers(
      "--weights", o.weights,
      "one weight for each of the --models: --export writes their weighted sum, and no data is read. A column (or "
      "name, see --match) must be the same feature in all models");
  program.choice("--match", o.match, matches(), match_help);
  program.choice("--model-base", o.model_base, model_bases(), model_base_help);
  program.output("--export", o.exported, "writes the merged forest of a client as a text model of LightGBM");
  program.whole("--export-client", o.export_client, "number of the client whose forest --export writes", 1, 2);
}

LambdaMart mart_of(Options const& o) {
  return {.trees = o.trees,
          .leaves = o.leaves,
          .learning_rate = o.learning_rate,
          .min_data = o.min_data,
          .min_hessian = o.min_hessian,
          .patience = o.patience};
}

/// An observer that ends the training of a forest after a signal.
struct UntilStopped {
  bool operator()(TreeRound const&) const { return !signal_arrived(); }
};

/// The same between two trees of the clients' forests (ClientForest ends within a tree). The progress bar shows the number of trees of the forest that grew last.
struct ShownUntilStopped {
  Run* run;
  std::size_t steps;

  bool operator()(TreeRound const& round) const {
    static std::mutex one_at_a_time;  // clients may train on several threads
    std::scoped_lock const lock(one_at_a_time);
    run->stage(1, steps, fmt::format("training the clients' forests, {} trees", round.trees.size()), false);
    return !signal_arrived();
  }
};

auto stacking_of(Options const& o) {
  LambdaMart top = mart_of(o);
  top.trees = o.stack_trees;
  top.leaves = o.stack_leaves;
  top.learning_rate = o.stack_learning_rate;
  return stacking(top, threads_of(o), UntilStopped{});
}

/// The categories of the documents of a fold, read before the features are normalised.
struct FoldCategories {
  std::vector<float> train;
  std::vector<float> vali;
  std::vector<float> test;
};

/// The feature (from 0) that holds the categories; empty if categories are derived, or models are merged without them.
std::optional<std::size_t> category_feature(Options const& o) {
  if (!o.models.empty() && o.models.size() != 2) return std::nullopt;
  if (o.category_feature > 0) return o.category_feature - 1;
  auto const words = split_text(o.data, ':');
  if (words.size() > 1 && words[0] == "synthetic") return SyntheticShape::named(words[1]).category_feature;
  return std::nullopt;
}

bool has_categories(Options const& o) { return o.models.empty() || category_feature(o); }

/// Two clients with categories; one client without, which chooses the weights on vali.
std::size_t client_count(Options const& o) { return has_categories(o) ? 2 : 1; }

/// The folder in --out of the merged model of a client.
std::string folder_of(std::size_t client) { return fmt::format("client{}", client + 1); }

Forest saved(MergedForest const& merged) { return merged.forest(); }
StackedForest const& saved(StackedForest const& merged) { return merged; }

/// The clients that merge, and the parts of the test queries.
struct Setting {
  std::vector<MergingClient> clients;
  std::vector<TestPart> parts;
};

class Experiment {
 public:
  Experiment(Options const& options, Recorder& recorder) : o_(options), recorder_(recorder) {}

  /// Reads the categories, then normalises the features.
  void prepare(NamedFold& fold) {
    categories_ = {};
    if (auto const feature = category_feature(o_)) {
      if (*feature >= fold.train.feature_count())
        throw std::runtime_error(
            fmt::format("--category-feature {}: the data has {} features", *feature + 1, fold.train.feature_count()));
      categories_ = {categories_of(fold.train, *feature), categories_of(fold.vali, *feature),
                     categories_of(fold.test, *feature)};
    } else if (has_categories(o_)) {
      if (!derived_) derived_ = derive_category(fold.train, {.rule = o_.rule, .seed = o_.seed, .mixed = o_.mixed});
      if (!derived_)
        throw std::runtime_error(
            fmt::format("--data {}: no feature divides the training queries between two clients "
                        "that can merge; give --category-feature, or more data",
                        o_.data));
      categories_ = {derived_->categories(fold.train), derived_->categories(fold.vali),
                     derived_->categories(fold.test)};
    }
    fold.normalize(FittedNormalization::fit(o_.normalize, fold.train));
  }

  void run(Run& run, NamedFold const& fold) {
    if (o_.merge == Merge::stacking)
      merge(run, fold, stacking_of(o_));
    else
      merge(run, fold, LinearCombination{});
  }

  [[nodiscard]] std::span<MergeReport const> reports() const noexcept { return reports_; }

 private:
  template <class Merger>
  void merge(Run& run, NamedFold const& fold, Merger const& merger) {
    MergeReport report(run.fold(), run.seed(), Terminal::of(stdout).utf8);
    Setting const setting = divide(run, fold, report);
    auto const& clients = setting.clients;
    std::size_t const features = fold.train.feature_count();
    auto const offline = [&](Forest const& ranker) {
      return run.evaluate([&] { return offline_of(ranker, fold.test, execution_of(o_)); });
    };
    if (o_.models.empty()) keep_results();
    run.add({.offline = offline(Forest(features))});

    Forest global(features);
    std::vector<decltype(merger.personalize({}, clients[0]))> merged;
    std::optional<GivenModels> given;
    std::size_t const steps = o_.models.empty() && !o_.no_full ? 4 : 3;
    run.stage(1, steps, o_.models.empty() ? "training the clients' forests" : "reading the models");
    if (o_.models.empty()) {
      using Learner = ClientForest<ShownUntilStopped>;
      Learner const learner{mart_of(o_), StoppableThreads(threads_of(o_)), {&run, steps}};
      auto training = make_federation(Forest(features), NoClicks{}, learner, merger)
                          .with_execution(execution_of(o_))
                          .start(clients, {.seed = run.seed()});
      NoState none;
      ResumableTraining saved(run, training);
      if (!saved.resume(none)) {
        training.advance();
        if (!stop_requested()) saved.save(none);  // a signal cuts forests short
      }
      global = training.ranker();
      if (run.stops() && global.trees().empty())
        throw Interrupted("interrupted by " + stop_signal_name() + " before the first tree; no new files are left");
      run.stage(2, steps, "merging");
      for (std::size_t i = 0; i < clients.size(); ++i) merged.push_back(training.ranker_of(i));
    } else {
      given.emplace(o_.models, features, o_.model_base);
      // Models that cannot be merged into one file are refused before the search for their weights.
      if (!o_.exported.empty()) static_cast<void>(given->merged(std::vector<double>(o_.models.size()), o_.match));
      auto const forests = given->forests();
      run.stage(2, steps, "merging");
      merger.aggregate(forests, global);
      for (auto const& client : clients) merged.push_back(merger.personalize(forests, client));
    }
    run.add({.round = 1, .offline = offline(global), .clients = clients.size()});
    record_queries(run, global, fold.test);
    record_model(run, global, fold.input);
    for (std::size_t i = 0; i < merged.size(); ++i) {
      record_queries(run, merged[i], fold.test, folder_of(i));
      record_model(run, saved(merged[i]), fold.input, folder_of(i));
    }
    if constexpr (std::same_as<Merger, LinearCombination>)  // `check` refuses --export for stacking
      if (run.number() == 1 && !o_.exported.empty()) recorder_.attempt([&] { write_export(merged, given); });

    std::optional<Forest> full;
    if (steps == 4) run.stage(3, steps, "training M_full on all queries");
    if (o_.models.empty() && !o_.no_full && !run.stops()) {
      NoState none;
      ForestStage stage(execution_of(o_));
      ResumableTraining saved(run, stage);
      bool interrupted = false;
      if (!saved.resume(none)) {
        try {  // one forest is not spread over ranks
          if (is_first_rank())
            stage.forest =
                mart_of(o_).train(StoppableThreads(threads_of(o_)), fold.train, fold.vali, Streams{run.seed()});
          stage.complete();
        } catch (Interrupted const&) {
          interrupted = true;
        }
        interrupted = on_any_rank(interrupted);
        if (interrupted)
          static_cast<void>(run.stops());
        else
          saved.save(none);
      }
      if (is_first_rank() && !interrupted) full = std::move(stage.forest);
    }
    run.stage(steps, steps, "measuring");
    run.evaluate([&] {
      report.add_models(std::span(std::as_const(merged)), global, full, fold.test, setting.parts);
      return 0;
    });
    run.result("merged_ndcg10", report.merged());
    for (std::size_t i = 0; i < report.clients().size(); ++i) {
      auto const& client = report.clients()[i];
      auto const name = [&](char const* what) { return fmt::format("client{}_{}", i + 1, what); };
      run.result(name("local_ndcg10"), client.local);
      run.result(name("other_ndcg10"), client.other);
      run.result(name("merged_ndcg10"), client.merged);
      if (client.weights.size() == 2) run.result(name("alpha"), client.weights[1]);
    }
    reports_.push_back(std::move(report));
  }

  /// Two clients by category, or one client with all validation queries; and the parts of the test queries.
  Setting divide(Run const& run, NamedFold const& fold, MergeReport& report) const {
    if (!has_categories(o_)) {
      Dataset const& held_out = fold.vali.size() > 0 ? fold.vali : fold.train;
      report.add_held_out(held_out);
      return {{MergingClient{.queries = {}, .merge = QueryPool(held_out)}}, {all_queries("DS", fold.test)}};
    }
    ByCategory how{.rule = o_.rule, .seed = run.seed(), .mixed = o_.mixed};
    if (o_.category) how.category = static_cast<float>(*o_.category);
    if (derived_) how.category = derived_->of_the_first;
    how.category = how.category ? how.category : how.most_frequent(fold.train, categories_.train);
    try {
      auto const test = how.parts(fold.test, categories_.test, *how.category);
      Setting setting{how.split(fold.train, categories_.train, fold.vali, categories_.vali),
                      {{"DS1", test.own}, {"DS2", test.others}, all_queries("DS", fold.test)}};
      report.add_split(*how.category, derived_, fold, setting.clients, setting.parts);
      return setting;
    } catch (std::invalid_argument const& error) {  // the data has no such queries
      throw std::runtime_error(std::string(o_.category ? "--category: " : "--category-feature: ") +
                               without_library_names(error.what()));
    }
  }

  void write_export(std::vector<MergedForest> const& merged, std::optional<GivenModels> const& given) const {
    auto const& chosen = merged[std::min<std::size_t>(o_.export_client, merged.size()) - 1];
    write_lightgbm_model(o_.exported,
                         given ? given->merged(chosen.weights, o_.match)
                               : LightGbmModel(to_lightgbm_columns(chosen.forest(), o_.model_base.value_or(1))));
  }

  Options const& o_;
  Recorder& recorder_;
  FoldCategories categories_;
  std::optional<DerivedCategory> derived_;  // from the first fold, for all folds
  std::vector<MergeReport> reports_;
};

/// The work of --weights: merges models without data.
void merge_by_weights(Options const& o) {
  auto const merged = merge_models(o.models, o.weights, o.match);
  write_lightgbm_model(o.exported, merged);
  fmt::print("{}: {} models merged, {} trees, {} columns\n", o.exported.string(), o.models.size(),
             merged.forest.trees().size(), merged.forest.feature_count());
}

void check_weights(Program const& program, Options const& o) {
  constexpr std::array<std::string_view, 5> used{"--models", "--weights", "--match", "--export", "--quiet"};
  for (std::string const& option : program.given())
    if (std::ranges::find(used, option) == used.end())
      throw UsageError(fmt::format("{} cannot be used with --weights, which merges the --models without data", option));
  if (o.models.size() < 2 || o.exported.empty())
    throw UsageError("--weights needs at least two --models, and --export for the merged model");
  if (o.models.size() != o.weights.size())
    throw UsageError(fmt::format("--weights: required one weight for each of the {} --models, got {}", o.models.size(),
                                 o.weights.size()));
}

void check(Program const& program, Options const& o) {
  if (!o.weights.empty()) return check_weights(program, o);
  if (!o.models.empty() && !o.checkpoint.empty())
    throw UsageError("--checkpoint is for training and cannot be used with --models");
  if (o.models.size() == 1) throw UsageError("--models: required at least two models to merge, got 1");
  if (o.models.size() > 2 && (program.given("--category-feature") || program.given("--category")))
    throw UsageError(
        "--category-feature needs exactly two --models; without it, any number of models is merged, with weights "
        "chosen on vali");
  for (char const* option :
       {"--trees", "--leaves", "--learning-rate", "--no-full", "--min-data", "--min-hessian", "--patience"})
    if (!o.models.empty() && program.given(option))
      throw UsageError(fmt::format("{} is for training and cannot be used with --models", option));
  if (!category_feature(o) && program.given("--category"))
    throw UsageError("--category needs --category-feature: without it, the program chooses a feature");
  if (!has_categories(o) && (program.given("--category-rule") || o.mixed))
    throw UsageError("--category-rule and --mixed need --category-feature with --models");
  if (o.mixed && o.merge == Merge::stacking)
    throw UsageError("--mixed cannot be used with --merge stacking: it leaves no queries to train the stacked forest");
  if (o.model_base && o.models.empty() && o.exported.empty())
    throw UsageError("--model-base needs --models or --export");
  for (char const* option : {"--stack-trees", "--stack-leaves", "--stack-learning-rate"})
    if (o.merge == Merge::linear && program.given(option))
      throw UsageError(fmt::format("{} belongs to --merge stacking", option));
  if (o.merge == Merge::stacking && !o.exported.empty())
    throw UsageError("--export needs --merge linear: a stacked forest is not a model of LightGBM");
  if ((o.models.empty() || o.exported.empty()) && program.given("--match"))
    throw UsageError("--match needs both --models and --export");
  if (o.exported.empty() && program.given("--export-client")) throw UsageError("--export-client needs --export");
  if (o.export_client == 2 && !has_categories(o))
    throw UsageError("--export-client: required 1 without categories, got 2");
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("forest_merge",
                  "Merges forests that two clients trained on different categories of queries, or models of LightGBM.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    if (!o.weights.empty()) {
      if (first_rank_works_alone()) merge_by_weights(o);
      return;
    }
    Recorder recorder(program, o);
    for (std::size_t i = 0; i < client_count(o); ++i) recorder.add_folder(folder_of(i));
    recorder.headline(
        {.result = "merged_ndcg10",
         .label = client_count(o) == 1 ? "merged model nDCG@10" : "merged models nDCG@10, mean of clients",
         .offline_model = "equal weights"});
    Experiment experiment(o, recorder);
    CommonOptions unscaled = o;  // `prepare` reads the categories before it normalises
    unscaled.normalize = Normalization::none;
    for_each_run(
        unscaled, recorder, [&](NamedFold const& fold, Run& run) { experiment.run(run, fold); },
        [&](NamedFold& fold) { experiment.prepare(fold); });
    recorder.picture(merge_chart(experiment.reports(), o.data));
    recorder.result("clients", clients_json(experiment.reports()));
    Json runs = Json::array();
    for (MergeReport const& report : experiment.reports()) runs.push_back(report.json());
    recorder.result("runs", runs);
    std::string text;
    for (MergeReport const& report : experiment.reports()) text += '\n' + report.text();
    if (!o.exported.empty())
      if (auto const note = export_note(o.exported, o.normalize); !note.empty()) text += '\n' + note + '\n';
    recorder.finish(text);
  });
}
