// Clients that differ (Wang 2024, chapter 4): trains on non-IID clients and on their IID twins, and tests the gap.
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/federation/fine_tune.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/train_alone.hpp>
#include <fltr/federation/warm_start.hpp>
#include <fltr/learners/clustered.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/learners/proximal.hpp>
#include <fltr/metrics/max_rr.hpp>
#include <fltr/metrics/significance.hpp>
#include <fltr/metrics/summary_statistics.hpp>
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
#include "support/program.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class LearnerKind { pdgd, es };

struct Options : NonIidOptions {
  LearnerKind learner = LearnerKind::pdgd;
  double mu = 0.1;
  std::uint32_t warm_up_rounds = 100;
  std::uint32_t clusters = 4;
  std::uint32_t fine_tuning_steps = 5;
  bool baselines = false;
};

void declare(Program& program, Options& o) {
  o.clients = 0;
  o.interactions = 5;
  o.rounds = 10'000;
  o.eval_every = 100;
  program.common(o, {Common::clients});
  program.whole("--clients", o.clients,
                "number of clients; 0: the number of the thesis (one for each intent, combination of grades, click "
                "behaviour or number of queries; 10 for dirichlet; all users)");
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
  program.whole("--intents", o.intents, "type 1: number of intents", 2, 1000);
  program.choice("--intent-shuffle", o.intent_shuffle,
                 {{"per-query", IntentShuffle::per_query}, {"none", IntentShuffle::none}},
                 "type 1: whether each query numbers its intents in a random order, as in the thesis");
  program.input("--intent-grades", o.intent_grades,
                "type 1: CSV file with the grades of each intent for the training documents; without it, intents are "
                "clusters of relevant documents");
  program.input("--intent-grades-test", o.intent_grades_test, "the same for the test documents");
  program.number("--alpha", o.alpha, "dirichlet: concentration; small values make clients differ", above(0));
  program.choice("--over", o.over, {{"grades", DirichletOver::grades}, {"queries", DirichletOver::queries}},
                 "dirichlet: what is divided by random shares");
  program.whole("--minimum", o.minimum, "dirichlet: documents (or queries) that every client has at least");
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
                 "what is done about the differences; the IID twin has no remedy");
  program.number("--mu", o.mu, "fedprox: weight of the distance from the global ranker", at_least(0));
  program.number("--share", o.share, "data-sharing: share of the queries that the server has", between(0, 1));
  program.number("--share-fraction", o.share_fraction, "data-sharing: fraction of these that every client gets",
                 between(0, 1));
  program.whole("--warm-up-rounds", o.warm_up_rounds,
                "data-sharing: rounds in which the server trains the start model on its queries", 1);
  program.whole("--clusters", o.clusters, "clustered: number of global models", 1, 10'000);
  program.whole("--fine-tuning-steps", o.fine_tuning_steps, "fine-tuned: local steps on the final global model", 1);
  program.flag(
      "--baselines", o.baselines,
      "also measures for each client the global ranker of the same clients without a remedy, and a ranker that "
      "the client trains alone; tests over clients");
}

void check(Program& program, Options const& o) {
  auto const only_for = [&](bool used, std::initializer_list<char const*> options, char const* reason) {
    if (!used)
      for (char const* option : options) program.ignore(option, reason);
  };
  only_for(o.by_preference(), {"--intents", "--intent-shuffle", "--intent-grades", "--intent-grades-test"},
           "belongs to --type 1 and 1+4");
  only_for(o.by_label(), {"--labels-per-client"}, "belongs to --type 2 and 2+4");
  only_for(o.by_clicks(), {"--click-model"}, "belongs to --type 3 and 3+4");
  only_for(!o.by_clicks(), {"--clicks"}, "cannot be used with --type 3 and 3+4: each client has its own behaviour");
  only_for(!o.by_quantity(), {"--interactions"}, "cannot be used with type 4: clients ask 1, 3, 5, 7 and 9 queries");
  only_for(o.type == NonIidType::dirichlet, {"--alpha", "--over", "--minimum"}, "belongs to --type dirichlet");
  only_for(o.type == NonIidType::user, {"--metadata"}, "belongs to --type user");
  only_for(o.type != NonIidType::user, {"--clients"}, "cannot be used with --type user: every user is a client");
  only_for(o.remedy == Remedy::fedprox, {"--mu"}, "belongs to --remedy fedprox");
  only_for(o.remedy == Remedy::data_sharing, {"--share", "--share-fraction", "--warm-up-rounds"},
           "belongs to --remedy data-sharing");
  only_for(o.remedy == Remedy::clustered, {"--clusters"}, "belongs to --remedy clustered");
  only_for(o.remedy == Remedy::fine_tuned, {"--fine-tuning-steps"}, "belongs to --remedy fine-tuned");
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
  if (o.remedy == Remedy::fedprox && o.mu * o.learning_rate >= 2)
    throw UsageError(
        fmt::format("--mu: required --mu times --learning-rate below 2, from which on the weights "
                    "diverge, got {}",
                    shortest(o.mu * o.learning_rate)));
  if (o.remedy == Remedy::data_sharing && !(o.share > 0 && o.share < 1))
    throw UsageError("--share: required a number above 0 and below 1, got " + shortest(o.share));
  if (o.clients > 0 && o.remedy == Remedy::clustered && o.clusters > o.clients)
    throw UsageError(
        fmt::format("--clusters: required at most {}, the number of clients, got {}", o.clients, o.clusters));
}

