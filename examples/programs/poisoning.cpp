// Poisoning attacks and robust aggregation (Wang 2024, chapter 5): trains with malicious clients and, with the same
// seed, without them, and tests the damage. With --grid it trains all attacks against all aggregators.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/target_ranks.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/any_aggregator.hpp"
#include "support/any_attack.hpp"
#include "support/experiment.hpp"
#include "support/paired_means.hpp"
#include "support/poisoning_grid.hpp"
#include "support/poisoning_setting.hpp"
#include "support/program.hpp"
#include "support/test_line.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

/// A training of one defence against one attack. The type does not depend on either.
template <class R>
[[nodiscard]] auto start_training(PoisoningOptions const& o, NamedFold const& fold, R const& ranker, Clicks clicks,
                                  AnyAggregator const& defence, AnyAttack const& attack,
                                  ProgramExecution const& execution, std::uint64_t seed) {
  Pdgd const learner{.learning_rate = static_cast<float>(o.learning_rate)};
  return make_federation(ranker, users_of(clicks, fold.grade_count()), learner, defence)
      .with_attack(attack)
      .with_execution(execution)
      .start(Dropout{split_iid(fold.train, {.clients = o.clients, .interactions = o.interactions}), o.dropout},
             {.seed = seed, .minimum_reports = o.minimum_reports});
}

/// The clients that a detector flagged.
struct Flags {
  std::uint32_t caught = 0;        ///< malicious
  std::uint32_t false_alarms = 0;  ///< honest
  std::optional<std::uint32_t> alarm_round{};
};

Flags flags_of(std::map<ClientId, std::uint32_t> const& flagged, std::uint32_t malicious) {
  Flags flags;
  for (auto const& [client, round] : flagged) {
    ++(client < malicious ? flags.caught : flags.false_alarms);
    flags.alarm_round = std::min(flags.alarm_round.value_or(round), round);
  }
  return flags;
}

/// A cell of the grid.
template <class R>
std::optional<GridResult> train_cell(PoisoningOptions const& o, NamedFold const& fold, FeaturePattern const& targets,
                                     GridKey const& key, R const& ranker) {
  ProgramExecution const alone = one_thread();
  auto const defence = aggregator_of(o, key.defence, key.assumed, key.seed);
  auto const attack = attack_of(o, key.attack, key.malicious, defence, fold.grade_count(), targets);
  auto training = start_training(o, fold, ranker, key.clicks, defence, attack, alone, key.seed);
  training.run(o.rounds, [](auto const&) { return !stop_requested(); });
  if (training.number() < o.rounds) return std::nullopt;
  GridResult result{.ndcg10 = mean_of(evaluate_on(alone, training.ranker(), fold.test, Ndcg{.cutoff = 10})[0])};
  if (auto const ranks = target_ranks(training.ranker(), fold.test, targets); ranks.targets > 0)
    result.target_rank = ranks.mean_rank();
  if (detects(key.defence.aggregator)) {
    Flags const flags = flags_of(defence.flagged(training.server_state()), key.malicious);
    result.caught = flags.caught;
    result.false_alarms = flags.false_alarms;
    result.alarm_round = flags.alarm_round;
  }
  return result;
}

/// What the program finds out over all runs.
struct Findings {
  PairedMeans damage;        ///< honest − attacked, by run
  PairedMeans query_damage;  ///< the same by fold and test query
  PairedMeans cost;          ///< FedAvg − the aggregator, both without an attack, by run
  Json flagged = Json::array();
};

/// One run: the aggregator without an attack, FedAvg without an attack, and the attacked training.
template <class R>
class Experiment {
 public:
  Experiment(PoisoningOptions const& options, NamedFold const& fold, Run& run, Findings& findings, R const& ranker)
      : o_(options),
        fold_(fold),
        run_(run),
        findings_(findings),
        ranker_(ranker),
        execution_(execution_of(options)),
        users_(click_model_of(options, fold)),
        defence_(aggregator_of(options, options.defence(), options.assumed_malicious(), run.seed())) {
    if (promotes()) targets_ = targets_of(o_, fold.train);
  }

