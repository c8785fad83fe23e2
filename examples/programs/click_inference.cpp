// What a curious server reads from messages (Pham 2022, section 4): trains by FPDGD, then lets guesses infer the clicks
// of single users from the message of their client or from a sum of messages, and compares with the published table 4.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/click_guesses/first_position.hpp>
#include <fltr/click_guesses/guess_quality.hpp>
#include <fltr/click_guesses/higher_distance.hpp>
#include <fltr/click_guesses/higher_probability.hpp>
#include <fltr/click_guesses/higher_score.hpp>
#include <fltr/click_guesses/least_absolute_deviations.hpp>
#include <fltr/click_guesses/least_squares.hpp>
#include <fltr/click_guesses/random_guess.hpp>
#include <fltr/core/normal_cdf.hpp>
#include <fltr/data/query_sequence.hpp>
#include <fltr/federation/observe_client.hpp>
#include <fltr/metrics/summary_statistics.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/any_seal.hpp"
#include "support/experiment.hpp"
#include "support/local_mechanism.hpp"
#include "support/paired_means.hpp"
#include "support/privacy_options.hpp"
#include "support/program.hpp"
#include "support/program_noise.hpp"
#include "support/published_guesses.hpp"
#include "support/secure_options.hpp"
#include "support/table.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Mechanism { none, paper, local_laplace, local_gaussian, distributed_gaussian };
enum class View { message, sum };
/// Whose lists the server knows when it sees a sum.
enum class KnownLists { target, all };
/// What the server knows of the clients besides the target when it sees the sum of all reports.
enum class Others {
  unknown,
  known,  ///< their updates, without the noise
};
/// The users whose clicks are guessed.
enum class Attacked { all, as_trained };

