// Clients that differ (Wang 2024, chapter 4): trains on non-IID clients and on their IID twins, and tests the gap.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/federation/fine_tune.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/train_alone.hpp>
#include <fltr/federation/warm_start.hpp>
#include <fltr/learners/clustered.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/learners/proximal.hpp>
#include <fltr/metrics/max_rr.hpp>
#include <fltr/metrics/summary_statistics.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/skew_svg.hpp>
#include <fltr/partition/skew_table.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/experiment.hpp"
#include "support/non_iid_setting.hpp"
#include "support/paired_means.hpp"
#include "support/poisoning_setting.hpp"
#include "support/program.hpp"
#include "support/test_line.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

struct Options : NonIidOptions {
  std::optional<double> rate;  ///< --learning-rate; sets `learning_rate`
  double mu = 0.1;
  std::uint32_t warm_up_rounds = 100;
  std::optional<std::uint32_t> clusters;  ///< --clusters; set when the number of clients is known
  std::uint32_t fine_tuning_steps = 5;
  bool baselines = false;
  AggregatorKind aggregator = AggregatorKind::fedavg;
  std::uint32_t assumed_malicious = 1;
};

void declare(Program& program, Options& o) {
  o.clients = 0;
  o.interactions = 5;
  o.rounds = 10'000;
  program.common(o, {Common::clients, Common::learning_rate});
  program.whole("--clients", o.clients,
                "number of clients; 0: the number of the thesis (one for each intent, combination of grades, click "
                "behaviour or number of queries; 10 for dirichlet; all users)");
  program.number("--learning-rate", o.rate, "step size; without this option, 0.1 for pdgd and 0.001 for es",
                 positive_float());
  program.choice("--type", o.type,
                 {{"1", NonIidType::preference},
                  {"2", NonIidType::label},
                  {"3", NonIidType::clicks},
                  {"4", NonIidType::quantity},
                  {"1+4", NonIidType::preference_and_quantity},
                  {"2+4", NonIidType::label_and_quantity},
                  {"3+4", NonIidType::clicks_and_quantity},
                  {"dirichlet", NonIidType::dirichlet},
                  {"user", NonIidType::user}},
                 "how clients differ: 1 by preferred documents, 2 by grades, 3 by click behaviour, 4 by number of "
                 "queries; dirichlet: by random shares of grades or queries; user: the users of --metadata");
  program.whole("--labels-per-client", o.labels_per_client, "type 2: grades of a client", 1, 31);
  program.whole("--intents", o.intents, "type 1: number of intents", 1, 1000);
  program.choice("--intent-shuffle", o.intent_shuffle,
                 {{"per-query", IntentShuffle::per_query}, {"none", IntentShuffle::none}},
                 "type 1: whether each query numbers its intents in a random order, as in the thesis");
  program.input("--intent-grades", o.intent_grades,
                "type 1: CSV file with the grades of each intent for the training documents; without it, intents are "
                "clusters of relevant documents");
  program.input("--intent-grades-test", o.intent_grades_test,
                "type 1: CSV file with the grades of each intent for the test documents");
  program.number("--alpha", o.alpha, "dirichlet: concentration; small values make clients differ", above(0));
  program.choice("--over", o.over, {{"grades", DirichletOver::grades}, {"queries", DirichletOver::queries}},
                 "dirichlet: what is divided by random shares");
  program.whole("--minimum", o.minimum, "dirichlet: minimum number of documents (or queries) per client");
  program.input("--metadata", o.metadata, "user: CSV file with the columns qid, user_id and timestamp");
  program.choice("--click-model", o.click_model, {{"cascade", ClickKind::cascade}, {"position", ClickKind::position}},
                 "type 3: perfect, navigational and informational cascade users, or five position biases");
  program.choice("--learner", o.learner, {{"pdgd", LearnerKind::pdgd}, {"es", LearnerKind::es}},
                 "FPDGD or FOLtR-ES (without privacy)");
  program.choice("--remedy", o.remedy,
                 {{"none", Remedy::none},
                  {"fedprox", Remedy::fedprox},
                  {"fedper", Remedy::fedper},
                  {"data-sharing", Remedy::data_sharing},
                  {"clustered", Remedy::clustered},
                  {"fine-tuned", Remedy::fine_tuned}},
                 "method against the differences; the IID twin has none");
  program.number("--mu", o.mu, "fedprox: weight of the distance from the global ranker", at_least(0));
  program.number("--share", o.share, "data-sharing: share of the training queries that the server gets (G)",
                 between(0, 1));
  program.number("--share-fraction", o.share_fraction, "data-sharing: fraction of G that every client gets",
                 between(0, 1));
  program.whole("--warm-up-rounds", o.warm_up_rounds,
                "data-sharing: rounds in which the server trains the start model on G", 1);
  program.whole("--clusters", o.clusters,
                "clustered: number of global models; without this option 4, or one for each client if there are fewer",
                1, 10'000);
  program.whole("--fine-tuning-steps", o.fine_tuning_steps, "fine-tuned: local steps on the final global model", 1);
  program.choice("--aggregator", o.aggregator, aggregator_names(),
                 "the server's rule for the non-IID clients; the IID twin has fedavg");
  program.whole("--assumed-malicious", o.assumed_malicious,
                "the number of malicious clients that a robust --aggregator assumes");
  program.flag(
      "--baselines", o.baselines,
      "also measures for each client the global ranker of the same clients without a remedy, and a ranker that "
      "the client trains alone");
}

void require_clusters(Options const& o, std::size_t clients) {
  if (o.clusters && *o.clusters > clients)
    throw UsageError(
        fmt::format("--clusters: required at most {}, the number of clients, got {}", clients, *o.clusters));
}

void check(Program& program, Options& o) {
  if (!o.rate) o.rate = o.learner == LearnerKind::es ? 0.001 : 0.1;
  o.learning_rate = *o.rate;
  auto const only_for = [&](bool used, std::initializer_list<char const*> options, char const* reason) {
    if (!used)
      for (char const* option : options) program.ignore(option, reason);
  };
  only_for(o.by_preference(), {"--intents", "--intent-shuffle", "--intent-grades", "--intent-grades-test"},
           "belongs to --type 1 and 1+4");
  only_for(o.by_label(), {"--labels-per-client"}, "belongs to --type 2 and 2+4");
  only_for(o.by_clicks(), {"--click-model"}, "belongs to --type 3 and 3+4");
  only_for(!o.by_clicks(), {"--clicks"}, "cannot be used with --type 3 and 3+4: each client has its own behaviour");
  only_for(!o.by_quantity(), {"--interactions"},
           "cannot be used with type 4: clients ask 1, 3, 5, 7 and 9 queries (twice as many with --learner es)");
  only_for(o.type == NonIidType::dirichlet, {"--alpha", "--over", "--minimum"}, "belongs to --type dirichlet");
  only_for(o.type == NonIidType::user, {"--metadata"}, "belongs to --type user");
  only_for(o.type != NonIidType::user, {"--clients"}, "cannot be used with --type user: every user is a client");
  only_for(o.remedy == Remedy::fedprox, {"--mu"}, "belongs to --remedy fedprox");
  only_for(o.remedy == Remedy::data_sharing, {"--share", "--share-fraction", "--warm-up-rounds"},
           "belongs to --remedy data-sharing");
  only_for(o.remedy == Remedy::clustered, {"--clusters"}, "belongs to --remedy clustered");
  only_for(o.remedy == Remedy::fine_tuned, {"--fine-tuning-steps"}, "belongs to --remedy fine-tuned");
  only_for(o.learner == LearnerKind::pdgd && o.remedy == Remedy::none, {"--aggregator"},
           "belongs to --learner pdgd and --remedy none");
  only_for(o.aggregator != AggregatorKind::fedavg, {"--assumed-malicious"}, "belongs to a robust --aggregator");
  if (o.ranker == RankerKind::neural && o.learner == LearnerKind::pdgd)
    program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");

  if (o.type == NonIidType::user && o.metadata.empty())
    throw UsageError("--type user: required --metadata FILE with the columns qid, user_id and timestamp");
  if (o.type == NonIidType::user && o.remedy == Remedy::data_sharing)
    throw UsageError("--remedy data-sharing cannot be used with --type user: users ask their queries in order of time");
  if (o.intent_grades.empty() != o.intent_grades_test.empty())
    throw UsageError("--intent-grades and --intent-grades-test must be given together");
  if (!o.intent_grades.empty()) program.ignore("--intents", "is the number of columns of --intent-grades");
  if (o.learner == LearnerKind::es && o.remedy != Remedy::none && o.remedy != Remedy::data_sharing)
    throw UsageError("--learner es has no local steps: required --remedy none or data-sharing");
  if (o.remedy == Remedy::fedper && o.ranker != RankerKind::neural)
    throw UsageError("--remedy fedper: required --ranker neural, whose output layer stays at the client");
  if (o.learner == LearnerKind::es && !o.by_quantity() && o.interactions < 2)
    throw UsageError("--interactions: required at least 2 with --learner es, one for each of the two signs, got 1");
  double const pull = static_cast<double>(static_cast<float>(o.mu)) * static_cast<double>(static_cast<float>(*o.rate));
  if (o.remedy == Remedy::fedprox && pull >= 2)
    throw UsageError(
        fmt::format("--mu: required --mu times --learning-rate below 2 (at 2 or more the weights diverge), got {}",
                    shortest(pull)));
  if (o.remedy == Remedy::data_sharing && !(o.share > 0 && o.share < 1))
    throw UsageError("--share: required a number above 0 and below 1, got " + shortest(o.share));
  if (o.clients > 0 && o.remedy == Remedy::clustered) require_clusters(o, o.clients);
}

constexpr Ndcg measured{.cutoff = 10};

/// The metrics of each test query: with several sets of grades, the means over those for which the query has a relevant
/// document.
template <class R>
std::vector<QueryValues> query_values(R const& ranker, std::vector<QueryPool> const& pools) {
  std::vector<QueryValues> means(pools.front().size());
  std::vector<double> counts(means.size());
  for (QueryPool const& pool : pools) {
    auto const values = evaluate_queries(ranker, pool, measured, Ndcg{.cutoff = 5}, AveragePrecision{.cutoff = 0},
                                         ReciprocalRank{.cutoff = 10});
    for (std::size_t q = 0; q < values.size(); ++q) {
      if (!values[q].front()) continue;
      ++counts[q];
      for (std::size_t m = 0; m < values[q].size(); ++m)
        means[q][m] = means[q][m].value_or(0.0) + values[q][m].value_or(0.0);
    }
  }
  for (std::size_t q = 0; q < means.size(); ++q)
    for (auto& value : means[q])
      if (value) *value /= counts[q];
  return means;
}

/// nDCG@10 on each of the pools; NaN for a pool without relevant documents.
template <class R>
std::vector<double> pool_values(R const& ranker, std::vector<QueryPool> const& pools,
                                ProgramExecution const& execution) {
  std::vector<double> values;
  for (QueryPool const& pool : pools) values.push_back(mean_of(evaluate_on(execution, ranker, pool, measured)[0]));
  return values;
}

/// The mean of the numbers that are not NaN; NaN without such a number.
double mean_of_numbers(std::vector<double> values) {
  std::erase_if(values, [](double value) { return value != value; });
  return mean(values);
}

/// The offline measures: on the test part, or for type 1 the means over the intents that have a relevant document.
template <class R>
Offline offline_measures(R const& ranker, NonIidSetting const& setting, ProgramExecution const& execution) {
  std::vector<double> ndcg10;
  std::vector<double> ndcg5;
  std::vector<double> mrr10;
  for (QueryPool const& pool : setting.test) {
    auto const [ndcg, shorter, mrr] =
        evaluate_on(execution, ranker, pool, measured, Ndcg{.cutoff = 5}, ReciprocalRank{.cutoff = 10});
    ndcg10.push_back(mean_of(ndcg));
    ndcg5.push_back(mean_of(shorter));
    mrr10.push_back(mean_of(mrr));
  }
  // MaxRR depends on the users, who differ.
  return {.ndcg10 = mean_of_numbers(ndcg10), .mrr10 = mean_of_numbers(mrr10), .ndcg5 = mean_of_numbers(ndcg5)};
}

/// What the program finds out over all runs.
struct Findings {
  PairedMeans gap;                 ///< IID − non-IID, by run
  PairedMeans query_gap;           ///< the same by fold and test query
  PairedMeans personal_gap;        ///< IID − personal, by run
  PairedMeans over_global;         ///< personal − global without a remedy, by run and intent
  PairedMeans over_alone;          ///< personal − alone, by run and intent
  std::optional<SkewReport> skew;  ///< of the first run
};

/// One run: the IID twin, the clients with the remedy, and the baselines.
class Experiment {
 public:
  Experiment(Options& options, NamedFold const& fold, Run& run, Findings& findings)
      : o_(options), fold_(fold), run_(run), findings_(findings), setting_(make_setting(options, fold, run.seed())) {
    if (!findings_.skew) findings_.skew = setting_.skew;
    if (options.remedy != Remedy::clustered) return;
    if (!options.clusters)
      options.clusters = static_cast<std::uint32_t>(std::min<std::size_t>(4, setting_.clients.size()));
    require_clusters(options, setting_.clients.size());
  }

  template <class R>
  void pdgd(R const& ranker) {
    Pdgd const learner{.learning_rate = static_cast<float>(o_.learning_rate)};
    auto const plain = fpdgd(ranker, setting_.users, learner).with_execution(execution_of(o_));
    if (!twin(plain)) return;
    switch (o_.remedy) {
      case Remedy::none:
        if (o_.aggregator == AggregatorKind::fedavg) return clients(plain, plain);
        return clients(plain, plain.with_aggregator(robust()));
      case Remedy::fedprox:
        return clients(plain, plain.with_learner(Proximal<Pdgd>{learner, static_cast<float>(o_.mu)}));
      case Remedy::fedper:
        if constexpr (std::same_as<R, NeuralRanker>)
          clients(plain, make_federation(SplitNeuralRanker(ranker.feature_count()), setting_.users,
                                         Personal<Pdgd>{learner}, FedAvg{})
                             .with_execution(execution_of(o_)));
        return;
      case Remedy::data_sharing:
        return clients(plain, plain.with_ranker(warm(plain)));
      case Remedy::clustered:
        return clients(plain, make_federation(ClusteredRanker<R>(ranker, *o_.clusters), setting_.users,
                                              Clustered<Pdgd>{learner}, PerCluster<FedAvg>{})
                                  .with_execution(execution_of(o_)));
      case Remedy::fine_tuned:
        return clients(plain, plain);
    }
  }

  template <class R>
  void es(R const& ranker) {
    auto const plain =
        foltr_es(ranker, setting_.users, EvolutionStrategy<MaxRr>{}, Adam{.learning_rate = o_.learning_rate})
            .with_execution(execution_of(o_));
    if (!twin(plain)) return;
    clients(plain, o_.remedy == Remedy::data_sharing ? plain.with_ranker(warm(plain)) : plain);
  }

 private:
  using Values = std::vector<std::optional<double>>;

  [[nodiscard]] ProgramExecution execution() const { return execution_of(o_); }
  [[nodiscard]] RunOptions how() const { return run_options(o_, run_); }

  /// The rule of --aggregator, with the defaults of the program poisoning.
  [[nodiscard]] AnyAggregator robust() const {
    Defence const defence{.aggregator = o_.aggregator};
    std::uint64_t const fewest = minimum_clients(defence, o_.assumed_malicious);
    if (setting_.clients.size() < fewest)
      throw UsageError(fmt::format("--aggregator {} --assumed-malicious {}: required at least {} clients, got {}",
                                   name_of(defence), o_.assumed_malicious, fewest, setting_.clients.size()));
    return aggregator_of(PoisoningOptions{}, defence, o_.assumed_malicious, run_.seed());
  }

  template <class F>
  [[nodiscard]] auto warm(F const& federation) const {
    return warm_start(federation, setting_.shared,
                      {.rounds = o_.warm_up_rounds, .interactions = o_.interactions, .seed = run_.seed()});
  }

  /// Trains the IID twin. Its time counts as evaluation: the training time is that of the clients. Returns false if a
  /// signal came: the run then has no rounds of the clients.
  template <class F>
  bool twin(F const& federation) {
    require_reports(o_, setting_.clients.size());
    run_.stage(1, 2, "IID twin");
    keep_results();
    run_.evaluate([&] {
      train_twin(federation);
      return true;
    });
    run_.stage(2, 2, "non-IID clients", false);
    if (!run_.stops()) return true;
    run_.add({.offline = offline_measures(federation.policies().ranker, setting_, execution()), .extra = twin_cell(0)});
    return false;
  }

  template <class F>
  void train_twin(F const& federation) {
    auto training = federation.with_click_model(setting_.twin_users).start(Dropout{setting_.twin, o_.dropout}, how());
    Run::Points points;
    auto const measure = [&](std::uint64_t round) {
      points.emplace_back(round, offline_measures(training.ranker(), setting_, execution()).ndcg10);
    };
    ResumableTraining saved(run_, training);
    if (!saved.resume(points)) measure(0);
    saved.run(o_.rounds, points, [&](auto const& round) {
      if (run_.evaluates(round.number)) measure(round.number);
      return !stop_requested();
    });
    for (auto const& [round, ndcg10] : points) run_.add_reference(round, ndcg10);
    if (training.number() < o_.rounds) return;
    iid_ = run_.reference_points().back().second;
    run_.result("iid_offline_ndcg10", iid_);
    iid_values_ = query_values(training.ranker(), setting_.test);
    if (!setting_.train_by_intent.empty()) {
      published_ = mean_of(evaluate_on(execution(), training.ranker(), setting_.train_merged, measured)[0]);
      run_.result("iid_merged_train_ndcg10", published_);
      run_.result("iid_intent_train_ndcg10",
                  mean_of_numbers(pool_values(training.ranker(), setting_.train_by_intent, execution())));
    }
  }

  /// The column iid_offline_ndcg10 of rounds.csv.
  [[nodiscard]] std::vector<Cell> twin_cell(std::uint64_t round) const {
    auto const& points = run_.reference_points();
    auto const found = std::ranges::lower_bound(points, round, {}, [](auto const& point) { return point.first; });
    if (found == points.end() || found->first != round) return {Cell()};
    return {Cell(found->second)};
  }

  /// Trains the clients with the remedy (`federation`) and the baselines (`plain`).
  template <class Plain, class F>
  void clients(Plain const& plain, F const& federation) {
    auto training = federation.start(Dropout{setting_.clients, o_.dropout}, how());
    train_rounds(
        run_, training, o_, [&](auto const& ranker) { return offline_measures(ranker, setting_, execution()); },
        [&](std::uint64_t round) { return twin_cell(round); });
    auto const& ranker = training.ranker();
    auto const values = query_values(ranker, setting_.test);
    if (run_.records_queries()) run_.queries(fold_.test, values);
    record(ranker);
    Values const personal = personal_values(training);
    double const personal_mean = mean_value(personal);
    run_.result("personal_ndcg10", personal_mean);
    if (run_.cut_short()) return;  // the twin has more rounds: there is no gap

    double const offline = run_.offline_points().back().second;
    run_.result("gap", iid_ - offline);
    run_.result("personal_gap", iid_ - personal_mean);
    if (iid_ == iid_ && offline == offline) findings_.gap.add({run_.number(), 0}, iid_, offline);
    if (iid_ == iid_ && personal_mean == personal_mean)
      findings_.personal_gap.add({run_.number(), 0}, iid_, personal_mean);
    for (std::size_t q = 0; q < values.size(); ++q)
      if (values[q].front()) findings_.query_gap.add({fold_.number, q}, *iid_values_[q].front(), *values[q].front());
    if (!setting_.train_by_intent.empty()) {
      double const own = mean_of_numbers(pool_values(ranker, setting_.train_by_intent, execution()));
      run_.result("intent_train_ndcg10", own);
      run_.result("gap_as_published", published_ - own);
    }
    if constexpr (requires { ranker.model(0); }) {
      std::vector<std::uint32_t> clusters;
      for (std::size_t i = 0; i < setting_.clients.size(); ++i)
        clusters.push_back(training.client_state(i).learner.cluster);
      if (o_.by_preference()) run_.result("cluster_purity", cluster_purity(clusters, setting_.test.size()));
    }
    if (o_.remedy == Remedy::data_sharing)
      run_.result("warm_up_interactions", static_cast<double>(std::uint64_t{o_.warm_up_rounds} * o_.interactions));
    if (o_.baselines)
      run_.evaluate([&] {
        baselines(plain, personal);
        return true;
      });
  }

  /// Saves the model; one for each cluster, in folders cluster1, cluster2, …
  template <class R>
  void record(R const& ranker) {
    if constexpr (requires { ranker.model(0); }) {
      Sha256 hash;
      for (std::size_t c = 0; c < ranker.size(); ++c) {
        std::string const folder = "cluster" + std::to_string(c + 1);
        record_model(run_, ranker.model(c), fold_.input, folder);
        if (run_.records_queries()) run_.queries(fold_.test, query_values(ranker.model(c), setting_.test), folder);
        hash.update(model_sha256(ranker.model(c)));
      }
      run_.model_hash(hash.hex());
    } else if constexpr (std::same_as<R, SplitNeuralRanker>) {
      record_model(run_, static_cast<NeuralRanker const&>(ranker), fold_.input);
    } else {
      record_model(run_, ranker, fold_.input);
    }
  }

  /// nDCG@10 of the ranker that each client uses, on the test queries with the client's grades.
  template <class T>
  [[nodiscard]] Values personal_values(T const& training) {
    auto const queries_of = [this](auto const& client) { return setting_.test[setting_.test_of(client.id)]; };
    if (o_.remedy == Remedy::fine_tuned) {
      if constexpr (InPlaceLearner<typename T::Learner>)
        return fine_tune(training, {.steps = o_.fine_tuning_steps}).evaluate_personal(measured, queries_of);
    }
    if constexpr (requires(typename T::Learner learner) { typename T::Learner::State; })
      return training.evaluate_personal(measured, queries_of);
    else
      return global_values(training.ranker());
  }

  /// The same for a ranker that all clients use.
  template <class R>
  [[nodiscard]] Values global_values(R const& ranker) const {
    auto const of_pool = pool_values(ranker, setting_.test, execution());
    Values values;
    for (std::size_t i = 0; i < setting_.clients.size(); ++i) {
      double const value = of_pool[setting_.test_of(i)];
      values.push_back(value == value ? std::optional(value) : std::nullopt);
    }
    return values;
  }

  /// The rankers that clients would use without the remedy. A signal ends the work; then there are no such results.
  template <class Plain>
  void baselines(Plain const& plain, Values const& personal) {
    auto const queries_of = [this](auto const& client) { return setting_.test[setting_.test_of(client.id)]; };
    auto global = plain.start(Dropout{setting_.plain_clients, o_.dropout}, how());
    bool nothing = false;  // no round collects anything
    ResumableTraining saved(run_, global);
    static_cast<void>(saved.resume(nothing));
    saved.run(o_.rounds, nothing, [](auto const&) { return !stop_requested(); });
    if (run_.stops()) return;
    try {
      auto const alone = train_alone(plain.with_execution(Stoppable(execution())), setting_.plain_clients,
                                     {.rounds = o_.rounds, .seed = run_.seed()});
      compare(personal, global_values(global.ranker()), "global_personal_ndcg10", findings_.over_global);
      compare(personal, alone.evaluate_personal(measured, queries_of), "alone_personal_ndcg10", findings_.over_alone);
    } catch (Interrupted const&) {
      (void)run_.stops();
    }
  }

  /// Clients of one intent have the same test queries, so they are averaged: a pair is an intent of a run.
  void compare(Values const& personal, Values const& other, std::string const& name, PairedMeans& pairs) {
    for (std::size_t i = 0; i < personal.size(); ++i)
      if (personal[i] && other[i]) pairs.add({run_.number(), setting_.test_of(i)}, *personal[i], *other[i]);
    run_.result(name, mean_value(other));
  }

  [[nodiscard]] static double mean_value(Values const& values) {
    std::vector<double> given;
    for (auto const& value : values)
      if (value) given.push_back(*value);
    return mean(given);
  }

  Options const& o_;
  NamedFold const& fold_;
  Run& run_;
  Findings& findings_;
  NonIidSetting setting_;
  std::vector<QueryValues> iid_values_;
  double iid_ = std::numeric_limits<double>::quiet_NaN();
  double published_ = 0;
};

Json skew_json(SkewReport const& skew) {
  return {{"clients", skew.clients.size()},
          {"queries", skew.queries},
          {"documents", skew.documents},
          {"interactions", skew.interactions},
          {"clients_without_documents", skew.without_documents},
          {"mean_divergence", skew.mean_divergence},
          {"weighted_divergence", skew.weighted_divergence}};
}

/// The tests. The gap is tested over runs; with a single run, over the test queries.
std::string tests(Recorder& recorder, Options const& o, Findings const& findings) {
  auto const by_run = findings.gap.test();
  auto const by_query = findings.query_gap.test();
  std::string text =
      "\n" + test_line(recorder, "gap", by_run ? "IID - non-IID, over runs" : "IID - non-IID, over queries",
                       by_run ? by_run : by_query);
  std::string const queries = test_line(recorder, "gap_query", "IID - non-IID, over queries", by_query);
  if (by_run) text += queries;
  text += test_line(recorder, "personal_gap", "IID - personal, over runs", findings.personal_gap.test());
  if (o.baselines) {
    text += test_line(recorder, "personal_over_global", "personal - global, over runs and intents",
                      findings.over_global.test());
    text += test_line(recorder, "personal_over_alone", "personal - alone, over runs and intents",
                      findings.over_alone.test());
  }
  if (by_query) text += "Tests over queries are conditional on these trainings: another seed may give another gap.\n";
  if (o.remedy == Remedy::clustered)
    text += "Each message names the client's cluster, which depends on the client's clicks.\n";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("non_iid",
                  "Clients that differ: trains on non-IID clients and on their IID twins, and tests the gap.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    Recorder recorder(program, o, {"iid_offline_ndcg10"});
    recorder.reference("non-IID", {"IID twin"});
    Findings findings;
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      Experiment experiment(o, fold, run, findings);
      if (o.remedy == Remedy::clustered && run.number() == 1)
        for (std::uint32_t c = 1; c <= *o.clusters; ++c) recorder.add_folder("cluster" + std::to_string(c));
      std::size_t const clients = findings.skew->clients.size();
      recorder.instead_of_clients(grouped(clients) + (clients == 1 ? " client" : " clients"));
      std::size_t const features = fold.train.feature_count();
      Initialization const start = o.start == StartKind::random ? Initialization::random : Initialization::zero;
      if (o.learner == LearnerKind::es && o.ranker == RankerKind::neural)
        experiment.es(NeuralRanker(features, {.hidden = 10, .activation = Activation::relu, .start = start}));
      else if (o.learner == LearnerKind::es)
        experiment.es(LinearRanker(features, start));
      else if (o.ranker == RankerKind::neural)
        experiment.pdgd(NeuralRanker(features));
      else
        experiment.pdgd(LinearRanker(features, start));
    });
    if (!findings.skew) return recorder.finish();
    std::string more = tests(recorder, o, findings);
    recorder.result("skew", skew_json(*findings.skew));
    recorder.files().write("skew.svg", svg(*findings.skew));
    more += "\nclients of the first run\n" + table(*findings.skew);
    recorder.finish(more);
  });
}