constexpr Ndcg measured{.cutoff = 10};

/// nDCG@10 of each test query: with several sets of grades, the mean over those for which the query has a relevant
/// document; none without such a document.
template <class R>
std::vector<std::optional<double>> query_values(R const& ranker, std::vector<QueryPool> const& pools) {
  std::vector<std::optional<double>> mean_values(pools.front().size());
  std::vector<double> counts(mean_values.size());
  for (QueryPool const& pool : pools) {
    auto const values = evaluate_queries(ranker, pool, measured);
    for (std::size_t q = 0; q < values.size(); ++q)
      if (values[q]) {
        mean_values[q] = mean_values[q].value_or(0.0) + *values[q];
        ++counts[q];
      }
  }
  for (std::size_t q = 0; q < mean_values.size(); ++q)
    if (mean_values[q]) *mean_values[q] /= counts[q];
  return mean_values;
}

/// nDCG@10 on each of the pools; NaN for a pool without relevant documents.
template <class R>
std::vector<double> pool_values(R const& ranker, std::vector<QueryPool> const& pools, Threads const& threads) {
  std::vector<double> values;
  for (QueryPool const& pool : pools) values.push_back(mean_of(evaluate_on(threads, ranker, pool, measured)[0]));
  return values;
}

/// The offline measures: on the test part, or for type 1 the means over the intents.
template <class R>
Offline offline_measures(R const& ranker, NonIidSetting const& setting, Threads const& threads) {
  Offline sum{0, 0, 0, 0};
  for (QueryPool const& pool : setting.test) {
    auto const [ndcg, ndcg5, mrr] =
        evaluate_on(threads, ranker, pool, measured, Ndcg{.cutoff = 5}, ReciprocalRank{.cutoff = 10});
    double const n = static_cast<double>(setting.test.size());
    sum.ndcg10 += mean_of(ndcg) / n;
    sum.ndcg5 += mean_of(ndcg5) / n;
    sum.mrr10 += mean_of(mrr) / n;
  }
  sum.maxrr = std::numeric_limits<double>::quiet_NaN();  // users differ
  return sum;
}

/// Sums of paired values over the runs, by any key.
class Pairs {
 public:
  void add(std::pair<std::size_t, std::size_t> key, double a, double b) {
    auto& [sum_a, sum_b, count] = sums_[key];
    sum_a += a;
    sum_b += b;
    ++count;
  }
  /// The test of a − b; none for fewer than two pairs.
  [[nodiscard]] std::optional<PairedTest> test() const {
    if (sums_.size() < 2) return std::nullopt;
    std::vector<double> a;
    std::vector<double> b;
    for (auto const& [key, sum] : sums_) {
      a.push_back(sum.a / sum.count);
      b.push_back(sum.b / sum.count);
    }
    return paired_t_test(a, b);
  }

 private:
  struct Sum {
    double a = 0;
    double b = 0;
    double count = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Sum> sums_;
};

/// What the program finds out over all runs.
struct Findings {
  Pairs gap;                       ///< IID − non-IID, by fold and test query
  Pairs over_global;               ///< personal − global without a remedy, by run and client
  Pairs over_alone;                ///< personal − alone, by run and client
  std::optional<SkewReport> skew;  ///< of the first run
};

/// The share of clients whose cluster is that of their intent, under the best assignment of clusters to intents.
double cluster_accuracy(std::vector<std::uint32_t> const& cluster_of, std::size_t intents, std::size_t clusters) {
  std::vector<std::vector<double>> counts(intents, std::vector<double>(clusters));
  for (std::size_t i = 0; i < cluster_of.size(); ++i) ++counts[i % intents][cluster_of[i]];
  double best = 0;
  if (std::max(intents, clusters) <= 8) {
    std::vector<std::size_t> order(std::max(intents, clusters));
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      double sum = 0;
      for (std::size_t i = 0; i < intents; ++i) sum += order[i] < clusters ? counts[i][order[i]] : 0.0;
      best = std::max(best, sum);
    } while (std::ranges::next_permutation(order).found);
  } else {  // each intent takes its most frequent cluster
    for (auto const& row : counts) best += *std::ranges::max_element(row);
  }
  return best / static_cast<double>(cluster_of.size());
}

