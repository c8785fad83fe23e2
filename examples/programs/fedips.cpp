// FedIPS (Li and Ouyang 2022): learns from logged clicks on the lists of a production ranker, and corrects their
// position bias by inverse propensities.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/data/select_queries.hpp>
#include <fltr/formats/click_log_reader.hpp>
#include <fltr/learners/naive_clicks.hpp>
#include <fltr/learners/propensity_em.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/partition/logging_options.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/presets/fedips.hpp>
#include <fltr/presets/lambda_linear.hpp>
#include <fltr/presets/logging_policy.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "support/experiment.hpp"
#include "support/interruption.hpp"
#include "support/program.hpp"
#include "support/terminal.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Propensity { known, estimated, none };
enum class Server { sgd, adam, yogi, adagrad };
enum class Additive { rank, dcg, precision };

struct Options : CommonOptions {
  double gamma = 1.0;
  std::uint32_t clicks_per_round = 10;
  std::uint32_t displayed = 5;
  Propensity propensity = Propensity::known;
  double propensity_clip = 0.0;
  Additive loss = Additive::rank;
  Server server = Server::sgd;
  double server_learning_rate = 2.0;
  bool full_information = false;
  bool tune = false;
  std::uint32_t tune_clients = 500;
  std::filesystem::path log;
};

void declare(Program& program, Options& o) {
  o.data = "synthetic:yahoo:0.1";
  o.clients = 2000;
  o.rounds = 300;
  o.learning_rate = 1e-5;  // what --tune chooses on synthetic:yahoo at gamma 1
  program.common(o, {Common::clicks, Common::interactions, Common::start});
  program.number("--gamma", o.gamma, "position bias: a user examines rank r with probability (1/r)^gamma", at_least(0));
  program.whole("--clicks-per-round", o.clicks_per_round, "clicks of a client in a round", 1, 1'000'000);
  program.whole("--displayed", o.displayed, "documents in a list of the production ranker", 1, 1'000'000);
  program.choice(
      "--propensity", o.propensity,
      {{"known", Propensity::known}, {"estimated", Propensity::estimated}, {"none", Propensity::none}},
      "clicks are weighted by the inverse of the true propensities, of propensities estimated from the clicks, "
      "or not at all (the naive baseline)");
  program.number("--propensity-clip", o.propensity_clip, "lower bound of propensities: smaller ones are replaced by it",
                 between(0, 1));
  program.choice(
      "--loss", o.loss, {{"rank", Additive::rank}, {"dcg", Additive::dcg}, {"precision", Additive::precision}},
      "loss whose upper bound is minimised: the rank of clicked documents, their negative DCG or precision@5");
  program.choice("--server", o.server,
                 {{"sgd", Server::sgd}, {"adam", Server::adam}, {"yogi", Server::yogi}, {"adagrad", Server::adagrad}},
                 "the server's optimiser");
  program.number("--server-learning-rate", o.server_learning_rate,
                 "step size of the server's optimiser; the default depends on --server and --propensity", above(0));
  program.flag("--full-information", o.full_information,
               "learns from grades without a federation: linear LambdaRank; a round has as many steps as there are "
               "queries");
  program.flag("--tune", o.tune, "chooses both learning rates by nDCG@5 on vali, from the grid of the paper");
  program.whole("--tune-clients", o.tune_clients,
                "number of clients in each trial of --tune; a trial has as many rounds as the run", 1, 0xFFFFFFFF);
  program.input("--log", o.log,
                "learns from the clicks in this CSV file instead of simulated clicks; its queries are the training "
                "queries of --data");
}

struct Rates {
  double local = 0;
  double server = 0;
};

/// The grid of learning rates in the paper.
std::vector<Rates> grid_of(Options const& o) {
  std::vector<Rates> grid;
  if (o.full_information) {
    for (double const rate : {.001, .005, .01, .03, .05, .07, .09, .1, .3, .5, .7, .9}) grid.push_back({rate, 1});
    return grid;
  }
  for (double const local : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1})
    for (double const server : {.05, .5, 1., 2.}) grid.push_back({local, server});
  return grid;
}

/// Two trainings on the same clicks: one estimates propensities, and the other learns with these propensities.
template <class Estimation, class Learning>
struct Estimating {
  std::unique_ptr<Estimation> estimation;  // a fixed address: the learner refers to the clients' states
  Learning learning;

