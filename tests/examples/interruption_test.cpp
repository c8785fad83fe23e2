#include "support/interruption.hpp"

#include <csignal>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <fltr/execution/threads.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/recorder.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

/// Simulates a signal while it exists.
struct SimulatedSignal {
  explicit SimulatedSignal(int signal) { pretend_signal(signal); }
  SimulatedSignal(SimulatedSignal const&) = delete;
  SimulatedSignal& operator=(SimulatedSignal const&) = delete;
  ~SimulatedSignal() { pretend_signal(0); }
};

struct Sample {
  explicit Sample(std::filesystem::path out) : program("sample", "A sample.") {
    options.out = std::move(out);
    program.common(options);
  }
  CommonOptions options{.rounds = 3, .repeats = 4, .quiet = true};
  Program program;
};

nlohmann::json json_in(std::filesystem::path const& folder) {
  std::ifstream stream(folder / "run.json");
  return nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(stream), {}));
}

void add_rounds(Run& run, std::uint64_t rounds, double ndcg) {
  for (std::uint64_t round = 0; round <= rounds; ++round) run.add({.round = round, .offline = Offline{ndcg, 0.5, 0.5}});
}

}  // namespace

TEST_CASE("Without a signal no work stops") {
  CHECK_FALSE(stop_requested());
  CHECK_FALSE(stop_here());
  CHECK_FALSE(was_interrupted());
}

TEST_CASE("A signal that stops no work does not mark the run as interrupted") {
  fltr::testing::TemporaryFolder folder;
  Sample s(folder.path());
  Recorder recorder(s.program, s.options);
  add_rounds(recorder.start_run(1, 1), 3, 0.5);
  SimulatedSignal const signal(SIGTERM);
  CHECK(stop_requested());
  recorder.close();
  CHECK(json_in(folder.path())["interrupted"] == false);
  CHECK_FALSE(json_in(folder.path()).contains("interruption"));
}

TEST_CASE("A run that a signal ended is reported up to its last round") {
  fltr::testing::TemporaryFolder folder;
  Sample s(folder.path());
  Recorder recorder(s.program, s.options);
  recorder.expect_runs(4);
  add_rounds(recorder.start_run(1, 1), 3, 0.5);
  Run& second = recorder.start_run(1, 2);
  add_rounds(second, 1, 0.25);
  {
    SimulatedSignal const signal(SIGINT);
    CHECK(second.stops());
    recorder.close();
    auto const json = json_in(folder.path());
    CHECK(json["interrupted"] == true);
    CHECK(json["interruption"] ==
          nlohmann::json{{"signal", "SIGINT"}, {"runs", 2}, {"runs_planned", 4}, {"last_run_ends_at_round", 1}});
    CHECK(json["result"]["offline_ndcg10"] == 0.375);
    CHECK_THAT(recorder.report(false, 80),
               ContainsSubstring("interrupted   by SIGINT after round 1 of 3 of run 2 of 4 (fold 1, seed 2)"));
    // The curve shows only the run that was not interrupted.
    CHECK(recorder.chart().series.front().x.size() == 4);
  }
  CHECK_FALSE(was_interrupted());
}

TEST_CASE("A run that a signal ended before its first round is left out") {
  fltr::testing::TemporaryFolder folder;
  Sample s(folder.path());
  Recorder recorder(s.program, s.options);
  add_rounds(recorder.start_run(1, 1), 3, 0.5);
  recorder.start_run(1, 2).add({.round = 0, .offline = Offline{0.1, 0.1, 0.1}});
  SimulatedSignal const signal(SIGINT);
  CHECK(stop_here());
  recorder.drop_run();
  CHECK(recorder.run_count() == 1);
  recorder.close();
  CHECK(json_in(folder.path())["result"]["offline_ndcg10"] == 0.5);
  std::ifstream rounds(folder.path() / "rounds.csv");
  CHECK(std::count(std::istreambuf_iterator<char>(rounds), {}, '\n') == 1 + 4);
}

TEST_CASE("StoppableThreads throw Interrupted after a signal") {
  StoppableThreads const threads(fltr::Threads{2});
  std::atomic<int> done{0};
  auto const work = [&] { fltr::for_each_block(threads, 100, [&](std::size_t) { ++done; }); };
  work();
  CHECK(done == 100);
  SimulatedSignal const signal(SIGINT);
  CHECK_THROWS_AS(work(), Interrupted);
  CHECK(done == 100);
  CHECK(was_interrupted());
}
