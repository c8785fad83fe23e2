#include "support/poisoning_grid.hpp"

#include <atomic>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;
using fltr::testing::TemporaryFolder;

namespace {

constexpr Defence krum{AggregatorKind::krum};

/// A grid of FedAvg and Krum against fang and mimic: two trainings without an attack, and four with one.
struct Sample {
  explicit Sample(std::string const& folder) : program("poisoning", "A grid.") {
    declare_poisoning(program, options);
    program.check([this] { check_poisoning(program, options); });
    REQUIRE(program.parse({"--grid", "--data", "synthetic:mq2007:0.02", "--attacks", "fang,mimic", "--aggregators",
                           "fedavg,krum", "--malicious-counts", "2", "--behaviours", "perfect", "--quiet", "--threads",
                           "2", "--out", folder}));
  }
  PoisoningOptions options{};
  Program program;
};

Json json_in(std::filesystem::path const& file) {
  std::ifstream in(file);
  return Json::parse(in);
}

}  // namespace

TEST_CASE("A grid goes on after a failed training, reports it, and trains it again at the next start") {
  TemporaryFolder const folder;
  std::string const out = (folder.path() / "grid").string();
  std::atomic<int> trained = 0;
  bool fails = true;
  auto const train = [&](NamedFold const&, fltr::FeaturePattern const&,
                         GridKey const& key) -> std::optional<GridResult> {
    if (fails && key.defence == krum && key.attack == AttackKind::fang)
      throw std::runtime_error("the search is too long");
    ++trained;
    return GridResult{.ndcg10 = 0.5};
  };
  Sample first(out);
  CHECK_THROWS_WITH(run_grid(first.program, first.options, train),
                    "1 of 6 trainings failed; the first is krum with m = 2, fang, perfect clicks, fold 1 and seed 1: "
                    "the search is too long");
  CHECK(trained == 5);
  Json const failed = json_in(folder.path() / "grid" / "run.json")["result"];
  CHECK(failed["trainings"] == 5);
  REQUIRE(failed["failed"].size() == 1);
  CHECK(failed["failed"][0]["attack"] == "fang");
  CHECK(failed["best_in_worst_case"] == "fedavg");

  fails = false;
  Sample second(out);
  run_grid(second.program, second.options, train);
  CHECK(trained == 6);
  Json const whole = json_in(folder.path() / "grid" / "run.json")["result"];
  CHECK(whole["trainings"] == 6);
  CHECK(whole["trainings_read"] == 5);
  CHECK(whole["failed"].empty());
}

TEST_CASE("A grid in which every training fails says why, and writes nothing") {
  TemporaryFolder const folder;
  Sample sample((folder.path() / "grid").string());
  auto const fail = [](NamedFold const&, fltr::FeaturePattern const&, GridKey const&) -> std::optional<GridResult> {
    throw std::runtime_error("no memory");
  };
  CHECK_THROWS_WITH(run_grid(sample.program, sample.options, fail),
                    ContainsSubstring("6 of 6 trainings failed") && ContainsSubstring(": no memory"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "grid" / "run.json"));
}
