#include "poisoning_setting.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "text.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

namespace {

/// The values of a list on the command line, in its order and without duplicates.
template <class T, class Read>
std::vector<T> values_of(std::string const& option, std::vector<std::string> const& words, std::string const& required,
                         Read const& read) {
  std::vector<T> values;
  for (std::string const& word : words) {
    auto const value = read(word);
    if (!value) throw UsageError(fmt::format("{}: required {}, got \"{}\"", option, required, word));
    if (std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  return values;
}

template <class Kind>
std::string listed(KindNames<Kind> const& names, std::size_t from = 0) {
  std::string text;
  for (std::size_t i = from; i < names.size(); ++i)
    text += (i == from ? "" : i + 1 == names.size() ? " or " : ", ") + names[i].first;
  return text;
}

/// "3" or "1..4", whole numbers of at least 1.
std::vector<std::uint32_t> counts_of(std::vector<std::string> const& words) {
  std::set<std::uint32_t> counts;
  for (std::string const& word : words) {
    auto const dots = word.find("..");
    auto const first = parse_whole(word.substr(0, dots));
    auto const last = dots == std::string::npos ? first : parse_whole(word.substr(dots + 2));
    if (!first || !last || *first < 1 || *last < *first || *last > 10'000)
      throw UsageError(fmt::format(
          "--malicious-counts: required whole numbers from 1, or ranges such as 1..4, between commas, got \"{}\"",
          word));
    for (std::uint64_t count = *first; count <= *last; ++count) counts.insert(static_cast<std::uint32_t>(count));
  }
  return {counts.begin(), counts.end()};
}

/// Bucketing gives the mean of several clients to the aggregator, and a detector needs single clients.
void require_mixable(std::string const& option, Defence const& defence) {
  if (defence.mix == MixKind::bucketing && detects(defence.aggregator))
    throw UsageError(fmt::format("{}: bucketing cannot be used with {}, which judges single clients", option,
                                 name_of(defence.aggregator)));
}

}  // namespace

void declare_poisoning(Program& program, PoisoningOptions& o) {
  o.clients = 10;
  o.interactions = 5;
  o.rounds = 10'000;
  program.common(o);
  program.choice("--attack", o.attack, attack_names(),
                 "what malicious clients do; fang and dyn-opt simulate the aggregator and --mix (bucketing left out): "
                 "fedavg and fl-detector as the mean, on-alarm as multi-krum; fang is its attack on Krum against krum, "
                 "multi-krum, bulyan, mda and on-alarm, and its attack on the trimmed mean against the others");
  program.choice("--aggregator", o.aggregator, aggregator_names(),
                 "the server's rule; fl-detector averages the messages of clients that it has not flagged; on-alarm is "
                 "fl-detector until a client is flagged, then multi-krum");
  program.choice(
      "--mix", o.mix, mix_names(),
      "what happens to messages before the rule: nnm averages each with its nearest ones, bucketing averages "
      "random pairs, norm-bound shortens long updates");
  program.whole("--malicious", o.malicious, "number of malicious clients: those with the smallest ids");
  program.whole("--assumed-malicious", o.assumed,
                "the number of malicious clients that the server's rule assumes; without this option, the true number");
  program.choice("--knowledge", o.knowledge, knowledge_names(),
                 "whether attackers see the messages of all clients, or only their own and the global model");
  program.number("--clipping-radius", o.clipping_radius,
                 "centered-clipping: radius; about the length of an honest update", above(0));
  program.number("--norm-bound", o.norm_bound, "norm-bound: the largest length of an update", above(0));
  program.whole("--target-feature", o.target_feature,
                "promote: users click the documents with the highest values of this feature (from 1); without this "
                "option, the feature whose highest documents have the lowest mean grade",
                1);
  program.number("--target-share", o.target_share, "promote: share of the training documents that are promoted",
                 Range{.least = 0, .most = 1, .least_included = false});
  program.flag("--grid", o.grid,
               "trains all combinations of the four lists below, seeds and folds, as many at a time as there are "
               "threads; a killed grid goes on if it is started again with the same --out");
  program.list("--attacks", o.attacks, "attacks of the grid (default all)");
  program.list("--aggregators", o.aggregators,
               "rules of the grid, also with a mix, as in nnm+krum (default all, without a mix)");
  program.list("--malicious-counts", o.malicious_counts,
               "numbers of malicious clients of the grid, as in 1,3 or 1..4 (default 1..4)");
  program.list("--behaviours", o.behaviours, "click behaviours of the grid (default all)");
}

void check_poisoning(Program& program, PoisoningOptions& o) {
  auto const only_for = [&](bool used, std::initializer_list<char const*> options, std::string const& reason) {
    if (!used)
      for (char const* option : options) program.ignore(option, reason);
  };
  if (o.ranker == RankerKind::neural)
    program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");
  only_for(o.grid, {"--attacks", "--aggregators", "--malicious-counts", "--behaviours"}, "belongs to --grid");
  if (o.grid) {
    only_for(false, {"--attack"}, "cannot be used with --grid: use --attacks");
    only_for(false, {"--aggregator", "--mix"}, "cannot be used with --grid: use --aggregators, as in nnm+krum");
    only_for(false, {"--malicious"}, "cannot be used with --grid: use --malicious-counts");
    only_for(false, {"--clicks"}, "cannot be used with --grid: use --behaviours");
    only_for(false, {"--checkpoint"}, "cannot be used with --grid: a grid goes on if it is started again");
    only_for(false, {"--eval-every"}, "cannot be used with --grid: only the last model is evaluated");
    GridAxes const axes = axes_of(o);  // throws if a list is wrong
    auto const has = [&](auto const& condition) { return std::ranges::any_of(axes.defences, condition); };
    auto const attacked_by = [&](auto const& condition) { return std::ranges::any_of(axes.attacks, condition); };
    only_for(has([](Defence const& d) { return d.aggregator == AggregatorKind::centered_clipping; }),
             {"--clipping-radius"}, "belongs to centered-clipping, which --aggregators does not list");
    only_for(has([](Defence const& d) { return d.mix == MixKind::norm_bound; }), {"--norm-bound"},
             "belongs to norm-bound, which --aggregators does not list");
    only_for(has([](Defence const& d) { return uses_assumed(d); }), {"--assumed-malicious"},
             "is used by none of --aggregators");
    only_for(attacked_by([](AttackKind kind) { return kind == AttackKind::promote; }),
             {"--target-feature", "--target-share"}, "belongs to promote, which --attacks does not list");
    only_for(attacked_by(has_knowledge), {"--knowledge"}, "is used by none of --attacks");
    return;
  }
  bool const attacked = o.attack != AttackKind::none;
  only_for(attacked, {"--malicious"}, "belongs to an attack, and --attack is none");
  if (!attacked) o.malicious = 0;
  only_for(has_knowledge(o.attack), {"--knowledge"}, fmt::format("does not exist for --attack {}", name_of(o.attack)));
  only_for(o.aggregator == AggregatorKind::centered_clipping, {"--clipping-radius"},
           "belongs to --aggregator centered-clipping");
  only_for(o.mix == MixKind::norm_bound, {"--norm-bound"}, "belongs to --mix norm-bound");
  only_for(uses_assumed(o.defence()), {"--assumed-malicious"},
           fmt::format("is not used by --aggregator {}", name_of(o.aggregator)));
  only_for(o.attack == AttackKind::promote, {"--target-feature", "--target-share"}, "belongs to --attack promote");
  if (o.malicious >= o.clients)
    throw UsageError(
        fmt::format("--malicious: required fewer than {}, the number of clients, got {}", o.clients, o.malicious));
  require_mixable("--mix", o.defence());
  if (auto const least = minimum_clients(o.defence(), o.assumed_malicious()); least > o.clients)
    throw UsageError(fmt::format("--aggregator {}: required at least {} clients to assume {} malicious ones, got {}",
                                 name_of(o.defence()), least, o.assumed_malicious(), o.clients));
}

std::uint64_t minimum_clients(Defence const& defence, std::uint32_t assumed) {
  return AnyAggregator{.rule = {.kind = defence.aggregator, .malicious = assumed}, .mix = defence.mix}
      .minimum_messages();
}

GridAxes axes_of(PoisoningOptions const& o) {
  GridAxes axes;
  axes.clicks = values_of<Clicks>("--behaviours", o.behaviours, listed(click_names()),
                                  [](std::string const& word) { return kind_of(click_names(), word); });
  if (axes.clicks.empty())
    for (auto const& [name, clicks] : click_names()) axes.clicks.push_back(clicks);
  axes.attacks = values_of<AttackKind>("--attacks", o.attacks, listed(attack_names(), 1), [](std::string const& word) {
    auto const kind = kind_of(attack_names(), word);
    return kind == AttackKind::none ? std::nullopt : kind;
  });
  if (axes.attacks.empty())
    for (auto const& [name, attack] : attack_names())
      if (attack != AttackKind::none) axes.attacks.push_back(attack);
  axes.defences =
      values_of<Defence>("--aggregators", o.aggregators,
                         listed(aggregator_names()) + ", or one of them behind nnm+, bucketing+ or norm-bound+",
                         [](std::string const& word) { return defence_named(word); });
  if (axes.defences.empty())
    for (auto const& [name, aggregator] : aggregator_names()) axes.defences.push_back({aggregator});
  for (Defence const& defence : axes.defences) require_mixable("--aggregators", defence);
  axes.malicious = counts_of(o.malicious_counts);
  if (axes.malicious.empty())
    for (std::uint32_t count = 1; count <= 4; ++count)
      if (count < o.clients) axes.malicious.push_back(count);
  if (axes.malicious.empty() || axes.malicious.back() >= o.clients)
    throw UsageError(fmt::format("--malicious-counts: required fewer than {}, the number of clients, got {}", o.clients,
                                 axes.malicious.empty() ? 1 : axes.malicious.back()));
  axes.assumed = o.assumed;
  axes.seeds.clear();
  for (std::uint32_t repeat = 0; repeat < o.repeats; ++repeat) axes.seeds.push_back(o.seed + repeat);
  axes.can_run = [clients = o.clients](Defence const& defence, std::uint32_t assumed) {
    return minimum_clients(defence, assumed) <= clients;
  };
  return axes;
}

AnyAggregator aggregator_of(PoisoningOptions const& o, Defence const& defence, std::uint32_t assumed,
                            std::uint64_t seed) {
  return {.rule = {.kind = defence.aggregator, .malicious = assumed, .radius = o.clipping_radius},
          .mix = defence.mix,
          .bound = o.norm_bound,
          .seed = seed};
}

AnyAttack attack_of(PoisoningOptions const& o, AttackKind kind, std::uint32_t malicious, AnyAggregator const& defence,
                    std::size_t grades, FeaturePattern const& targets) {
  return {.malicious = MaliciousClients::first(malicious),
          .kind = kind,
          .knowledge = o.knowledge,
          .users = {CascadeModel::poison(grades), kind == AttackKind::promote ? targets : FeaturePattern{}},
          .defence = defence};
}

AnyClicks users_of(Clicks clicks, std::size_t grades) {
  switch (clicks) {
    case Clicks::navigational:
      return {CascadeModel::navigational(grades)};
    case Clicks::informational:
      return {CascadeModel::informational(grades)};
    case Clicks::perfect:
      break;
  }
  return {CascadeModel::perfect(grades)};
}

FeaturePattern targets_of(PoisoningOptions const& o, Dataset const& train) {
  if (o.target_feature) {
    if (*o.target_feature > train.feature_count())
      throw UsageError(fmt::format("--target-feature: required at most {}, the number of features, got {}",
                                   train.feature_count(), *o.target_feature));
    return FeaturePattern::highest(train, *o.target_feature - 1, o.target_share);
  }
  FeaturePattern chosen = FeaturePattern::highest(train, 0, o.target_share);
  double lowest = std::numeric_limits<double>::infinity();
  double const most = 2 * o.target_share * static_cast<double>(train.document_count());
  for (std::uint32_t feature = 0; feature < train.feature_count(); ++feature) {
    auto const pattern = FeaturePattern::highest(train, feature, o.target_share);
    double documents = 0;
    double grades = 0;
    for (std::size_t q = 0; q < train.size(); ++q)
      for (std::size_t d = 0; d < train[q].document_count(); ++d)
        if (pattern.matches(train[q].row(d))) {
          ++documents;
          grades += static_cast<double>(train[q].grades()[d]);
        }
    if (documents > most || grades / documents >= lowest) continue;
    lowest = grades / documents;
    chosen = pattern;
  }
  return chosen;
}

}  // namespace fltr::examples