  void operator()() {
    std::size_t const stages = 1 + (attacked() ? 1U : 0U) + (defended() ? 1U : 0U);
    std::size_t stage = 0;
    if (attacked() && !baseline(++stage, stages, "honest clients", defence_, honest_)) return;
    if (defended() && !baseline(++stage, stages, "FedAvg", aggregator_of(o_, no_defence, 0, run_.seed()), fedavg_))
      return;
    if (stages > 1) run_.stage(++stage, stages, attacked() ? "malicious clients" : name_of(o_.defence()), false);
    auto const& shown = attacked() ? honest_ : fedavg_;
    for (auto const& [round, value] : shown.points) run_.add_reference(round, value);
    main_training();
  }

 private:
  /// A training without an attack, with which the run is compared.
  struct Baseline {
    Run::Points points{};
    std::vector<std::optional<double>> queries{};
    std::optional<double> target_rank{};
    double ndcg10 = std::numeric_limits<double>::quiet_NaN();
  };

  /// Sums over the rounds of the attacked training.
  struct Counts {
    double selected = 0;          ///< shares of malicious clients among the selected ones
    double selecting_rounds = 0;  ///< rounds in which the rule selected clients
    double robust_rounds = 0;     ///< rounds in which the robust rule was used
    double guaranteed = 0;        ///< of these, rounds in which its guarantee holds
    double not_converged = 0;     ///< of these, rounds in which it did not converge
    auto fields(auto&& visit) { return visit(selected, selecting_rounds, robust_rounds, guaranteed, not_converged); }
  };

  [[nodiscard]] bool attacked() const { return o_.attack != AttackKind::none; }
  [[nodiscard]] bool defended() const { return o_.defence() != no_defence; }
  [[nodiscard]] bool promotes() const { return o_.attack == AttackKind::promote; }
  [[nodiscard]] Offline offline(R const& ranker) const { return offline_of(ranker, fold_, users_, execution_); }

  /// Its time counts as evaluation. Returns false if a signal came: the run then ends before its first round.
  bool baseline(std::size_t stage, std::size_t stages, std::string name, AnyAggregator const& aggregator,
                Baseline& result) {
    run_.stage(stage, stages, std::move(name));
    keep_results();
    run_.evaluate([&] {
      auto training = start_training(o_, fold_, ranker_, o_.clicks, aggregator, AnyAttack{}, execution_, run_.seed());
      auto const measure = [&](std::uint64_t round) {
        result.points.emplace_back(round, offline(training.ranker()).ndcg10);
      };
      ResumableTraining saved(run_, training);
      if (!saved.resume(result.points)) measure(0);
      saved.run(o_.rounds, result.points, [&](auto const& round) {
        if (run_.evaluates(round.number)) measure(round.number);
        return !stop_requested();
      });
      if (training.number() == o_.rounds) {
        result.ndcg10 = result.points.back().second;
        result.queries = evaluate_queries(training.ranker(), fold_.test, Ndcg{.cutoff = 10});
        if (promotes()) result.target_rank = target_ranks(training.ranker(), fold_.test, targets_).mean_rank();
      }
      return true;
    });
    if (!run_.stops()) return true;
    for (auto const& [round, value] : result.points) run_.add_reference(round, value);
    run_.add({.offline = offline(ranker_), .extra = {value_at(honest_, 0), value_at(fedavg_, 0), Cell(), Cell()}});
    return false;
  }

  [[nodiscard]] static Cell value_at(Baseline const& baseline, std::uint64_t round) {
    auto const found =
        std::ranges::lower_bound(baseline.points, round, {}, [](auto const& point) { return point.first; });
    return found != baseline.points.end() && found->first == round ? Cell(found->second) : Cell();
  }

