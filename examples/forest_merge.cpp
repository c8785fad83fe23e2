// Forests trained apart on different categories of queries and merged at each client, by a linear combination of their
// scores or by stacking (Learning to rank for non-IID datasets, 2024). Or: models of LightGBM, merged by validation
// data.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/linear_combination.hpp>
#include <fltr/aggregators/stacking.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_shape.hpp>
#include <fltr/federation/merge_forests.hpp>
#include <fltr/io/lightgbm_model.hpp>
#include <fltr/io/lightgbm_writer.hpp>
#include <fltr/io/model_file.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/partition/by_category.hpp>

#include <fmt/core.h>

#include "support/experiment.hpp"
#include "support/given_models.hpp"
#include "support/model_comparison.hpp"
#include "support/program.hpp"
#include "support/table.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Merge { linear, stacking };

struct Options : CommonOptions {
  std::vector<double> parts;
  std::uint32_t category_feature = 0;  // from 1; 0: that of the synthetic set, if it has one
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
  std::optional<std::size_t> model_base;
  std::filesystem::path exported;
  std::uint32_t export_client = 1;
};

void declare(Program& program, Options& o) {
  o.data = "synthetic:istella";
  o.normalize = Scaling::none;
  o.rounds = 1;
  program.common(o, {Common::split, Common::clicks, Common::ranker, Common::start, Common::clients,
                     Common::interactions, Common::rounds, Common::eval_every});
  program.numbers("--parts", o.parts, "parts of a single file for train, vali and test, by query: .6,.2,.2",
                  between(0, 1));
  program.whole("--category-feature", o.category_feature,
                "feature with the category of a document, counted from 1 as in the files; synthetic:istella has one");
  program.number("--category", o.category, "the category of the first client; without it, the most frequent one");
  program.choice("--split", o.rule,
                 {{"tie", CategoryRule::tie}, {"no-tie", CategoryRule::no_tie}, {"exclusive", CategoryRule::exclusive}},
                 "queries of the first client: those of the category, those with more relevant documents of it than of "
                 "any other, or those with no other");
  program.flag("--mixed", o.mixed,
               "the second client has all other queries, also those with relevant documents of the category: the "
               "paper's first split. Nothing is left over to merge by");
  program.choice("--merge", o.merge, {{"linear", Merge::linear}, {"stacking", Merge::stacking}},
                 "a weighted sum of the scores, or a small forest on top of them");
  program.whole("--trees", o.trees, "of a forest, at most", 1, 1'000'000);
  program.whole("--leaves", o.leaves, "of a tree, at most", 2, 32'768);
  program.whole("--min-data", o.min_data, "documents in a leaf, at least", 1);
  program.number("--min-hessian", o.min_hessian, "sum of hessians in a leaf, at least", at_least(0));
  program.whole("--patience", o.patience, "trees without a better nDCG@10 on vali, after which training stops", 1);
  program.whole("--stack-trees", o.stack_trees, "of the forest on top, at most", 1, 1'000'000);
  program.whole("--stack-leaves", o.stack_leaves, "of its trees, at most", 2, 32'768);
  program.number("--stack-learning-rate", o.stack_learning_rate, "its step size", above(0));
  program.flag("--no-full", o.no_full, "does not train M_full, a forest of all queries, the bound");
  program.list("--models", o.models,
               "no training: text models of LightGBM. Without categories they are merged by vali");
  program.choice("--model-base", o.model_base, model_bases(), model_base_help);
  program.path("--export", o.exported, "writes the merged forest of a client as a text model of LightGBM");
  program.whole("--export-client", o.export_client, "which client's", 1, 2);
}

LambdaMart mart_of(Options const& o) {
  return {.trees = o.trees,
          .leaves = o.leaves,
          .learning_rate = o.learning_rate,
          .min_data = o.min_data,
          .min_hessian = o.min_hessian,
          .patience = o.patience};
}

auto stacking_of(Options const& o) {
  LambdaMart top = mart_of(o);
  top.trees = o.stack_trees;
  top.leaves = o.stack_leaves;
  top.learning_rate = o.stack_learning_rate;
  return stacking(top, threads_of(o));
}

/// The categories of a fold's documents, read before features are scaled.
struct FoldCategories {
  std::vector<float> train;
  std::vector<float> vali;
  std::vector<float> test;
};

/// The feature, from 0, with the categories; none where models are merged without.
std::optional<std::size_t> category_feature(Options const& o) {
  if (!o.models.empty() && o.models.size() != 2) return std::nullopt;
  if (o.category_feature > 0) return o.category_feature - 1;
  auto const words = split_text(o.data, ':');
  if (words.size() > 1 && words[0] == "synthetic") return SyntheticShape::named(words[1]).category_feature;
  return std::nullopt;
}

/// What one run, a fold and a seed, leaves for the report.
struct Outcome {
  struct Client {
    double local = 0;
    double other = 0;
    double merged = 0;
    std::vector<double> weights{};  // none for stacking
  };
  std::vector<Client> clients;
  std::string text;
  std::string json;
};

class Experiment {
 public:
  explicit Experiment(Options const& options) : o_(options), utf8_(Terminal::of(stdout).utf8) {}

  /// Reads the categories and scales the features.
  void prepare(NamedFold& fold) {
    categories_ = {};
    if (auto const feature = category_feature(o_))
      categories_ = {categories_of(fold.train, *feature), categories_of(fold.vali, *feature),
                     categories_of(fold.test, *feature)};
    if (o_.normalize != Scaling::none)
      static_cast<Fold&>(fold) =
          normalize(std::move(fold), o_.normalize == Scaling::query ? Normalization::query : Normalization::zscore);
  }

  void run(Run& run, NamedFold const& fold) {
    if (o_.merge == Merge::stacking)
      merge(run, fold, stacking_of(o_));
    else
      merge(run, fold, LinearCombination{});
  }

  [[nodiscard]] std::span<Outcome const> outcomes() const noexcept { return outcomes_; }

 private:
  template <class Merger>
  void merge(Run& run, NamedFold const& fold, Merger const& merger) {
    Outcome outcome;
    std::vector<TestPart> parts;
    auto const clients = clients_of(run, fold, outcome, parts);
    std::size_t const features = fold.train.feature_count();
    auto const offline = [&](Forest const& ranker) {
      return run.evaluate([&] { return offline_of(ranker, fold.test, threads_of(o_)); });
    };
    run.add({.offline = offline(Forest(features))});

    Forest global(features);
    std::vector<decltype(merger.personalize({}, clients[0]))> merged;
    if (o_.models.empty()) {
      auto training = merge_forests(features, mart_of(o_), merger, threads_of(o_)).start(clients, {.seed = run.seed()});
      training.advance();
      global = training.ranker();
      for (std::size_t i = 0; i < clients.size(); ++i) merged.push_back(training.ranker_of(i));
    } else {
      auto const given = GivenModels(o_.models, features, o_.model_base).forests();
      merger.aggregate(given, global);
      for (auto const& client : clients) merged.push_back(merger.personalize(given, client));
    }
    run.add({.round = 1, .offline = offline(global), .clients = clients.size()});
    record_queries(run, global, fold.test);
    run.model(model_bytes(global));
    if (run.number() == 1 && !o_.exported.empty()) write_export(merged, features);

    std::optional<Forest> full;
    if (o_.models.empty() && !o_.no_full)
      full = mart_of(o_).train(threads_of(o_), fold.train, fold.vali, Streams{run.seed()});
    run.evaluate([&] {
      report(outcome, parts, merged, global, full, fold.test);
      return 0;
    });
    for (std::size_t i = 0; i < outcome.clients.size(); ++i) {
      auto const& client = outcome.clients[i];
      auto const name = [&](char const* what) { return fmt::format("client{}_{}", i + 1, what); };
      run.result(name("local_ndcg10"), client.local);
      run.result(name("other_ndcg10"), client.other);
      run.result(name("merged_ndcg10"), client.merged);
      if (client.weights.size() == 2) run.result(name("alpha"), client.weights[1]);
    }
    outcomes_.push_back(std::move(outcome));
  }

  /// Two clients by category, or one with all validation queries; and the parts of the test set.
  std::vector<MergingClient> clients_of(Run const& run, NamedFold const& fold, Outcome& outcome,
                                        std::vector<TestPart>& parts) const {
    outcome.json = fmt::format("\"fold\":{},\"seed\":{}", run.fold(), run.seed());
    if (!category_feature(o_)) {
      Dataset const& held_out = fold.vali.size() > 0 ? fold.vali : fold.train;
      outcome.text = fmt::format("fold {}: merged by {} queries\n\n", run.fold(), held_out.size());
      parts.push_back(all_queries("DS", fold.test));
      return {MergingClient{.queries = {}, .merge = QueryPool(held_out)}};
    }
    ByCategory how{.rule = o_.rule, .seed = run.seed(), .mixed = o_.mixed};
    if (o_.category) how.category = static_cast<float>(*o_.category);
    how.category = how.category ? how.category : how.most_frequent(fold.train, categories_.train);
    auto clients = how.split(fold.train, categories_.train, fold.vali, categories_.vali);
    auto const test = how.parts(fold.test, categories_.test, *how.category);
    parts = {{"DS1", test.own}, {"DS2", test.others}, all_queries("DS", fold.test)};

    Table sizes({"queries", "train", "vali", "test"});
    auto const add = [&](std::string name, std::size_t of_train, std::size_t of_vali, std::string of_test) {
      sizes.add({std::move(name), grouped(of_train), grouped(of_vali), std::move(of_test)});
    };
    add("DS", fold.train.size(), fold.vali.size(), grouped(fold.test.size()));
    for (std::size_t i = 0; i < 2; ++i)
      add(fmt::format("DS{}", i + 1), clients[i].queries.size(), clients[i].validation.size(),
          grouped(parts[i].queries.size()));
    for (std::size_t i = 0; i < 2; ++i)
      add(fmt::format("D_merge of client {}", i + 1), clients[i].merge.size(), clients[i].merge_validation.size(), "");
    outcome.text =
        fmt::format("fold {}, seed {}: category {}\n\n{}\n", run.fold(), run.seed(), *how.category, sizes.text(utf8_));
    outcome.json += fmt::format(",\"category\":{},\"queries\":[{},{}],\"merge_queries\":[{},{}]", *how.category,
                                clients[0].queries.size(), clients[1].queries.size(), clients[0].merge.size(),
                                clients[1].merge.size());
    return clients;
  }

  static std::span<Forest const> local_of(MergedForest const& merged) { return merged.local; }
  static std::span<Forest const> local_of(StackedForest const& merged) { return merged.local.forests(); }

  /// Tables 1 (with --mixed) and 3 to 5 of the paper.
  template <class Merged>
  void report(Outcome& outcome, std::vector<TestPart> const& parts, std::vector<Merged> const& merged,
              Forest const& global, std::optional<Forest> const& full, Dataset const& test) const {
    auto const local = local_of(merged.front());
    std::vector<MeasuredModel> models;
    for (std::size_t i = 0; i < local.size(); ++i)
      models.push_back(measure_model(fmt::format("M{}", i + 1), local[i], test));
    if (full) models.push_back(measure_model("M_full", *full, test));
    models.push_back(measure_model("equal weights", global, test));
    std::size_t const first = models.size();
    for (std::size_t i = 0; i < merged.size(); ++i)
      models.push_back(measure_model(fmt::format("merged, client {}", i + 1), merged[i], test));

    auto const& everything = parts.back();
    std::vector<std::pair<MeasuredModel const*, MeasuredModel const*>> pairs;
    for (std::size_t i = 0; i < merged.size(); ++i) {
      Outcome::Client client{.merged = models[first + i].mean(0, everything.queries)};
      for (std::size_t m = 0; m < local.size(); ++m) {
        double const value = models[m].mean(0, everything.queries);
        (m == i ? client.local : client.other) = m == i ? value : std::max(client.other, value);
        pairs.emplace_back(&models[first + i], &models[m]);
      }
      if constexpr (requires { merged[i].weights; }) client.weights = merged[i].weights;
      outcome.clients.push_back(std::move(client));
    }
    outcome.text += table_by_part(models, parts, 0, utf8_) + '\n';
    outcome.text += table_by_metric(models, everything, utf8_) + '\n';
    outcome.text += table_of_tests(pairs, utf8_) + '\n';
    outcome.json += ",\"models\":" + means_json(models, parts) + ",\"tests\":" + tests_json(pairs);
    for (std::size_t i = 0; i < merged.size(); ++i) describe(outcome, i, merged[i]);
    outcome.json = '{' + outcome.json + '}';
  }

  void describe(Outcome& outcome, std::size_t client, MergedForest const& merged) const {
    std::vector<std::string> weights;
    for (double const weight : merged.weights) weights.push_back(fmt::format("{:.2f}", weight));
    outcome.text +=
        fmt::format("client {}: weights {}, {} trees\n", client + 1, join(weights, ", "), merged.forest.trees().size());
  }

  void describe(Outcome& outcome, std::size_t client, StackedForest const& merged) const {
    auto const gains = merged.gain_importance();
    auto const splits = merged.split_importance();
    double const total = std::max(std::accumulate(gains.begin(), gains.end(), 0.0), 1e-300);
    std::vector<std::size_t> order(gains.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
    auto const name = [&](std::size_t feature) {
      for (std::size_t m = 0; m < merged.local.forests().size(); ++m)
        if (merged.local.feature_of(m) == feature) return fmt::format("{} (score of M{})", feature + 1, m + 1);
      return std::to_string(feature + 1);
    };
    Table table({"feature", "gain", "splits"});
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
      table.add({name(order[i]), fmt::format("{:.1f} %", 100 * gains[order[i]] / total),
                 fmt::format("{:.0f}", splits[order[i]])});
    outcome.text += fmt::format("client {}, {} trees: importance\n\n{}\n", client + 1, merged.stacked.trees().size(),
                                table.text(utf8_));
    std::vector<std::string> scores;
    for (std::size_t m = 0; m < merged.local.forests().size(); ++m) {
      std::size_t const feature = merged.local.feature_of(m);
      auto const rank = std::ranges::find(order, feature) - order.begin() + 1;
      scores.push_back(fmt::format("{{\"feature\":{},\"gain_share\":{},\"splits\":{},\"rank_by_gain\":{}}}",
                                   feature + 1, shortest(gains[feature] / total), shortest(splits[feature]), rank));
    }
    outcome.json += fmt::format(",\"importance_of_scores_client{}\":[{}]", client + 1, join(scores, ","));
  }

  void write_export(std::vector<MergedForest> const& merged, std::size_t features) const {
    auto const& chosen = merged[std::min<std::size_t>(o_.export_client, merged.size()) - 1];
    if (o_.models.empty())
      write_lightgbm_model(o_.exported, LightGbmModel(with_base(chosen.forest, o_.model_base.value_or(1))));
    else
      GivenModels(o_.models, features, o_.model_base).write_merged(o_.exported, chosen.weights);
  }
  void write_export(std::vector<StackedForest> const&, std::size_t) const {}  // refused by `check`

  Options const& o_;
  bool utf8_;
  FoldCategories categories_;
  std::vector<Outcome> outcomes_;
};

/// result.clients: means over the runs.
std::string clients_json(std::span<Outcome const> outcomes) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < outcomes.front().clients.size(); ++i) {
    auto const mean_of = [&](auto const& get) {
      double sum = 0;
      for (Outcome const& outcome : outcomes) sum += get(outcome.clients[i]);
      return shortest(sum / static_cast<double>(outcomes.size()));
    };
    auto const weight = [&](std::size_t m) {
      return mean_of([m](Outcome::Client const& client) { return client.weights[m]; });
    };
    std::size_t const count = outcomes.front().clients[i].weights.size();
    std::vector<std::string> weights;
    for (std::size_t m = 0; m < count; ++m) weights.push_back(weight(m));
    items.push_back(
        fmt::format("{{\"local_ndcg10\":{},\"other_ndcg10\":{},\"merged_ndcg10\":{},\"alpha\":{},\"weights\":{}}}",
                    mean_of([](auto const& client) { return client.local; }),
                    mean_of([](auto const& client) { return client.other; }),
                    mean_of([](auto const& client) { return client.merged; }), count == 2 ? weight(1) : "null",
                    count > 0 ? '[' + join(weights, ",") + ']' : "null"));
  }
  return '[' + join(items, ",") + ']';
}

void check(Program const& program, Options& o) {
  if (!o.parts.empty()) {
    double const sum = std::accumulate(o.parts.begin(), o.parts.end(), 0.0);
    if (o.parts.size() != 3 || !(sum > 1 - 1e-6 && sum < 1 + 1e-6) || !(o.parts[0] > 0 && o.parts[2] > 0))
      throw UsageError("--parts needs three parts that add up to 1, such as .6,.2,.2");
    o.split = {o.parts[0], o.parts[1], o.parts[2]};
  } else if (std::filesystem::is_regular_file(o.data)) {
    throw UsageError(o.data + " is a single file; say how to divide it, such as --parts .6,.2,.2");
  }
  if (o.models.size() == 1) throw UsageError("--models needs at least two models to merge");
  if (o.models.size() > 2 && (program.given("--category-feature") || program.given("--category")))
    throw UsageError("categories are for two models: leave --category-feature out, and all are merged by vali");
  for (char const* option :
       {"--trees", "--leaves", "--learning-rate", "--no-full", "--min-data", "--min-hessian", "--patience"})
    if (!o.models.empty() && program.given(option))
      throw UsageError(fmt::format("{} is for training, and --models are trained", option));
  if (o.models.empty() && !category_feature(o))
    throw UsageError("--category-feature has to say which feature holds the category of a document");
  if (!category_feature(o) && (program.given("--category") || program.given("--split") || o.mixed))
    throw UsageError("--category, --split and --mixed need --category-feature");
  if (o.mixed && o.merge == Merge::stacking) throw UsageError("--mixed leaves no queries over for --merge stacking");
  if (o.model_base && o.models.empty() && o.exported.empty())
    throw UsageError("--model-base is for models of LightGBM, and there is none");
  for (char const* option : {"--stack-trees", "--stack-leaves", "--stack-learning-rate"})
    if (o.merge == Merge::linear && program.given(option))
      throw UsageError(fmt::format("{} belongs to --merge stacking", option));
  if (o.merge == Merge::stacking && !o.exported.empty())
    throw UsageError("--export writes a linear combination: a stacked forest is no plain model of LightGBM");
  if (o.exported.empty() && program.given("--export-client"))
    throw UsageError("--export-client belongs to --export, which is not given");
  if (o.export_client == 2 && !category_feature(o))
    throw UsageError("--export-client 2: without categories there is only one client");
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("forest_merge",
                  "Forests trained apart on categories of queries and merged at each client, or models of LightGBM "
                  "merged by validation queries.");
  declare(program, o);
  return program.run(argc, argv, [&] {
    check(program, o);
    Recorder recorder(program, o);
    Experiment experiment(o);
    CommonOptions unscaled = o;  // categories are read first
    unscaled.normalize = Scaling::none;
    for_each_run(
        unscaled, recorder, [&](NamedFold const& fold, Run& run) { experiment.run(run, fold); },
        [&](NamedFold& fold) { experiment.prepare(fold); });
    recorder.result_json("clients", clients_json(experiment.outcomes()));
    std::vector<std::string> runs;
    for (Outcome const& outcome : experiment.outcomes()) runs.push_back(outcome.json);
    recorder.result_json("runs", '[' + join(runs, ",") + ']');
    recorder.finish();
    for (Outcome const& outcome : experiment.outcomes()) fmt::print("\n{}", outcome.text);
  });
}
