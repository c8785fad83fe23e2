// FOLtR-ES (Kharitonov 2019): clients perturb the ranker, measure the clicks, and send a seed and privatised numbers.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/metrics/dcg.hpp>
#include <fltr/metrics/max_rr.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/any_seal.hpp"
#include "support/experiment.hpp"
#include "support/privacy_options.hpp"
#include "support/program.hpp"
#include "support/program_noise.hpp"
#include "support/secure_options.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Optimized { maxrr, ndcg, dcg };

struct Options : CommonOptions, PrivacyOptions, SecureOptions {
  double p = 0.9;
  Optimized metric = Optimized::maxrr;
  std::uint32_t levels = 11;
  double noise_std = 0.01;
  bool antithetic = true;

  /// Whether measurements are randomised.
  [[nodiscard]] bool randomizes() const noexcept { return p < 1.0 && !gaussian(); }
};

void declare(Program& program, Options& o) {
  o.clients = 2000;
  o.rounds = 250;
  o.learning_rate = 1e-3;
  o.mechanism = SharedNoise::measurements;
  program.common(o);
  program.number("--p", o.p, "probability that a measurement is sent unchanged; 1: always, no privacy", between(0, 1));
  add_privacy_options(program, o);
  add_statistics_option(program, o);
  add_secure_options(program, o);
  program.choice(
      "--mechanism", o.mechanism,
      {{"measurements", SharedNoise::measurements}, {"distributed-gaussian", SharedNoise::distributed_gaussian}},
      "measurements: every measurement is randomised, see --p; distributed-gaussian: with --secure, each client "
      "clips weight times perturbation and adds a share of noise, for --total-epsilon over all rounds");
  add_gaussian_options(program, o);
  program.choice("--metric", o.metric,
                 {{"maxrr", Optimized::maxrr}, {"ndcg", Optimized::ndcg}, {"dcg", Optimized::dcg}},
                 "metric that clients compute from the clicks on a list");
  program.whole("--levels", o.levels, "number of values, including 0, to which a private ndcg or dcg is rounded", 2,
                1000);
  program.number("--noise-std", o.noise_std, "standard deviation of the perturbations", above(0));
  program.choice("--antithetic", o.antithetic, {{"on", true}, {"off", false}},
                 "on: half of the interactions use the opposite perturbation");
}

/// The metric of --metric as one type: a program compiles one sealed federation for all of them.
struct AnyMetric {
  std::variant<MaxRr, Ndcg, Dcg> metric{};
  std::size_t cutoff = 10;

  [[nodiscard]] std::optional<double> measure(RankedList clicks) const {
    return std::visit([&](auto const& m) { return std::optional<double>(m.measure(clicks)); }, metric);
  }
};
static_assert(Metric<AnyMetric>);

/// FOLtR-ES whose clients send weight · noise as a vector, which can be clipped and have noise of its own.
struct EvolutionUpdate {
  using Strategy = EvolutionStrategy<AnyMetric>;
  using Message = LocalWeights;
  using Workspace = Strategy::Workspace;
  template <class R>
  static constexpr bool trains = Strategy::trains<R>;

  Strategy strategy{};

  template <ParametricRanker R>
  [[nodiscard]] LocalWeights learn(R const& global, HasQueries auto const& client, auto& session) const {
    auto const broadcast = shared_parameters(global);
    auto const own = EsGradient<>{.noise_std = strategy.noise_std, .antithetic = strategy.antithetic}.contribution(
        strategy.learn(global, client, session), broadcast);
    LocalWeights message{std::vector<float>(broadcast.size()), client.interactions};
    for (std::size_t i = 0; i < broadcast.size(); ++i)
      message.values[i] = static_cast<float>(static_cast<double>(broadcast[i]) + own.values[i]);
    return message;
  }
};

/// The sealed training. Each client computes weight · noise, and the server learns the sum.
template <class R>
void sealed_experiment(Recorder& recorder, Run& run, Options const& o, NamedFold const& fold, R ranker,
                       AnyMetric metric, RandomizedMetric const& privacy) {
  auto const users = click_model_of(o, fold);
  EvolutionStrategy<AnyMetric> const learner{
      .metric = std::move(metric), .noise_std = o.noise_std, .antithetic = o.antithetic};
  Adam const optimizer{.learning_rate = o.learning_rate};
  Dropout const clients{split_iid(fold.train, {.clients = o.clients, .interactions = o.interactions}), o.dropout};
  std::uint64_t const reports = fewest_reports_of(o, o);
  RunOptions const how = run_options(run.seed(), reports, reports, o);
  auto const start = [&](auto const& federation) {
    train_online(run, federation.with_execution(execution_of(o)).start(clients, how), o, fold, users);
  };
  if (o.gaussian()) {
    std::size_t const parameters = shared_parameters(ranker).size();
    auto const noise = gaussian_of(o, o, o.delta, parameters);
    record_noise(recorder, noise, true);
    auto const seal = seal_of(o, o, noise, parameters);
    record_seal(recorder, o, o, seal);
    start(make_federation(std::move(ranker), users, EvolutionUpdate{learner}, AnySeal{FedOpt<>{optimizer}, seal},
                          ProgramNoise{noise}));
  } else {
    auto const seal = seal_of(o, o);
    record_seal(recorder, o, o, seal);
    RandomizedMetric shared = privacy;
    shared.colluding = o.colluding;
    auto const plain = foltr_es(std::move(ranker), users, learner, optimizer, shared);
    start(plain.with_aggregator(AnySeal{plain.policies().aggregator, seal}));
  }
}