/// One run: the IID twin, the clients with the remedy, and the baselines.
class Experiment {
 public:
  Experiment(Options const& options, NamedFold const& fold, Run& run, Findings& findings)
      : o_(options), fold_(fold), run_(run), findings_(findings), setting_(make_setting(options, fold, run.seed())) {
    if (!findings_.skew) findings_.skew = setting_.skew;
    if (o_.remedy == Remedy::clustered && o_.clusters > setting_.clients.size())
      throw UsageError(fmt::format("--clusters: required at most {}, the number of clients, got {}",
                                   setting_.clients.size(), o_.clusters));
  }

  template <class R>
  void pdgd(R const& ranker) {
    Pdgd const learner{.learning_rate = static_cast<float>(o_.learning_rate)};
    auto const plain = fpdgd(ranker, setting_.users, learner).with_execution(threads_of(o_));
    twin(plain);
    switch (o_.remedy) {
      case Remedy::none:
        return clients(plain, plain);
      case Remedy::fedprox:
        return clients(plain, plain.with_learner(Proximal<Pdgd>{learner, static_cast<float>(o_.mu)}));
      case Remedy::fedper:
        if constexpr (std::same_as<R, NeuralRanker>)
          clients(plain, make_federation(SplitNeuralRanker(ranker.feature_count()), setting_.users,
                                         Personal<Pdgd>{learner}, FedAvg{})
                             .with_execution(threads_of(o_)));
        return;
      case Remedy::data_sharing:
        return clients(plain, plain.with_ranker(warm(plain)));
      case Remedy::clustered:
        return clients(plain, make_federation(ClusteredRanker<R>(ranker, o_.clusters), setting_.users,
                                              Clustered<Pdgd>{learner}, PerCluster<FedAvg>{})
                                  .with_execution(threads_of(o_)));
      case Remedy::fine_tuned:
        return clients(plain, plain);
    }
  }

  template <class R>
  void es(R const& ranker) {
    auto const plain =
        foltr_es(ranker, setting_.users, EvolutionStrategy<MaxRr>{}, Adam{.learning_rate = o_.learning_rate})
            .with_execution(threads_of(o_));
    twin(plain);
    clients(plain, o_.remedy == Remedy::data_sharing ? plain.with_ranker(warm(plain)) : plain);
  }

 private:
  using Values = std::vector<std::optional<double>>;

  [[nodiscard]] Threads threads() const { return threads_of(o_); }
  [[nodiscard]] RunOptions how() const { return {.seed = run_.seed()}; }

  template <class F>
  [[nodiscard]] auto warm(F const& federation) const {
    return warm_start(federation, setting_.shared,
                      {.rounds = o_.warm_up_rounds, .interactions = o_.interactions, .seed = run_.seed()});
  }

  /// Trains the IID twin. Its time counts as evaluation: the training time is that of the clients.
  template <class F>
  void twin(F const& federation) {
    run_.stage(1, 2, "IID twin");
    run_.evaluate([&] {
      train_twin(federation);
      return true;
    });
    run_.stage(2, 2, "non-IID clients", false);
  }

  template <class F>
  void train_twin(F const& federation) {
    auto training = federation.with_click_model(setting_.twin_users).start(setting_.twin, how());
    auto const measure = [&](std::uint64_t round) {
      run_.add_reference(round, offline_measures(training.ranker(), setting_, threads()).ndcg10);
    };
    measure(0);
    training.run(o_.rounds, [&](auto const& round) {
      if (run_.evaluates(round.number)) measure(round.number);
      return !stop_requested();
    });
    run_.result("iid_offline_ndcg10", run_.reference_points().back().second);
    iid_values_ = query_values(training.ranker(), setting_.test);
    if (!setting_.train_by_intent.empty()) {
      published_ = mean_of(evaluate_on(threads(), training.ranker(), setting_.train_merged, measured)[0]);
      run_.result("iid_merged_train_ndcg10", published_);
      run_.result("iid_intent_train_ndcg10", mean(pool_values(training.ranker(), setting_.train_by_intent, threads())));
    }
  }

