// What a curious server reads from messages (Pham 2022, section 4): trains by FPDGD, then lets guesses infer the clicks
// of single users from the message of their client or from a sum of messages, and compares with the published table 4.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/click_guesses/first_position.hpp>
#include <fltr/click_guesses/guess_quality.hpp>
#include <fltr/click_guesses/higher_distance.hpp>
#include <fltr/click_guesses/higher_probability.hpp>
#include <fltr/click_guesses/higher_score.hpp>
#include <fltr/click_guesses/least_absolute_deviations.hpp>
#include <fltr/click_guesses/least_squares.hpp>
#include <fltr/click_guesses/random_guess.hpp>
#include <fltr/data/query_sequence.hpp>
#include <fltr/federation/observe_client.hpp>
#include <fltr/metrics/summary_statistics.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/experiment.hpp"
#include "support/local_mechanism.hpp"
#include "support/paired_means.hpp"
#include "support/privacy_options.hpp"
#include "support/program.hpp"
#include "support/published_guesses.hpp"
#include "support/table.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Mechanism { none, paper, local_laplace, local_gaussian };
enum class View { message, sum };
/// Whose lists the server knows when it sees a sum.
enum class KnownLists { target, all };
/// The users whose clicks are guessed.
enum class Attacked { all, as_trained };

struct Options : CommonOptions, PrivacyOptions {
  std::vector<std::string> guess{"all"};
  Mechanism mechanism = Mechanism::paper;
  std::optional<double> epsilon;
  double sensitivity = 3;
  ClipAt clip_at = ClipAt::delta;
  View view = View::message;
  std::uint32_t sum_of = 100;
  KnownLists known_lists = KnownLists::target;
  std::uint32_t local_steps = 1;
  ListOrder list = ListOrder::sorted;
  Negatives negatives = Negatives::displayed;
  Mass mass = Mass::displayed;
  Attacked attacked = Attacked::all;
  std::uint32_t targets = 0;
  std::uint32_t attacks_per_query = 1;
};

constexpr std::size_t displayed = 10;

/// Calls use(name, guess) for every guess.
void for_each_guess(auto const& use) {
  use("first-position", FirstPosition{});
  use("random-3", RandomGuess{3});
  use("random-4", RandomGuess{4});
  use("higher-score", HigherScore{});
  use("higher-probability", HigherProbability{});
  use("higher-distance", HigherDistance{});
  use("least-squares", LeastSquares{});
  use("least-absolute-deviations", LeastAbsoluteDeviations{});
}

std::vector<std::string> all_guesses() {
  std::vector<std::string> names;
  for_each_guess([&](char const* name, auto const&) { names.emplace_back(name); });
  return names;
}

bool chosen(Options const& o, std::string const& name) {
  return std::ranges::any_of(o.guess, [&](auto const& g) { return g == "all" || g == name; });
}

/// ε of --epsilon: per round for the paper's mechanism, in total for the local ones.
double epsilon_of(Options const& o) { return o.epsilon.value_or(o.mechanism == Mechanism::paper ? 1.2 : 1.0); }

/// The messages of a client over which a local mechanism divides ε: one per round, and the attacked one.
double messages_of(Options const& o) { return static_cast<double>(o.rounds) + 1.0; }