template <class M, class R>
void experiment(Recorder& recorder, Run& run, Options const& o, NamedFold const& fold, R ranker, M metric,
                RandomizedMetric const& privacy) {
  if (o.randomizes()) {
    // ε of one measurement, and of all measurements of a client in a round; `privacy` in run.json is for all rounds.
    run.result("epsilon_per_interaction", privacy.epsilon());
    run.result("epsilon_per_message", privacy.epsilon() * o.interactions);
  }
  if (o.sealed()) return sealed_experiment(recorder, run, o, fold, std::move(ranker), {metric}, privacy);
  auto const users = click_model_of(o, fold);
  EvolutionStrategy<M> const learner{.metric = metric, .noise_std = o.noise_std, .antithetic = o.antithetic};
  auto const federation = foltr_es(std::move(ranker), users, learner, Adam{.learning_rate = o.learning_rate})
                              .with_execution(execution_of(o));
  Dropout const clients{split_iid(fold.train, {.clients = o.clients, .interactions = o.interactions}), o.dropout};
  RunOptions const how = run_options(run.seed(), o.minimum_reports, o.minimum_reports, o);
  if (o.randomizes())
    train_online(run, federation.with_privatizer(privacy).start(clients, how), o, fold, users);
  else
    train_online(run, federation.start(clients, how), o, fold, users);
}

template <class R>
void experiment(Recorder& recorder, Run& run, Options const& o, NamedFold const& fold, R const& ranker) {
  auto const even = [&] { return RandomizedMetric::even(o.p, o.levels); };
  switch (o.metric) {
    case Optimized::maxrr:
      return experiment(recorder, run, o, fold, ranker, MaxRr{}, RandomizedMetric::max_rr(o.p));
    case Optimized::ndcg:
      return experiment(recorder, run, o, fold, ranker, Ndcg{.empty = NoRelevantDocuments::zero}, even());
    case Optimized::dcg:
      return experiment(recorder, run, o, fold, ranker, Dcg{}, even());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("foltr_es", "Federated online learning to rank with evolution strategies and a privatised metric.");
  declare(program, o);
  program.check([&] {
    std::uint32_t const levels = o.metric == Optimized::maxrr ? 11 : o.levels;
    if (!(o.p * levels > 1))
      throw UsageError("--p: required a number above 1/" + std::to_string(levels) +
                       ", else a false value is at least as likely as the true value, got " + shortest(o.p));
    if (o.antithetic && o.interactions < 2)
      throw UsageError(
          "--interactions: required at least 2 with --antithetic on, one for each of the two signs, got 1");
    if (!(o.p < 1.0) && !o.gaussian())
      for (char const* option : {"--budget", "--delta"})
        program.ignore(option, "belongs to --p below 1: with --p 1, messages are not private");
    check_secure(program, o, o, o.delta, o.sealed() && o.randomizes());
    if (o.gaussian()) {
      if (!o.sealed())
        throw UsageError(
            "--mechanism distributed-gaussian: required --secure; without it clients send seeds and measurements, to "
            "which no such noise can be added");
      for (char const* option : {"--p", "--levels"}) program.ignore(option, "belongs to --mechanism measurements");
    }
    if (o.total_epsilon) program.fix_rounds();  // its noise depends on their number
    if (o.metric == Optimized::maxrr)
      program.ignore("--levels", "belongs to --metric ndcg and dcg; MaxRR always has 11 levels");
  });
  return program.run(argc, argv, [&] {
    bool const accounted = o.randomizes() || o.sealed();
    Recorder recorder(program, o, accounted ? std::vector<std::string>{bound_column} : std::vector<std::string>{});
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      std::size_t const features = fold.train.feature_count();
      Initialization const start = o.start == StartKind::random ? Initialization::random : Initialization::zero;
      if (o.ranker == RankerKind::neural)
        experiment(recorder, run, o, fold,
                   NeuralRanker(features, {.hidden = 10, .activation = Activation::relu, .start = start}));
      else
        experiment(recorder, run, o, fold, LinearRanker(features, start));
    });
    recorder.finish();
  });
}