  void main_training() {
    auto const attack = attack_of(o_, o_.attack, o_.malicious, defence_, fold_.grade_count(), targets_);
    auto training = start_training(o_, fold_, ranker_, o_.clicks, defence_, attack, execution_, run_.seed());
    Counts counts;
    train_rounds(
        run_, training, o_, [&](R const& ranker) { return offline(ranker); },
        [&](std::uint64_t round) -> std::vector<Cell> {
          auto const share = round > 0 ? malicious_share(training.server_state()) : std::nullopt;
          counts.selected += share.value_or(0);
          counts.selecting_rounds += share ? 1 : 0;
          if (round > 0 && is_robust(o_.aggregator) && alarmed(training.server_state())) {
            auto const& report = defence_.rule.report(defence_.rule_state(training.server_state()));
            ++counts.robust_rounds;
            counts.guaranteed += report.guaranteed ? 1 : 0;
            counts.not_converged += report.converged ? 0 : 1;
          }
          return {value_at(honest_, round), value_at(fedavg_, round), share ? Cell(*share) : Cell(),
                  detects(o_.aggregator) ? Cell(defence_.flagged(training.server_state()).size()) : Cell()};
        },
        counts);
    record_queries(run_, training.ranker(), fold_.test);
    record_model(run_, training.ranker(), fold_.input);
    if (counts.selecting_rounds > 0) run_.result("malicious_selected", counts.selected / counts.selecting_rounds);
    if (counts.robust_rounds > 0) run_.result("guaranteed", counts.guaranteed / counts.robust_rounds);
    if (counts.robust_rounds > 0 && o_.aggregator == AggregatorKind::geometric_median)
      run_.result("not_converged", counts.not_converged / counts.robust_rounds);
    if (detects(o_.aggregator)) record_flags(defence_.flagged(training.server_state()));
    if (run_.cut_short()) return;  // the baselines have more rounds
    compare(training.ranker());
  }

  /// The share of malicious clients among those whose messages the rule selected in the last round.
  [[nodiscard]] std::optional<double> malicious_share(AnyAggregator::State const& state) const {
    if (o_.malicious == 0 || o_.mix == MixKind::bucketing) return std::nullopt;  // a bucket has several clients
    auto const& selected = defence_.rule.report(defence_.rule_state(state)).selected;
    if (selected.empty()) return std::nullopt;
    auto const malicious = std::ranges::count_if(selected, [&](ClientId client) { return client < o_.malicious; });
    return static_cast<double>(malicious) / static_cast<double>(selected.size());
  }

  /// Whether the robust rule works: on-alarm averages before the alarm.
  [[nodiscard]] bool alarmed(AnyAggregator::State const& state) const {
    return o_.aggregator != AggregatorKind::on_alarm || defence_.rule_state(state).alarmed.alarm > 0;
  }

  void record_flags(std::map<ClientId, std::uint32_t> const& flagged) {
    Flags const flags = flags_of(flagged, o_.malicious);
    if (o_.malicious > 0) run_.result("recall", static_cast<double>(flags.caught) / o_.malicious);
    run_.result("false_alarms", flags.false_alarms);
    Json clients = Json::array();
    for (auto const& [client, round] : flagged)
      clients.push_back({{"client", client}, {"round", round}, {"malicious", client < o_.malicious}});
    findings_.flagged.push_back(
        {{"run", run_.number()}, {"seed", run_.seed()}, {"fold", run_.fold()}, {"clients", clients}});
  }

  void compare(R const& ranker) {
    double const own = run_.offline_points().back().second;
    double const honest = attacked() ? honest_.ndcg10 : own;
    run_.result("honest_offline_ndcg10", honest);
    run_.result("damage", honest - own);
    if (defended()) {
      run_.result("fedavg_offline_ndcg10", fedavg_.ndcg10);
      run_.result("cost", fedavg_.ndcg10 - honest);
      if (attacked()) run_.result("loss", fedavg_.ndcg10 - own);
      if (fedavg_.ndcg10 == fedavg_.ndcg10 && honest == honest)
        findings_.cost.add({run_.number(), 0}, fedavg_.ndcg10, honest);
    }
    if (attacked()) {
      if (honest == honest && own == own) findings_.damage.add({run_.number(), 0}, honest, own);
      auto const values = evaluate_queries(ranker, fold_.test, Ndcg{.cutoff = 10});
      for (std::size_t q = 0; q < values.size(); ++q)
        if (values[q]) findings_.query_damage.add({fold_.number, q}, *honest_.queries[q], *values[q]);
    }
    if (promotes()) {
      run_.result("honest_target_rank", honest_.target_rank.value_or(std::numeric_limits<double>::quiet_NaN()));
      run_.result("target_rank", target_ranks(ranker, fold_.test, targets_).mean_rank());
    }
  }

  PoisoningOptions const& o_;
  NamedFold const& fold_;
  Run& run_;
  Findings& findings_;
  R const& ranker_;
  ProgramExecution execution_;
  CascadeModel users_;
  AnyAggregator defence_;
  FeaturePattern targets_;
  Baseline honest_;
  Baseline fedavg_;
};