  /// An interrupted round leaves both as they were, except that the estimation may be over: it is not run again.
  void advance() {
    if (estimation->number() == learning.number()) estimation->advance();
    learning.advance();
  }
  /// Runs rounds of both trainings until `observer` returns false, as Training::run does.
  template <class Observer>
  void run(std::uint32_t count, Observer const& observer) {
    for (std::uint32_t i = 0; i < count; ++i) {
      advance();
      if (!observer(learning.round())) return;
    }
  }
  [[nodiscard]] auto const& ranker() const { return learning.ranker(); }
  [[nodiscard]] auto const& policies() const { return learning.policies(); }
  [[nodiscard]] std::uint32_t number() const { return learning.number(); }
  auto fields(auto&& visit) { return visit(*estimation, learning); }

  friend void restore(Estimating& both, std::span<std::byte const> bytes) {
    FieldReader reader(bytes);
    reader.read(both);
    reader.expect_end();
  }
  friend CheckpointIdentity checkpoint_identity(Estimating const& both, CheckpointOptions const& options) {
    return checkpoint_identity(both.learning, options);
  }
};

/// The server's optimiser, chosen at run time.
struct AnyOptimizer {
  using State = Adam::State;  // the same type for all four optimisers
  Server kind = Server::sgd;
  double learning_rate = 1.0;

  void step(std::span<float> weights, std::span<double const> gradient, State& state) const {
    switch (kind) {
      case Server::sgd:
        return Sgd{.learning_rate = learning_rate}.step(weights, gradient, state);
      case Server::adam:
        return Adam{.learning_rate = learning_rate}.step(weights, gradient, state);
      case Server::yogi:
        return Yogi{.learning_rate = learning_rate}.step(weights, gradient, state);
      case Server::adagrad:
        return Adagrad{.learning_rate = learning_rate}.step(weights, gradient, state);
    }
  }
};

/// The loss, chosen at run time.
struct AnyLoss {
  Additive kind = Additive::rank;

  [[nodiscard]] double value(double rank) const {
    return kind == Additive::rank  ? AverageRank::value(rank)
           : kind == Additive::dcg ? NegativeDcg::value(rank)
                                   : NegativePrecision{.cutoff = 5}.value(rank);
  }
  [[nodiscard]] double slope(double rank) const {
    return kind == Additive::rank  ? AverageRank::slope(rank)
           : kind == Additive::dcg ? NegativeDcg::slope(rank)
                                   : NegativePrecision{.cutoff = 5}.slope(rank);
  }
};

/// Calls `use` with the training that the options specify.
template <class R, class Clients, class Use>
void with_training(Options const& o, Rates rates, R const& ranker, Clients const& clients, std::size_t features,
                   RunOptions const& how, Use const& use) {
  auto const rate = static_cast<float>(rates.local);
  AnyLoss const loss{o.loss};
  ProgramExecution const execution = execution_of(o);  // one for both trainings: a signal ends either
  auto const start = [&](auto learner) {
    return fedips(ranker, std::move(learner), AnyOptimizer{o.server, rates.server})
        .with_execution(execution)
        .start(clients, how);
  };
  switch (o.propensity) {
    case Propensity::known:
      return use(start(Ips<AnyLoss>{.learning_rate = rate, .clip = o.propensity_clip, .loss = loss}));
    case Propensity::none:
      return use(start(NaiveClicks<AnyLoss>{.learning_rate = rate, .loss = loss}));
    case Propensity::estimated: {
      auto relevance = fedips(LinearRanker(features), PropensityEm{}).with_execution(execution).start(clients, how);
      auto estimation = std::make_unique<decltype(relevance)>(std::move(relevance));
      using States = std::remove_cvref_t<decltype(estimation->client_states())>;
      auto learning = start(Ips<AnyLoss, EstimatedPropensities<States>>{.learning_rate = rate,
                                                                        .clip = o.propensity_clip,
                                                                        .loss = loss,
                                                                        .propensity = {&estimation->client_states()}});
      return use(Estimating<decltype(relevance), decltype(learning)>{std::move(estimation), std::move(learning)});
    }
  }
}

/// The experiments of all folds and seeds, one after the other.
class Experiment {
 public:
  explicit Experiment(Options& options) : o_(options) {}