struct Options : CommonOptions, PrivacyOptions {
  std::vector<std::string> guess{"all"};
  SecureOptions secure{};
  Others others = Others::unknown;
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
  program.common(o, {Common::dropout});
  for (char const* option : {"--dropout", "--minimum-reports"})
    program.refuse(option, "it attacks messages that arrive");
  program.list("--guess", o.guess, "guesses to make, or all: " + join(all_guesses(), ", "));
  program.choice(
      "--mechanism", o.mechanism,
      {{"none", Mechanism::none},
       {"paper", Mechanism::paper},
       {"local-laplace", Mechanism::local_laplace},
       {"local-gaussian", Mechanism::local_gaussian},
       {"distributed-gaussian", Mechanism::distributed_gaussian}},
      "noise on the messages, in training and in the attack: none; gamma noise that adds up to Laplace noise "
      "over all clients (the paper); Laplace or Gaussian noise that protects each message; or Gaussian noise on "
      "clipped "
      "updates of which each client adds a share (see --secure)");
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
  add_statistics_option(program, o);
  add_secure_options(program, o.secure);
  program.number("--clip", o.secure.clip, "L2 norm at which --mechanism distributed-gaussian clips updates", above(0));
  program.number(
      "--total-epsilon", o.secure.total_epsilon,
      "largest accounted epsilon over all rounds of a sealed sum, for which --mechanism distributed-gaussian "
      "chooses its noise",
      above(0));
  program.choice(
      "--others", o.others, {{"unknown", Others::unknown}, {"known", Others::known}},
      "--secure: whether the server knows the updates of all clients but the target and subtracts them; their "
      "noise stays");
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
  if (o.mechanism == Mechanism::distributed_gaussian)
    for (char const* option : {"--epsilon", "--sensitivity"})
      program.ignore(option,
                     "does not belong to --mechanism distributed-gaussian, which has --total-epsilon and --clip");
  if (o.secure.sealed()) {
    if (o.mechanism != Mechanism::none && o.mechanism != Mechanism::distributed_gaussian)
      throw UsageError("--secure: required --mechanism none or distributed-gaussian");
    for (char const* option : {"--view", "--sum-of", "--known-lists"})
      program.ignore(option, "cannot be used with --secure: the server sees the sum of all reports");
  } else {
    program.ignore("--others", "belongs to --secure");
  }
  check_secure(program, o, o.secure, o.delta, o.mechanism == Mechanism::paper);
  if (o.view == View::message)
    for (char const* option : {"--sum-of", "--known-lists"}) program.ignore(option, "belongs to --view sum");
  else if (o.sum_of > o.clients)
    throw UsageError(fmt::format("--sum-of: required at most the {} of --clients, got {}", o.clients, o.sum_of));
  if (o.mechanism == Mechanism::local_gaussian && !(o.delta > 0))
    throw UsageError("--delta: required a number above 0 with --mechanism local-gaussian, got 0");
  if (o.mechanism != Mechanism::none && o.mechanism != Mechanism::paper)
    program.fix_rounds();  // the noise depends on their number
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

/// The advantage of any server, at most: that of one who knows everything but the noise and the target's data. With
/// Gaussian noise it is 2Φ(μ/2) − 1, μ = 2S divided by the standard deviation of the noise; μ √T for T sums.
struct AdvantageBound {
  double mu = 0;
  [[nodiscard]] double of(std::uint32_t rounds) const {
    return 2 * normal_cdf(mu * std::sqrt(static_cast<double>(rounds)) / 2) - 1;
  }
};

/// An advantage is within its bound if it exceeds it by at most three standard errors over the runs; one run is not enough
/// to tell.
struct Excess {
  double standard_error;  ///< NaN for one run
  std::optional<bool> within{};
  Excess(std::vector<double> const& advantages, double bound)
      : standard_error(standard_deviation(advantages) / std::sqrt(static_cast<double>(advantages.size()))) {
    if (std::isfinite(standard_error)) within = mean(advantages) <= bound + 3 * standard_error;
  }
};

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
  std::map<Clicks, std::map<std::string, AttackResults>> all_rounds;  ///< --secure: with the sums of --rounds rounds
  std::optional<AdvantageBound> bound;                                ///< of one round
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

/// The advantages of all guesses: from one round, and from the sums of all rounds together.
struct Advantages {
  std::map<std::string, GuessAdvantage> one;
  std::map<std::string, GuessAdvantage> all;
};

/// Attacks clients of one fold after training: --attacks-per-query targets for each eligible vali query.
template <class R, class P>
class Attack {
 public:
  Attack(Options const& o, NamedFold const& fold, Run& run, R const& global, P const& privatizer, FixedPoint grid)
      : o_(o),
        vali_(fold.vali),
        run_(run),
        global_(global),
        privatizer_(privatizer),
        eligible_(eligible_queries(vali_)),
        grid_(grid) {
    learner_ = {.learning_rate = static_cast<float>(o.learning_rate),
                .shown = displayed,
                .negatives = o.negatives,
                .mass = o.mass,
                .list_order = o.list};
    queries_ = o.targets == 0 ? eligible_.size() : std::min<std::size_t>(o.targets, eligible_.size());
    targets_ = queries_ * o.attacks_per_query;
    others_ = o.secure.sealed() ? o.clients - 1 : o.view == View::sum ? o.sum_of - 1 : 0;
    number_ = o.rounds + static_cast<std::uint32_t>(fold.number);
    if ((std::uint64_t{others_} + 2) * targets_ > 0xFFFFFFFFU)
      throw UsageError(fmt::format("{}: required at most {} for {} targets, got {}",
                                   o.secure.sealed() ? "--clients" : "--sum-of", 0xFFFFFFFFU / targets_ - 1, targets_,
                                   others_ + 1));
  }

  /// The number of attacked queries.
  [[nodiscard]] std::size_t queries() const noexcept { return queries_; }