  /// Trains the clients with the remedy (`federation`) and the baselines (`plain`).
  template <class Plain, class F>
  void clients(Plain const& plain, F const& federation) {
    auto training = federation.start(setting_.clients, how());
    train_rounds(run_, training, o_, [&](auto const& ranker) { return offline_measures(ranker, setting_, threads()); });
    auto const& ranker = training.ranker();
    auto const values = query_values(ranker, setting_.test);
    double const offline = run_.offline_points().back().second;
    for (std::size_t q = 0; q < values.size(); ++q)
      if (values[q] && iid_values_[q]) findings_.gap.add({fold_.number, q}, *iid_values_[q], *values[q]);
    run_.result("gap", run_.reference_points().back().second - offline);
    if (!setting_.train_by_intent.empty()) {
      double const own = mean(pool_values(ranker, setting_.train_by_intent, threads()));
      run_.result("intent_train_ndcg10", own);
      run_.result("gap_as_published", published_ - own);
    }
    record_queries(run_, ranker, fold_.test);
    record(ranker);

    Values const personal = personal_values(training);
    double const personal_mean = mean_value(personal);
    run_.result("personal_ndcg10", personal_mean);
    if constexpr (requires { ranker.model(0); }) {
      std::vector<std::uint32_t> clusters;
      for (std::size_t i = 0; i < setting_.clients.size(); ++i)
        clusters.push_back(training.client_state(i).learner.cluster);
      if (o_.by_preference())
        run_.result("cluster_accuracy", cluster_accuracy(clusters, setting_.test.size(), o_.clusters));
    }
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
      for (std::size_t c = 0; c < ranker.size(); ++c)
        record_model(run_, ranker.model(c), fold_.input, "cluster" + std::to_string(c + 1));
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
    auto const of_pool = pool_values(ranker, setting_.test, threads());
    Values values;
    for (std::size_t i = 0; i < setting_.clients.size(); ++i) {
      double const value = of_pool[setting_.test_of(i)];
      values.push_back(value == value ? std::optional(value) : std::nullopt);
    }
    return values;
  }

  template <class Plain>
  void baselines(Plain const& plain, Values const& personal) {
    auto global = plain.start(setting_.clients, how());
    global.run(o_.rounds);
    auto const queries_of = [this](auto const& client) { return setting_.test[setting_.test_of(client.id)]; };
    auto const alone = train_alone(plain, setting_.clients, {.rounds = o_.rounds, .seed = run_.seed()});
    compare(personal, global_values(global.ranker()), "global_personal_ndcg10", findings_.over_global);
    compare(personal, alone.evaluate_personal(measured, queries_of), "alone_personal_ndcg10", findings_.over_alone);
  }

  void compare(Values const& personal, Values const& other, std::string const& name, Pairs& pairs) {
    for (std::size_t i = 0; i < personal.size(); ++i)
      if (personal[i] && other[i]) pairs.add({run_.number(), i}, *personal[i], *other[i]);
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
  Values iid_values_;
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

/// Adds a test to run.json and returns its line of the report.
std::string test_line(Recorder& recorder, std::string const& name, std::string const& what,
                      std::optional<PairedTest> const& test) {
  recorder.result(name + "_p", test ? number_or_null(test->p) : Json());
  recorder.result(name + "_low", test ? number_or_null(test->low) : Json());
  recorder.result(name + "_high", test ? number_or_null(test->high) : Json());
  if (!test) return "";
  return fmt::format("{:<34} {:+.4f}  95 % interval [{:+.4f}, {:+.4f}]  p {:.2g}  ({} pairs)\n", what, test->difference,
                     test->low, test->high, test->p, test->pairs);
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("non_iid",
                  "Clients that differ: trains on non-IID clients and on their IID twins, and tests the gap.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    Recorder recorder(program, o);
    recorder.reference("non-IID", "IID twin");
    if (o.remedy == Remedy::clustered)
      for (std::uint32_t c = 1; c <= o.clusters; ++c) recorder.add_folder("cluster" + std::to_string(c));
    Findings findings;
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      Experiment experiment(o, fold, run, findings);
      recorder.instead_of_clients(grouped(findings.skew->clients.size()) + " clients");
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
    std::string more = '\n' + test_line(recorder, "gap", "gap (IID - non-IID), over queries", findings.gap.test());
    if (o.baselines) {
      more +=
          test_line(recorder, "personal_over_global", "personal - global, over clients", findings.over_global.test());
      more += test_line(recorder, "personal_over_alone", "personal - alone, over clients", findings.over_alone.test());
    }
    recorder.result("skew", skew_json(*findings.skew));
    recorder.files().write("skew.svg", svg(*findings.skew));
    more += "\nclients of the first run\n" + table(*findings.skew);
    recorder.finish(more);
  });
}