/// Calls use(ranker) with the start model.
template <class Use>
auto with_ranker(PoisoningOptions const& o, NamedFold const& fold, Use const& use) {
  std::size_t const features = fold.train.feature_count();
  if (o.ranker == RankerKind::neural) return use(NeuralRanker(features));
  return use(LinearRanker(features, o.start == StartKind::random ? Initialization::random : Initialization::zero));
}

std::string tests(Recorder& recorder, PoisoningOptions const& o, Findings const& findings) {
  std::string text = "\n";
  if (o.attack != AttackKind::none) {
    auto const by_run = findings.damage.test();
    auto const by_query = findings.query_damage.test();
    text += test_line(recorder, "damage", by_run ? "honest - attacked, over runs" : "honest - attacked, over queries",
                      by_run ? by_run : by_query);
    std::string const queries = test_line(recorder, "damage_query", "honest - attacked, over queries", by_query);
    if (by_run) text += queries;
    if (by_query)
      text += "Tests over queries are conditional on these trainings: another seed may give another damage.\n";
  }
  if (o.defence() != no_defence)
    text +=
        test_line(recorder, "cost", fmt::format("FedAvg - {}, over runs", name_of(o.defence())), findings.cost.test());
  if (detects(o.aggregator)) recorder.result("flagged", findings.flagged);
  return text == "\n" ? "" : text;
}

void single_setting(Program const& program, PoisoningOptions const& o) {
  Recorder recorder(program, o, {"honest_offline_ndcg10", "fedavg_offline_ndcg10", "malicious_selected", "flagged"});
  std::string setting = fmt::format("{} clients, no attack", o.clients);
  if (o.attack != AttackKind::none) {
    setting = fmt::format("{} by {} of {} clients", name_of(o.attack), o.malicious, o.clients);
    recorder.reference(setting, {"all clients honest"});
  } else if (o.defence() != no_defence) {
    recorder.reference(name_of(o.defence()), {"fedavg"});
  }
  recorder.instead_of_clients(setting + ", " + name_of(o.defence()));
  Findings findings;
  for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
    require_click_tables(fold);
    with_ranker(o, fold, [&](auto const& ranker) { Experiment(o, fold, run, findings, ranker)(); });
  });
  recorder.finish(tests(recorder, o, findings));
}

}  // namespace

int main(int argc, char** argv) {
  PoisoningOptions o;
  Program program("poisoning",
                  "Poisoning attacks and robust aggregation: trains with malicious clients and without them, and tests "
                  "the damage.");
  declare_poisoning(program, o);
  program.check([&] { check_poisoning(program, o); });
  program.examples(
      R"(  poisoning --attack fang --aggregator krum --malicious 3 --clicks navigational --rounds 1000 --repeats 5
      malicious selected                0.9524 ± 0.0040
      honest offline nDCG@10            0.5044 ± 0.0063
      damage                            0.3915 ± 0.0062
      honest - attacked, over runs             +0.3915  95 % interval [+0.3839, +0.3992]  p 1.5e-08
  poisoning --grid --data MQ2008/Fold1 --rounds 500 --repeats 3 --out grid
      - With 2 malicious clients of 10, median is the best in the worst case: it loses 0.102 nDCG@10, 95 %
        interval [0.029, 0.176], to promote with informational clicks. With 3 runs, it cannot be
        distinguished from meamed, trimmed-mean, geometric-median and on-alarm.
      - Cost at most 0.003 nDCG@10 without an attack under all behaviours, with 95 % confidence: fedavg,
        fl-detector and on-alarm. More: krum, trimmed-mean, bulyan and meamed. Undecided with 3 runs: ...
      written to    grid: grid.csv, grid-means.csv, loss-perfect.svg, ... (started again, it goes on)
  poisoning --grid --attacks fang,dyn-opt --aggregators median,nnm+median --malicious-counts 2,4
)");
  return program.run(argc, argv, [&] {
    if (!o.grid) return single_setting(program, o);
    if (!first_rank_works_alone()) return;
    run_grid(program, o, [&](NamedFold const& fold, FeaturePattern const& targets, GridKey const& key) {
      return with_ranker(o, fold, [&](auto const& ranker) { return train_cell(o, fold, targets, key, ranker); });
    });
  });
}
