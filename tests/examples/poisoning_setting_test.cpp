#include "support/poisoning_setting.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"
#include "support/usage_error.hpp"

using namespace fltr;
using namespace fltr::examples;

namespace {

PoisoningOptions options() {
  PoisoningOptions o;
  o.clients = 10;
  return o;
}

/// The options of a command line.
PoisoningOptions parsed(std::vector<std::string> const& arguments) {
  PoisoningOptions o;
  Program program("poisoning", "");
  declare_poisoning(program, o);
  program.check([&] { check_poisoning(program, o); });
  program.parse(arguments);
  return o;
}

}  // namespace

TEST_CASE("A grid has all values unless lists are given") {
  auto const all = axes_of(options());
  CHECK(all.clicks.size() == 3);
  CHECK(all.attacks.size() == 11);
  CHECK(all.defences.size() == 12);
  CHECK(all.malicious == std::vector<std::uint32_t>{1, 2, 3, 4});
  auto o = options();
  o.attacks = {"fang", "mimic", "fang"};
  o.aggregators = {"nnm+krum", "fedavg"};
  o.behaviours = {"informational"};
  o.malicious_counts = {"2..3", "1", "2"};
  o.seed = 5;
  o.repeats = 2;
  auto const axes = axes_of(o);
  CHECK(axes.attacks == std::vector{AttackKind::fang, AttackKind::mimic});
  CHECK(axes.defences == std::vector<Defence>{{AggregatorKind::krum, MixKind::nnm}, no_defence});
  CHECK(axes.clicks == std::vector{Clicks::informational});
  CHECK(axes.malicious == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(axes.seeds == std::vector<std::uint64_t>{5, 6});
  CHECK(axes.can_run({AggregatorKind::bulyan}, 2));
  CHECK_FALSE(axes.can_run({AggregatorKind::bulyan}, 3));
  CHECK(axes.can_run({AggregatorKind::krum}, 4));
  CHECK_FALSE(axes.can_run({AggregatorKind::krum, MixKind::bucketing}, 3));  // 5 buckets, and Krum needs 6
}

TEST_CASE("Wrong lists of a grid are usage errors") {
  auto const refused = [](auto PoisoningOptions::* list, std::vector<std::string> const& words,
                          std::string const& text) {
    auto o = options();
    o.*list = words;
    CHECK_THROWS_AS(axes_of(o), UsageError);
    CHECK_THROWS_WITH(axes_of(o), ContainsSubstring(text));
  };
  refused(&PoisoningOptions::attacks, {"fang", "none"}, "--attacks: required click-poisoning, little-is-enough, ");
  refused(&PoisoningOptions::attacks, {"x"}, "got \"x\"");
  refused(&PoisoningOptions::aggregators, {"mean"}, "--aggregators: required fedavg, krum, ");
  refused(&PoisoningOptions::aggregators, {"bucketing+on-alarm"},
          "bucketing cannot be used with on-alarm, which judges single clients");
  refused(&PoisoningOptions::behaviours, {"random"}, "--behaviours: required perfect, navigational or informational");
  for (char const* word : {"0", "4..1", "1..", "..3", "a", "-1"})
    refused(&PoisoningOptions::malicious_counts, {word}, "required whole numbers from 1, or ranges such as 1..4");
  refused(&PoisoningOptions::malicious_counts, {"3..10"}, "required fewer than 10, the number of clients, got 10");
}

TEST_CASE("Options that contradict each other are usage errors") {
  CHECK(parsed({}).attack == AttackKind::click_poisoning);
  CHECK(parsed({"--malicious", "9"}).assumed_malicious() == 9);
  CHECK(parsed({"--aggregator", "krum", "--assumed-malicious", "1"}).assumed_malicious() == 1);
  CHECK(parsed({"--attack", "none"}).malicious == 0);
  for (auto const& [arguments, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--malicious", "10"}, "--malicious: required fewer than 10, the number of clients, got 10"},
           {{"--attack", "none", "--malicious", "2"}, "--malicious belongs to an attack"},
           {{"--knowledge", "partial"}, "--knowledge does not exist for --attack click-poisoning"},
           {{"--assumed-malicious", "1"}, "--assumed-malicious is not used by --aggregator fedavg"},
           {{"--clipping-radius", "1"}, "belongs to --aggregator centered-clipping"},
           {{"--norm-bound", "1"}, "belongs to --mix norm-bound"},
           {{"--target-feature", "1"}, "belongs to --attack promote"},
           {{"--aggregator", "bulyan", "--malicious", "3"},
            "--aggregator bulyan: required at least 13 clients to assume 3 malicious ones, got 10"},
           {{"--aggregator", "on-alarm", "--mix", "bucketing"}, "--mix: bucketing cannot be used with on-alarm"},
           {{"--attacks", "fang"}, "--attacks belongs to --grid"},
           {{"--grid", "--attack", "fang"}, "use --attacks"},
           {{"--grid", "--mix", "nnm"}, "use --aggregators, as in nnm+krum"},
           {{"--grid", "--clicks", "perfect"}, "use --behaviours"},
           {{"--grid", "--eval-every", "5"}, "only the last model is evaluated"},
           {{"--grid", "--norm-bound", "5"}, "which --aggregators does not list"},
           {{"--grid", "--attacks", "inversion", "--knowledge", "full"}, "--knowledge is used by none of --attacks"},
           {{"--ranker", "neural", "--start", "zero"}, "--start belongs to --ranker linear"}}) {
    INFO(text);
    CHECK_THROWS_AS(parsed(arguments), UsageError);
    CHECK_THROWS_WITH(parsed(arguments), ContainsSubstring(text));
  }
}

TEST_CASE("Promoted documents are those with the highest values of the feature with the lowest grades") {
  // The grade grows with the features 1 and 3 and falls with the features 0, 2 and 4.
  Dataset const data = fltr::testing::toy_dataset(60, 10, 5);
  auto o = options();
  auto const chosen = targets_of(o, data);
  REQUIRE(chosen.ranges.size() == 1);
  CHECK(chosen.ranges[0].feature % 2 == 0);
  o.target_feature = 2;
  o.target_share = 0.25;
  auto const given = targets_of(o, data);
  CHECK(given.ranges[0].feature == 1);
  std::size_t documents = 0;
  for (std::size_t q = 0; q < data.size(); ++q)
    for (std::size_t d = 0; d < data[q].document_count(); ++d) documents += given.matches(data[q].row(d)) ? 1U : 0U;
  CHECK(documents == 150);
  o.target_feature = 6;
  CHECK_THROWS_WITH(targets_of(o, data), ContainsSubstring("--target-feature: required at most 5"));
}
