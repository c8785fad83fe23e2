#include "support/nanobench.hpp"

#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>

#include "support/catch.hpp"

// These tests pass with nanobench and with the stand-in.

using ankerl::nanobench::Bench;
using Measure = ankerl::nanobench::Result::Measure;

TEST_CASE("A run calls its operation epochs × iterations times") {
  std::uint64_t calls = 0;
  Bench bench;
  bench.output(nullptr).epochs(3).epochIterations(5).run("counter", [&calls] { ++calls; });
  CHECK(calls == 3 * 5);
  REQUIRE(bench.results().size() == 1);
  auto const& result = bench.results().back();
  CHECK(result.size() == 3);
  CHECK(result.median(Measure::iterations) == 5.0);
  CHECK(result.sum(Measure::iterations) == 15.0);
  CHECK(result.config().mBenchmarkName == "counter");
}

TEST_CASE("An epoch has at least minEpochIterations iterations") {
  Bench bench;
  bench.output(nullptr).epochs(2).minEpochIterations(100).run("empty", [] {});
  CHECK(bench.results().back().minimum(Measure::iterations) >= 100.0);
}

TEST_CASE("Elapsed time is in seconds per iteration for every batch size") {
  Bench bench;
  auto const nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  bench.output(nullptr).epochs(3).epochIterations(4).batch(1000).run("nap", nap);
  auto const& result = bench.results().back();
  // A sleep never ends early, but it may end late on a busy machine. The upper bound only checks the unit: 2 ms would
  // be 2e6 in ns and 2000 in µs.
  CHECK(result.minimum(Measure::elapsed) >= 0.002);
  CHECK(result.median(Measure::elapsed) < 1000);
  CHECK(result.minimum(Measure::elapsed) <= result.median(Measure::elapsed));
  CHECK(result.median(Measure::elapsed) <= result.maximum(Measure::elapsed));
}

TEST_CASE("Results accumulate under one title, and each run is a row of the table") {
  std::ostringstream out;
  Bench bench;
  double x = 1.0;
  bench.output(&out).title("steps").unit("step").relative(true).epochs(2).epochIterations(10);
  bench.run("first", [&x] { ankerl::nanobench::doNotOptimizeAway(x *= 1.0001); });
  bench.run(std::string("second"), [&x] { ankerl::nanobench::doNotOptimizeAway(x *= 0.9999); });
  bench.doNotOptimizeAway(x);
  CHECK(bench.results().size() == 2);
  CHECK(bench.title("others").results().empty());
  for (auto const* text : {"steps", "ns/step", "step/s", "relative", "`first`", "`second`", "100.0%"})
    CHECK(out.str().find(text) != std::string::npos);
}