  /// The results of all chosen guesses against users of this behaviour. If a signal comes, the targets so far count.
  Advantages run(CascadeModel const& users) {
    Advantages results;
    if (o_.secure.sealed()) add_up_others(users);
    for (std::size_t t = 0; t < targets_ && !run_.stops(); ++t)
      o_.secure.sealed() ? attack_sums(t, users, results) : attack(t, users, results.one);
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

  // ---- sealed sums

  using Seal = IdealSum<FedAvg>;  // the same bits as with masks

  /// For each round the sum of all clients but the target. All targets share it: each is attacked by itself. If the server
  /// knows the updates of these clients, it subtracts them, and their noise is left. Clients that collude reveal theirs.
  void add_up_others(CascadeModel const& users) {
    rest_.clear();
    for (std::uint32_t k = 0; k < o_.rounds && !run_.stops(); ++k) {
      typename Seal::Sum sum;
      for (std::uint32_t i = 0; i < others_; ++i) {
        Client const other{static_cast<ClientId>(2 * targets_ + i), o_.local_steps, QueryPool(vali_)};
        LocalWeights message = o_.others == Others::known
                                   ? no_update()
                                   : observe_client(learner_, users, NoPrivacy{}, global_, other, round(k)).message;
        sum.add(sealed(i < o_.secure.colluding ? clipped(std::move(message), other.id) : noisy(message, other.id, k)));
      }
      rest_.push_back(std::move(sum));
    }
  }

  /// The same target with the same list and clicks takes part in every round, always with the same broadcast model. Only
  /// the noise and the other clients' reports change. The server adds the sums of all rounds up.
  void attack_sums(std::size_t t, CascadeModel const& users, Advantages& results) const {
    auto const id = static_cast<ClientId>(t);
    auto const other = id + static_cast<ClientId>(targets_);
    auto const [own, foreign] = queries_of(t);
    ObservedClient const target = observe(users, id, own, NoPrivacy{});
    ObservedClient const control = observe(users, other, foreign, NoPrivacy{});
    std::array<std::vector<double>, 2> total{std::vector<double>(target.message.values.size()), {}};
    total[1] = total[0];
    std::array<std::vector<double>, 2> first;
    for (std::uint32_t k = 0; k < rest_.size(); ++k)
      for (std::size_t world = 0; world < 2; ++world) {
        auto sum = rest_[k];
        sum.add(sealed(world == 0 ? noisy(target.message, id, k) : noisy(control.message, other, k)));
        auto const seen = grid_.sum(std::span<std::uint64_t const>(sum.total), sum.count);
        for (std::size_t i = 0; i < total[world].size(); ++i) total[world][i] += seen.values[i] / seen.weight;
        if (k == 0) first[world] = total[world];
      }
    auto const guess_all = [&](auto const& updates, std::map<std::string, GuessAdvantage>& out) {
      for_each_guess([&](char const* name, auto const& guess) {
        if (!chosen(o_, name)) return;
        score(guess, {global_, updates[0], target.lists, {}}, target, id, out[name].target);
        score(guess, {global_, updates[1], target.lists, {}}, target, id, out[name].control);
      });
    };
    if (rest_.empty()) return;
    guess_all(first, results.one);
    for (auto& sum : total)
      for (double& v : sum) v /= static_cast<double>(rest_.size());
    guess_all(total, results.all);
  }

  [[nodiscard]] LocalWeights no_update() const {
    auto const broadcast = shared_parameters(global_);
    return {{broadcast.begin(), broadcast.end()}, 1};
  }
  [[nodiscard]] LocalWeights noisy(LocalWeights message, ClientId id, std::uint32_t k) const {
    return privatized(privatizer_, std::move(message), context(id, k));
  }
  [[nodiscard]] PrivacyContext context(ClientId id, std::uint32_t k) const {
    return round(k).context(id, o_.local_steps, shared_parameters(global_));
  }
  /// The message of a client that adds no noise.
  [[nodiscard]] LocalWeights clipped(LocalWeights message, ClientId id) const {
    auto const broadcast = shared_parameters(global_);
    // `privatize` itself, unlike `privatized`, adds the same noise to both.
    auto const with_noise = privatizer_.privatize(std::move(message), context(id, 0));
    auto const noise = privatizer_.privatize(no_update(), context(id, 0));
    LocalWeights out = with_noise;
    for (std::size_t i = 0; i < out.values.size(); ++i)
      out.values[i] = static_cast<float>(static_cast<double>(broadcast[i]) + static_cast<double>(with_noise.values[i]) -
                                         static_cast<double>(noise.values[i]));
    return out;
  }
  [[nodiscard]] typename Seal::Wire sealed(LocalWeights const& message) const {
    ClientId const nobody = 0;
    SealContext context;
    context.round.broadcast = shared_parameters(global_);
    context.round.asked = std::span(&nobody, 1);
    return Seal{.grid = grid_}.seal(message, context);
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
    return observe(users, id, std::move(queries), privatizer_);
  }
  [[nodiscard]] ObservedClient observe(CascadeModel const& users, ClientId id, Queries queries,
                                       auto const& privatizer) const {
    struct {
      ClientId id;
      std::uint32_t interactions;
      QuerySequence queries;
    } const client{id, o_.local_steps, {QueryPool(vali_, std::move(queries))}};
    return observe_client(learner_, users, privatizer, global_, client, round());
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

  /// The k-th round after the training, with all --clients asked. Every fold has other numbers, so that folds do not share
  /// random numbers.
  [[nodiscard]] RoundInfo round(std::uint32_t k = 0) const {
    return {.seed = run_.seed(), .number = number_ + 1024 * k, .participants = o_.clients};
  }

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
  FixedPoint grid_{};         // of sealed sums
  std::vector<typename Seal::Sum> rest_{};
};

template <class R, class P>
void attack_all(Run& run, Options const& o, NamedFold const& fold, R const& global, P const& privatizer,
                FixedPoint grid, Findings& findings) {
  Stopwatch const watch;
  grid.clip = std::numeric_limits<double>::infinity();  // the server need not clip what it reads
  Attack<R, P> attack(o, fold, run, global, privatizer, grid);
  run.result("attacked_queries", static_cast<double>(attack.queries()));
  findings.grades = fold.grade_count();
  std::size_t stage = 0;
  auto const all = behaviours(o);
  for (Clicks const clicks : all) {
    run.stage(++stage, all.size(), "attack on " + clicks_name(clicks) + " users");
    auto const results = attack.run(users_of(o, fold, clicks));
    for (auto const& [name, result] : results.one) findings.by_clicks[clicks][name].add(run.number(), result);
    for (auto const& [name, result] : results.all) findings.all_rounds[clicks][name].add(run.number(), result);
    if (run.cut_short()) break;
  }
  run.not_training(watch.seconds());
}

template <class R, class P>
void experiment(Recorder& recorder, Run& run, Options const& o, NamedFold const& fold, R const& ranker,
                P const& privatizer, Findings& findings) {
  require_enough_queries(o, fold);
  Pdgd const learner{.learning_rate = static_cast<float>(o.learning_rate), .negatives = o.negatives, .mass = o.mass};
  auto const users = click_model_of(o, fold);
  Iid const clients{.clients = o.clients, .interactions = o.interactions};
  auto const federation = fpdgd(ranker, users, learner, privatizer).with_execution(execution_of(o));
  RunOptions how = run_options(run.seed(), o.minimum_reports, o.clients, o);
  auto const attack_after = [&](auto training, FixedPoint grid) {
    train_rounds(
        run, training, o, [&](R const& r) { return offline_of(r, fold, users, execution_of(o)); },
        [](std::uint64_t) { return std::vector<Cell>(); });
    record_queries(run, training.ranker(), fold.test);
    record_model(run, training.ranker(), fold.input);
    if (run.cut_short()) return;
    R const global = training.ranker();
    attack_all(run, o, fold, global, privatizer, grid, findings);
  };
  if constexpr (std::same_as<P, ProgramNoise>) {
    if (o.secure.sealed()) {
      how.minimum_reports = fewest_reports_of(o, o.secure);
      auto seal = seal_of(o, o.secure);
      if (auto const* const noise = std::get_if<DistributedGaussian>(&privatizer.noise)) {
        seal = seal_of(o, o.secure, *noise, ranker.parameters().size());
        double const sigma = static_cast<double>(noise->scale()) * noise->step *
                             std::sqrt(static_cast<double>(o.clients - o.secure.colluding));
        findings.bound = AdvantageBound{2 * noise->clip / sigma};
        record_noise(recorder, *noise, true);
      }
      record_seal(recorder, o, o.secure, seal);
      auto const sealed = federation.with_aggregator(AnySeal<FedAvg>{{}, seal});
      return attack_after(sealed.start(clients.split(fold.train), how), seal.grid);
    }
  }
  attack_after(federation.start(clients.split(fold.train), how), FixedPoint{});
}

/// Calls use(privatizer) with the mechanism of the command line, for a ranker with this many parameters.
void with_mechanism(Options const& o, std::size_t parameters, auto const& use) {
  double const epsilon = epsilon_of(o);
  switch (o.mechanism) {
    case Mechanism::none:
      if (o.secure.sealed()) return use(ProgramNoise{});
      return use(NoPrivacy{});
    case Mechanism::paper:
      return use(AnyNoise{GammaNoise{.epsilon = epsilon, .sensitivity = o.sensitivity, .clip_at = o.clip_at}});
    case Mechanism::local_laplace:
      return use(AnyNoise{LaplaceNoise{.epsilon = epsilon / messages_of(o), .sensitivity = o.sensitivity}});
    case Mechanism::local_gaussian:
      return use(AnyNoise{gaussian_for(epsilon, o.delta, o.sensitivity, messages_of(o), parameters)});
    case Mechanism::distributed_gaussian:
      break;
  }
  use(ProgramNoise{gaussian_of(o, o.secure, o.delta, parameters)});
}

// ---- the report

void add_mean(Json& json, std::string const& name, std::vector<double> const& values) {
  json[name] = number_or_null(mean(values));
  json[name + "_sd"] = number_or_null(standard_deviation(values));
}

Json json_of(AttackResults const& r, std::optional<double> bound) {
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
  if (bound) {
    Excess const excess(r.advantage, *bound);
    json["advantage_standard_error"] = number_or_null(excess.standard_error);
    json["advantage_bound"] = *bound;
    json["within_bound"] = excess.within ? Json(*excess.within) : Json();
  }
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

/// The table of sealed sums.
std::string table_of_sums(std::map<std::string, AttackResults> const& results, std::string const& title,
                          std::optional<double> bound, bool utf8) {
  Table table({title, "accuracy", "precision", "recall", "balanced", "advantage", "standard error", "bound", "within"});
  for (auto const& name : all_guesses()) {
    auto const found = results.find(name);
    if (found == results.end()) continue;
    AttackResults const& r = found->second;
    Excess const excess(r.advantage, bound.value_or(1));
    auto const two = [](std::vector<double> const& values) { return text_of(mean(values), "{:.2f}"); };
    table.add({name, two(r.accuracy), two(r.precision), two(r.recall), two(r.balanced_accuracy),
               text_of(mean(r.advantage), "{:+.4f}"), text_of(excess.standard_error, "{:.4f}"),
               bound ? fmt::format("{:.4f}", *bound) : "-",
               bound && excess.within ? (*excess.within ? "yes" : "no") : "-"});
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
    case Mechanism::distributed_gaussian:
      return fmt::format(
          "the sums of all {} rounds together: epsilon {} with delta {} (replace the data of one client){}",
          grouped(o.rounds), o.secure.total_epsilon.value_or(0), o.delta,
          o.secure.sealed() ? "" : "; single messages, which the server sees without --secure, have a larger epsilon");
    case Mechanism::local_gaussian:
      break;
  }
  return fmt::format("all {} messages of a client together: epsilon {} with delta {} (replace the data of one client)",
                     grouped(o.rounds + 1), epsilon_of(o), o.delta);
}

std::string what_the_server_sees(Options const& o) {
  if (o.secure.sealed())
    return fmt::format("the sum of {} reports, knows the lists of the target{}", grouped(o.clients),
                       o.others == Others::known ? " and the updates of all other clients" : "");
  if (o.view == View::message) return "one message";
  return fmt::format("the sum of {} messages, knows the lists of {}", grouped(o.sum_of),
                     o.known_lists == KnownLists::all ? "all their clients" : "the target");
}

std::string reports(Recorder& recorder, Options const& o, Findings const& f) {
  bool const utf8 = Terminal::of(stdout).utf8;
  std::string text = fmt::format(
      "\nserver sees    {}, {} local step{} each; lists of 10 documents of vali queries\nprotected      {}\n",
      what_the_server_sees(o), o.local_steps, o.local_steps == 1 ? "" : "s", protection(o));
  if (f.bound) {
    text += fmt::format("bound          an advantage of {:.5f} for one sum, {:.5f} for {} sums together (mu {:.5f})\n",
                        f.bound->of(1), f.bound->of(o.rounds), grouped(o.rounds), f.bound->mu);
    recorder.result("advantage_bound",
                    {{"mu", f.bound->mu}, {"one_round", f.bound->of(1)}, {"all_rounds", f.bound->of(o.rounds)}});
  }
  auto const bound_of = [&](std::uint32_t rounds) {
    return f.bound ? std::optional(f.bound->of(rounds)) : std::nullopt;
  };
  auto const add = [&](char const* name, auto const& by_clicks, std::uint32_t rounds) {
    Json attacks = Json::object();
    Json all = Json::object();
    for (auto const& [clicks, results] : by_clicks) {
      Json of_clicks = Json::object();
      for (auto const& guess : all_guesses())
        if (auto const found = results.find(guess); found != results.end())
          of_clicks[guess] = json_of(found->second, bound_of(rounds));
      if (clicks == o.clicks) attacks = of_clicks;
      all[clicks_name(clicks)] = of_clicks;
      if (!o.secure.sealed())
        text += table_of(o, f, clicks, utf8);
      else
        text += table_of_sums(
            results, clicks_name(clicks) + " users, " + (rounds == 1 ? "one sum" : grouped(rounds) + " sums together"),
            bound_of(rounds), utf8);
    }
    std::string const name_by_clicks = name + std::string("_by_clicks");
    recorder.result(name, attacks);
    recorder.result(name_by_clicks, all);
    // How many guesses are right is known from the clicks.
    recorder.depends_on_clicks(name);
    recorder.depends_on_clicks(name_by_clicks);
  };
  add("attacks", f.by_clicks, 1);
  if (o.secure.sealed()) add("attacks_of_all_rounds", f.all_rounds, o.rounds);
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
  program.check([&] {
    if (o.mechanism == Mechanism::distributed_gaussian) o.secure.mechanism = SharedNoise::distributed_gaussian;
    check(program, o);
  });
  return program.run(argc, argv, [&] {
    Recorder recorder(program, o);
    Findings findings;
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      std::size_t const features = fold.train.feature_count();
      auto const start = [&](auto const& ranker) {
        with_mechanism(o, ranker.parameters().size(), [&](auto const& privatizer) {
          experiment(recorder, run, o, fold, ranker, privatizer, findings);
        });
      };
      if (o.ranker == RankerKind::neural)
        start(NeuralRanker(features));
      else
        start(LinearRanker(features, o.start == StartKind::random ? Initialization::random : Initialization::zero));
    });
    recorder.finish(reports(recorder, o, findings));
  });
}