  void run(Run& run, NamedFold const& fold) {
    RunOptions const how = run_options(o_, run);
    std::size_t const features = fold.train.feature_count();
    if (o_.full_information) {
      return tuned(run, fold, [&](Rates rates, bool, auto const& use) {
        use(lambda_linear(QueryPool(fold.train), {.learning_rate = static_cast<float>(rates.local)}, how));
      });
    }
    auto const with_clients = [&](auto const& clients_of) {
      tuned(run, fold, [&](Rates rates, bool trial, auto const& use) {
        Dropout const clients{clients_of(trial ? o_.tune_clients : o_.clients), o_.dropout};
        if (o_.ranker == RankerKind::neural)
          with_training(o_, rates, NeuralRanker(features), clients, features, how, use);
        else
          with_training(o_, rates, LinearRanker(features), clients, features, how, use);
      });
    };
    if (!o_.log.empty()) {
      auto const recorded = read_log(fold.train);
      o_.clients = static_cast<std::uint32_t>(recorded.logs.size());  // for the report and run.json
      require_reports(o_, o_.clients);
      return with_clients([&](std::size_t) { return RecordedPopulation(fold.train, recorded.logs); });
    }
    auto const production = train_logging_policy(fold.train, {.seed = run.seed()});
    run.result("logging_ndcg5", offline_of(production, fold.test, execution_of(o_)).ndcg5);
    with_clients([&](std::size_t clients) {
      return LoggedPopulation(fold.train, production,
                              {.clients = clients,
                               .displayed = o_.displayed,
                               .clicks = o_.clicks_per_round,
                               .exponent = o_.gamma,
                               .attractive = attractive_grades(fold.grade_count()),
                               .seed = run.seed()});
    });
  }

 private:
  /// The clicks of --log. Throws an error that names the options if they do not fit the data or --propensity.
  [[nodiscard]] RecordedLogs read_log(Dataset const& train) const {
    auto const error = [](std::string const& reason) { return std::runtime_error(fmt::format("--log {}", reason)); };
    RecordedLogs recorded;
    try {
      recorded = read_click_log(o_.log, train);
    } catch (ParseError const& wrong) {
      throw error(fmt::format("{}; required clicks on the training queries of --data {}", wrong.what(), o_.data));
    }
    std::string const file = o_.log.string();
    if (recorded.logs.empty()) throw error(file + ": required clicks of at least one client, got none");
    if (o_.propensity != Propensity::known) return recorded;
    for (ClickLog const& log : recorded.logs)
      for (Impression const& shown : log.shown())
        if (shown.clicked && !shown.has_propensity())
          throw error(file +
                      ": required a log with propensities for --propensity known, got a click without one; give "
                      "--propensity estimated or none");
    return recorded;
  }

  /// Trains with the given rates; with --tune, with the rates of the highest nDCG@5 on vali for the first seed of the
  /// fold.
  template <class With>
  void tuned(Run& run, NamedFold const& fold, With const& with_rates) {
    Rates rates{o_.learning_rate, o_.server_learning_rate};
    if (o_.tune) {
      auto const [found, first] = chosen_.try_emplace(fold.number);
      if (first) found->second = run.evaluate([&] { return choose(run, fold, with_rates); });
      rates = found->second;
      run.result("tuned_learning_rate", rates.local);
      run.result("tuned_server_learning_rate", rates.server);
    }
    with_rates(rates, false, [&](auto training) {
      train(run, std::move(training), o_, fold,
            [&](auto const& ranker) { return offline_of(ranker, fold.test, execution_of(o_)); });
    });
  }

  template <class With>
  [[nodiscard]] Rates choose(Run& run, NamedFold const& fold, With const& with_rates) const {
    Rates best;
    double best_ndcg = -1;
    std::size_t tried = 0;
    auto const grid = grid_of(o_);
    keep_results();
    for (Rates const rates : grid) {
      double ndcg = 0;
      with_rates(rates, true, [&](auto training) {
        bool nothing = false;  // no round collects anything
        ResumableTraining saved(run, training);
        static_cast<void>(saved.resume(nothing));
        saved.run(stop_requested() ? 0 : o_.rounds, nothing, [](auto const&) { return !stop_requested(); });
        if (stop_here()) throw Interrupted(interrupted_tuning(tried, grid.size(), best, best_ndcg));
        ndcg = offline_of(training.ranker(), fold.vali, execution_of(o_)).ndcg5;
      });
      if (!o_.quiet && Terminal::of(stderr).interactive)
        fmt::print(stderr, "tuning {}: learning rate {:g}, server {:g}: nDCG@5 {:.4f} on vali\n", fold.name,
                   rates.local, rates.server, ndcg);
      ++tried;
      if (ndcg > best_ndcg) {
        best = rates;
        best_ndcg = ndcg;
      }
    }
    if (best_ndcg < 0)
      throw std::runtime_error(fold.name + ": --tune: required validation queries with a relevant document, got none");
    fmt::print("{}: chosen on vali: --learning-rate {:g} --server-learning-rate {:g} (nDCG@5 {:.4f} after {} rounds)\n",
               fold.name, best.local, best.server, best_ndcg, o_.rounds);
    return best;
  }