void declare(Program& program, Options& o) {
  o.normalize = Normalization::zscore;
  o.rounds = 200;
  o.eval_every = 50;
  program.common(o, {Common::dropout});
  for (char const* option : {"--dropout", "--minimum-reports"})
    program.refuse(option, "it attacks messages that arrive");
  program.list("--guess", o.guess, "guesses to make, or all: " + join(all_guesses(), ", "));
  program.choice(
      "--mechanism", o.mechanism,
      {{"none", Mechanism::none},
       {"paper", Mechanism::paper},
       {"local-laplace", Mechanism::local_laplace},
       {"local-gaussian", Mechanism::local_gaussian}},
      "noise on the messages, in training and in the attack: none; gamma noise that adds up to Laplace noise "
      "over all clients (the paper); or Laplace or Gaussian noise that protects each message");
  program
      .number(
          "--epsilon", o.epsilon,
          "paper: nominal epsilon of a round (1.2); local mechanisms: epsilon of all messages of a client together, "
          "those of --rounds and the attacked one (1)",
          above(0))
      .without_default();
  program.number("--sensitivity", o.sensitivity, "sensitivity of the weights; it determines the norm of the clip",
                 above(0));
  program.choice("--clip-at", o.clip_at, {{"half", ClipAt::half}, {"delta", ClipAt::delta}},
                 "--mechanism paper: clips weights at half the sensitivity or at the sensitivity (Pham 2022)");
  add_privacy_options(program, o);
  program.choice("--view", o.view, {{"message", View::message}, {"sum", View::sum}},
                 "what the server sees: the message of the target, or the sum of several messages");
  program.whole(
      "--sum-of", o.sum_of,
      "--view sum: number of messages in the sum, the target's among them; each has the noise of one of --clients", 1);
  program.choice("--known-lists", o.known_lists, {{"target", KnownLists::target}, {"all", KnownLists::all}},
                 "--view sum: lists that the regressions use, of the target or of all clients in the sum");
  program.whole("--local-steps", o.local_steps,
                "queries that an attacked client asks before its message; the server knows all their lists", 1);
  program.choice("--list", o.list, {{"sorted", ListOrder::sorted}, {"sampled", ListOrder::sampled}},
                 "lists of attacked clients: the 10 best documents, or drawn as in training");
  program.choice("--negatives", o.negatives, {{"examined", Negatives::examined}, {"displayed", Negatives::displayed}},
                 "which unclicked documents count as worse than a clicked one");
  program.choice("--mass", o.mass, {{"query", Mass::query}, {"displayed", Mass::displayed}},
                 "documents in the denominator of rho: all of the query, or only the displayed ones");
  program.choice("--attacked", o.attacked, {{"all", Attacked::all}, {"as-trained", Attacked::as_trained}},
                 "attacked users: all three click behaviours in turn, or only that of --clicks");
  program.whole("--targets", o.targets,
                "most vali queries of a fold that are attacked; 0: all with at least 10 documents");
  program.whole("--attacks-per-query", o.attacks_per_query, "target clients that ask each attacked query", 1, 10'000);
}

void check(Program& program, Options const& o) {
  auto const names = all_guesses();
  if (o.guess.empty()) throw UsageError("--guess: required all or a list of " + join(names, ", ") + ", got nothing");
  for (auto const& name : o.guess)
    if (name != "all" && std::ranges::find(names, name) == names.end())
      throw UsageError("--guess: required all or a list of " + join(names, ", ") + ", got " + name);
  if (o.mechanism == Mechanism::none)
    for (char const* option : {"--epsilon", "--sensitivity", "--budget", "--delta"})
      program.ignore(option, "belongs to a mechanism with noise, and --mechanism is none");
  if (o.mechanism != Mechanism::paper) program.ignore("--clip-at", "belongs to --mechanism paper");
  if (o.view == View::message)
    for (char const* option : {"--sum-of", "--known-lists"}) program.ignore(option, "belongs to --view sum");
  else if (o.sum_of > o.clients)
    throw UsageError(fmt::format("--sum-of: required at most the {} of --clients, got {}", o.clients, o.sum_of));
  if (o.mechanism == Mechanism::local_gaussian && !(o.delta > 0))
    throw UsageError("--delta: required a number above 0 with --mechanism local-gaussian, got 0");
  if (o.ranker == RankerKind::neural)
    program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");
}

std::string clicks_name(Clicks clicks) {
  return clicks == Clicks::perfect ? "perfect" : clicks == Clicks::navigational ? "navigational" : "informational";
}

std::vector<Clicks> behaviours(Options const& o) {
  if (o.attacked == Attacked::as_trained) return {o.clicks};
  return {Clicks::perfect, Clicks::navigational, Clicks::informational};
}

CascadeModel users_of(Options const& o, NamedFold const& fold, Clicks clicks) {
  CommonOptions other = o;
  other.clicks = clicks;
  return click_model_of(other, fold);
}

// ---- results over runs

/// The results of one guess against users of one behaviour, a value per run.
struct AttackResults {
  std::vector<double> accuracy;
  std::vector<double> precision;
  std::vector<double> recall;
  std::vector<double> balanced_accuracy;
  std::vector<double> control_balanced_accuracy;
  std::vector<double> advantage;
  std::vector<double> lists;
  PairedMeans paired;  ///< balanced accuracy of target and control, by run

  void add(std::size_t run, GuessAdvantage const& g) {
    accuracy.push_back(g.target.accuracy());
    precision.push_back(g.target.precision());
    recall.push_back(g.target.recall());
    balanced_accuracy.push_back(g.target.balanced_accuracy());
    control_balanced_accuracy.push_back(g.control.balanced_accuracy());
    advantage.push_back(g.advantage());
    lists.push_back(static_cast<double>(g.target.lists()));
    paired.add({run, 0}, g.target.balanced_accuracy(), g.control.balanced_accuracy());
  }
};

struct Findings {
  std::map<Clicks, std::map<std::string, AttackResults>> by_clicks;
  std::size_t grades = 0;
};

// ---- the attack

/// Query numbers of one simulated client.
using Queries = std::vector<std::uint32_t>;

/// The queries of a fold's vali part with at least 10 documents.
Queries eligible_queries(Dataset const& vali) {
  Queries out;
  for (std::uint32_t q = 0; q < vali.size(); ++q)
    if (vali[q].document_count() >= displayed) out.push_back(q);
  return out;
}

/// Throws unless target and control can ask different queries.
void require_enough_queries(Options const& o, NamedFold const& fold) {
  std::size_t const least = 2 * std::size_t{o.local_steps};
  std::size_t const eligible = eligible_queries(fold.vali).size();
  if (eligible < least)
    throw UsageError(fmt::format("{}: required at least {} vali queries with {} documents for --local-steps {}, got {}",
                                 fold.name, least, displayed, o.local_steps, eligible));
}

/// Attacks clients of one fold after training: --attacks-per-query targets for each eligible vali query.
template <class R, class P>
class Attack {
 public:
  Attack(Options const& o, NamedFold const& fold, Run& run, R const& global, P const& privatizer)
      : o_(o),
        vali_(fold.vali),
        run_(run),
        global_(global),
        privatizer_(privatizer),
        eligible_(eligible_queries(vali_)) {
    learner_ = {.learning_rate = static_cast<float>(o.learning_rate),
                .shown = displayed,
                .negatives = o.negatives,
                .mass = o.mass,
                .list_order = o.list};
    queries_ = o.targets == 0 ? eligible_.size() : std::min<std::size_t>(o.targets, eligible_.size());
    targets_ = queries_ * o.attacks_per_query;
    others_ = o.view == View::sum ? o.sum_of - 1 : 0;
    number_ = o.rounds + static_cast<std::uint32_t>(fold.number);
    if ((std::uint64_t{others_} + 2) * targets_ > 0xFFFFFFFFU)
      throw UsageError(fmt::format("--sum-of: required at most {} for {} targets, got {}", 0xFFFFFFFFU / targets_ - 1,
                                   targets_, o.sum_of));
  }

  /// The number of attacked queries.
  [[nodiscard]] std::size_t queries() const noexcept { return queries_; }

  /// The results of all chosen guesses against users of this behaviour. If a signal comes, the targets so far count.
  std::map<std::string, GuessAdvantage> run(CascadeModel const& users) {
    std::map<std::string, GuessAdvantage> results;
    for (std::size_t t = 0; t < targets_ && !run_.stops(); ++t) attack(t, users, results);
    return results;
  }

 private:
  /// The target asks its own query first. The client that replaces it asks other queries than the target. The other
  /// clients of a sum ask any vali queries.
  void attack(std::size_t t, CascadeModel const& users, std::map<std::string, GuessAdvantage>& results) const {
    auto const id = static_cast<ClientId>(t);
    auto const [own, foreign] = queries_of(t);
    ObservedClient const target = observe(users, id, own);
    ObservedClient const control = observe(users, id + static_cast<ClientId>(targets_), foreign);
    WeightSum rest = weight_sum_for(global_);
    std::vector<DisplayedDocuments> other_lists;
    for (std::uint32_t i = 0; i < others_; ++i) {
      Client const other{static_cast<ClientId>((2 + std::uint64_t{i}) * targets_ + t), o_.local_steps,
                         QueryPool(vali_)};
      ObservedClient observed = observe_client(learner_, users, privatizer_, global_, other, round());
      rest.add(observed.message);
      if (o_.known_lists == KnownLists::all) std::ranges::move(observed.lists, std::back_inserter(other_lists));
    }
    auto const from_target = update(target.message, rest);
    auto const from_control = update(control.message, rest);
    for_each_guess([&](char const* name, auto const& guess) {
      if (!chosen(o_, name)) return;
      GuessAdvantage& result = results[name];
      score(guess, {global_, from_target, target.lists, other_lists}, target, id, result.target);
      score(guess, {global_, from_control, target.lists, other_lists}, target, id, result.control);
    });
  }

  /// Each list counts by itself. Both calls for a target draw the same random numbers.
  void score(auto const& guess, ObservedUpdate<R> const& observed, ObservedClient const& target, ClientId id,
             GuessQuality& quality) const {
    std::vector<std::uint8_t> guessed(target.clicks.size());
    Stream stream = round().streams(id).of(Purpose::attack);
    guess.guess(observed, guessed, stream);
    std::size_t first = 0;
    for (auto const& list : target.lists) {
      quality.add(GuessCounts::of(std::span(guessed).subspan(first, list.size()),
                                  std::span(target.clicks).subspan(first, list.size())));
      first += list.size();
    }
  }

  [[nodiscard]] std::vector<double> update(LocalWeights const& message, WeightSum sum) const {
    if (o_.view == View::message) return update_of(global_, message);
    sum.add(message);
    return update_of(global_, sum);
  }

  [[nodiscard]] ObservedClient observe(CascadeModel const& users, ClientId id, Queries queries) const {
    struct {
      ClientId id;
      std::uint32_t interactions;
      QuerySequence queries;
    } const client{id, o_.local_steps, {QueryPool(vali_, std::move(queries))}};
    return observe_client(learner_, users, privatizer_, global_, client, round());
  }

  /// The queries of target t and of the client that replaces it: all different.
  [[nodiscard]] std::pair<Queries, Queries> queries_of(std::size_t t) const {
    Queries shuffled = eligible_;
    std::swap(shuffled[0], shuffled[t % queries_]);
    Stream stream = round().streams(static_cast<ClientId>(t)).of(Purpose::queries);
    stream.shuffle(std::span(shuffled).subspan(1));
    auto const middle = shuffled.begin() + o_.local_steps;
    return {Queries(shuffled.begin(), middle), Queries(middle, middle + o_.local_steps)};
  }

  /// A round after the training, with all --clients asked. Every fold has another number, so that folds do not share
  /// random numbers.
  [[nodiscard]] RoundInfo round() const { return {.seed = run_.seed(), .number = number_, .participants = o_.clients}; }

  Options const& o_;
  Dataset const& vali_;
  Run& run_;
  R const& global_;
  P const& privatizer_;
  Queries eligible_;
  Pdgd learner_;
  std::size_t queries_ = 0;
  std::size_t targets_ = 0;   // clients
  std::uint32_t others_ = 0;  // in the sum
  std::uint32_t number_ = 0;  // of the attacked round
};

template <class R, class P>
void experiment(Run& run, Options const& o, NamedFold const& fold, R const& ranker, P const& privatizer,
                Findings& findings) {
  require_enough_queries(o, fold);
  Pdgd const learner{.learning_rate = static_cast<float>(o.learning_rate), .negatives = o.negatives, .mass = o.mass};
  auto const users = click_model_of(o, fold);
  Iid const clients{.clients = o.clients, .interactions = o.interactions};
  auto training = fpdgd(ranker, users, learner, privatizer)
                      .with_execution(execution_of(o))
                      .start(clients.split(fold.train), run_options(run.seed(), o.minimum_reports, o.clients, o));
  train_rounds(
      run, training, o, [&](R const& r) { return offline_of(r, fold, users, execution_of(o)); },
      [](std::uint64_t) { return std::vector<Cell>(); });
  record_queries(run, training.ranker(), fold.test);
  record_model(run, training.ranker(), fold.input);
  if (run.cut_short()) return;

  Stopwatch const watch;
  R const global = training.ranker();
  Attack<R, P> attack(o, fold, run, global, privatizer);
  run.result("attacked_queries", static_cast<double>(attack.queries()));
  findings.grades = fold.grade_count();
  std::size_t stage = 0;
  auto const all = behaviours(o);
  for (Clicks const clicks : all) {
    run.stage(++stage, all.size(), "attack on " + clicks_name(clicks) + " users");
    auto const results = attack.run(users_of(o, fold, clicks));
    for (auto const& [name, result] : results) findings.by_clicks[clicks][name].add(run.number(), result);
    if (run.cut_short()) break;
  }
  run.not_training(watch.seconds());
}

/// Calls use(privatizer) with the mechanism of the command line, for a ranker with this many parameters. A mechanism that needs another aggregator, such as a
/// secure sum, belongs here.
void with_mechanism(Options const& o, std::size_t parameters, auto const& use) {
  double const epsilon = epsilon_of(o);
  switch (o.mechanism) {
    case Mechanism::none:
      return use(NoPrivacy{});
    case Mechanism::paper:
      return use(AnyNoise{GammaNoise{.epsilon = epsilon, .sensitivity = o.sensitivity, .clip_at = o.clip_at}});
    case Mechanism::local_laplace:
      return use(AnyNoise{LaplaceNoise{.epsilon = epsilon / messages_of(o), .sensitivity = o.sensitivity}});
    case Mechanism::local_gaussian:
      break;
  }
  use(AnyNoise{gaussian_for(epsilon, o.delta, o.sensitivity, messages_of(o), parameters)});
}

// ---- the report

void add_mean(Json& json, std::string const& name, std::vector<double> const& values) {
  json[name] = number_or_null(mean(values));
  json[name + "_sd"] = number_or_null(standard_deviation(values));
}

Json json_of(AttackResults const& r) {
  Json json = Json::object();
  add_mean(json, "accuracy", r.accuracy);
  add_mean(json, "balanced_accuracy", r.balanced_accuracy);
  add_mean(json, "advantage", r.advantage);
  auto const test = r.paired.test();
  json["advantage_low"] = test ? number_or_null(test->low) : Json();
  json["advantage_high"] = test ? number_or_null(test->high) : Json();
  add_mean(json, "precision", r.precision);
  add_mean(json, "recall", r.recall);
  add_mean(json, "control_balanced_accuracy", r.control_balanced_accuracy);
  json["lists"] = number_or_null(mean(r.lists));
  return json;
}

/// The formatted number; "-" for NaN, the mean over no list.
std::string text_of(double value, char const* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

/// Whether the run has the setting of the published table, apart from the data.
bool as_published(Options const& o, Findings const& f) {
  return (f.grades == 3 || f.grades == 5) && o.mechanism == Mechanism::paper && o.view == View::message &&
         o.local_steps == 1 && o.ranker == RankerKind::linear && o.list == ListOrder::sorted &&
         o.epsilon.value_or(1.2) == 1.2 && o.sensitivity == 3.0 && o.clip_at == ClipAt::delta &&
         o.negatives == Negatives::displayed && o.mass == Mass::displayed;
}

std::string table_of(Options const& o, Findings const& f, Clicks clicks, bool utf8) {
  auto const& results = f.by_clicks.at(clicks);
  bool const published_too = as_published(o, f);
  Table table({clicks_name(clicks) + " users", "accuracy", "published", "precision", "published", "recall", "published",
               "balanced", "advantage", "95 % interval"});
  auto const shown = [&](std::vector<double> const& values, int decimals) {
    return mean_and_deviation(mean(values), standard_deviation(values), decimals, utf8);
  };
  for (auto const& name : all_guesses()) {
    auto const found = results.find(name);
    if (found == results.end()) continue;
    AttackResults const& r = found->second;
    auto const published = published_too ? published_guess(name, clicks, f.grades) : std::nullopt;
    auto const from_paper = [&](double PublishedGuess::* value) {
      return published ? fmt::format("{:.2f}", (*published).*value) : std::string("-");
    };
    auto const test = r.paired.test();
    auto const two = [](std::vector<double> const& values) { return text_of(mean(values), "{:.2f}"); };
    table.add({name, shown(r.accuracy, 2), from_paper(&PublishedGuess::accuracy), two(r.precision),
               from_paper(&PublishedGuess::precision), two(r.recall), from_paper(&PublishedGuess::recall),
               two(r.balanced_accuracy), text_of(mean(r.advantage), "{:+.3f}"),
               test ? fmt::format("[{:+.3f}, {:+.3f}]", test->low, test->high) : std::string("-")});
  }
  return "\n" + table.text(utf8);
}

/// What the mechanism protects, in one line.
std::string protection(Options const& o) {
  switch (o.mechanism) {
    case Mechanism::none:
      return "no noise; nothing is protected";
    case Mechanism::paper:
      return fmt::format(
          "nominal epsilon {} of the sum of all {} messages of one round, with an L1 sensitivity of {} that "
          "the clip of the L2 norm does not ensure; no bound is known for one message",
          epsilon_of(o), grouped(o.clients), o.sensitivity);
    case Mechanism::local_laplace:
      return fmt::format("all {} messages of a client together: epsilon {} (replace the data of one client)",
                         grouped(o.rounds + 1), epsilon_of(o));
    case Mechanism::local_gaussian:
      break;
  }
  return fmt::format("all {} messages of a client together: epsilon {} with delta {} (replace the data of one client)",
                     grouped(o.rounds + 1), epsilon_of(o), o.delta);
}

std::string reports(Recorder& recorder, Options const& o, Findings const& f) {
  bool const utf8 = Terminal::of(stdout).utf8;
  std::string text = fmt::format(
      "\nserver sees    {}, {} local step{} each; lists of 10 documents of vali queries\nprotected      {}\n",
      o.view == View::message ? std::string("one message")
                              : fmt::format("the sum of {} messages, knows the lists of {}", grouped(o.sum_of),
                                            o.known_lists == KnownLists::all ? "all their clients" : "the target"),
      o.local_steps, o.local_steps == 1 ? "" : "s", protection(o));
  Json attacks = Json::object();
  Json by_clicks = Json::object();
  for (auto const& [clicks, results] : f.by_clicks) {
    Json of_clicks = Json::object();
    for (auto const& name : all_guesses())
      if (auto const found = results.find(name); found != results.end()) of_clicks[name] = json_of(found->second);
    if (clicks == o.clicks) attacks = of_clicks;
    by_clicks[clicks_name(clicks)] = of_clicks;
    text += table_of(o, f, clicks, utf8);
  }
  recorder.result("attacks", attacks);
  recorder.result("attacks_by_clicks", by_clicks);
  recorder.result("protected", protection(o));
  if (f.by_clicks.empty())
    text += "no attack was made\n";
  else if (as_published(o, f))
    text += fmt::format("published: Pham (2022), table 4, {}\n", f.grades == 5 ? "MSLR-WEB10K" : "MQ2007");
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("click_inference", "Guesses clicks of users from what the server of a federation sees.");
  declare(program, o);
  program.check([&] { check(program, o); });
  return program.run(argc, argv, [&] {
    Recorder recorder(program, o);
    Findings findings;
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      std::size_t const features = fold.train.feature_count();
      auto const start = [&](auto const& ranker) {
        with_mechanism(o, ranker.parameters().size(),
                       [&](auto const& privatizer) { experiment(run, o, fold, ranker, privatizer, findings); });
      };
      if (o.ranker == RankerKind::neural)
        start(NeuralRanker(features));
      else
        start(LinearRanker(features, o.start == StartKind::random ? Initialization::random : Initialization::zero));
    });
    recorder.finish(reports(recorder, o, findings));
  });
}