  /// The message for a tuning that a signal ended: the best trial so far.
  [[nodiscard]] std::string interrupted_tuning(std::size_t tried, std::size_t trials, Rates best, double ndcg) const {
    std::string text = fmt::format("interrupted by {} after {} of {} trials", stop_signal_name(), tried, trials);
    if (tried == 0) return text;
    return text + fmt::format("; best so far: --learning-rate {:g} --server-learning-rate {:g} (nDCG@5 {:.4f} on vali)",
                              best.local, best.server, ndcg);
  }

  Options& o_;
  std::map<std::size_t, Rates> chosen_;  // by fold
};

void check(Program& program, Options& o) {
  auto const given = [&](std::initializer_list<char const*> names) {
    return std::ranges::any_of(names, [&](char const* name) { return program.given(name); });
  };
  if (o.tune && given({"--learning-rate", "--server-learning-rate"}))
    throw UsageError("--tune chooses --learning-rate and --server-learning-rate: leave them out");
  if (!o.tune && given({"--tune-clients"})) throw UsageError("--tune-clients belongs to --tune, which is not given");
  if (o.propensity == Propensity::none && given({"--propensity-clip"}))
    throw UsageError("--propensity-clip cannot be used with --propensity none, which uses no propensities");
  if (o.full_information && given({"--gamma", "--clicks-per-round", "--displayed", "--propensity", "--propensity-clip",
                                   "--loss", "--server", "--server-learning-rate", "--clients", "--tune-clients",
                                   "--log", "--ranker", "--dropout", "--minimum-reports"}))
    throw UsageError(
        "--full-information learns from grades with a linear ranker: leave out the options of clicks, clients and "
        "servers");
  if (!o.log.empty() && given({"--gamma", "--clicks-per-round", "--displayed", "--clients", "--tune-clients"}))
    throw UsageError(
        "--log determines clients and clicks: leave out --gamma, --clicks-per-round, --displayed, --clients and "
        "--tune-clients");

  // Unused options are null in run.json.
  auto const ignore = [&](std::initializer_list<char const*> names) {
    for (char const* name : names) program.ignore(name, "is not used in this run");
  };
  if (o.tune) ignore({"--learning-rate", "--server-learning-rate"});
  if (!o.tune) ignore({"--tune-clients"});
  if (o.propensity == Propensity::none) ignore({"--propensity-clip"});
  if (o.full_information)
    ignore({"--gamma", "--clicks-per-round", "--displayed", "--propensity", "--propensity-clip", "--loss", "--server",
            "--server-learning-rate", "--clients", "--tune-clients", "--ranker", "--dropout", "--minimum-reports"});
  if (!o.log.empty()) ignore({"--gamma", "--clicks-per-round", "--displayed", "--tune-clients"});
  if (!o.log.empty()) o.clients = 0;  // known when the log is read
  if (o.tune && o.log.empty() && !o.full_information) require_reports(o, o.tune_clients);
  if (o.tune) program.fix_rounds();  // a trial has as many rounds as the run
}

/// The default rates: those that --tune chooses for the naive baseline and for grades; for servers other than SGD, the
/// default of the optimiser.
void set_default_rates(Program const& program, Options& o) {
  bool const naive = o.propensity == Propensity::none;
  if (!program.given("--learning-rate") && o.full_information) o.learning_rate = 1e-3;
  if (!program.given("--learning-rate") && naive) o.learning_rate = 1e-4;
  if (program.given("--server-learning-rate")) return;
  switch (o.server) {
    case Server::sgd:
      if (naive) o.server_learning_rate = 0.5;
      break;
    case Server::adam:
      o.server_learning_rate = Adam{}.learning_rate;
      break;
    case Server::yogi:
      o.server_learning_rate = Yogi{}.learning_rate;
      break;
    case Server::adagrad:
      o.server_learning_rate = Adagrad{}.learning_rate;
      break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("fedips", "Federated unbiased learning to rank from logged, position-biased clicks.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    set_default_rates(program, o);
    Recorder recorder(program, o);
    Experiment experiment(o);
    std::size_t dropped = 0;
    for_each_run(
        o, recorder, [&](NamedFold const& fold, Run& run) { experiment.run(run, fold); },
        [&](NamedFold& fold) {
          for (Dataset* const part : {&fold.train, &fold.vali, &fold.test}) {
            if (part == &fold.train && !o.log.empty()) continue;  // the log may have clicks on any query
            std::size_t const before = part->size();
            *part = select_queries(*part, queries_of_several_grades(*part));
            dropped += before - part->size();
          }
          if (fold.train.size() == 0)
            throw std::runtime_error("--data " + o.data +
                                     ": required a training query with at least two grades, got none");
        });
    recorder.result("single_grade_queries", dropped);
    recorder.finish();
  });
}
