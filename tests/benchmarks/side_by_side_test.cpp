#include "support/side_by_side.hpp"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using namespace fltr::benchmarks;

namespace {

/// Returns the given processor times one after another. Wall-clock times are ten times as long.
std::function<Seconds()> scripted(std::vector<double> seconds) {
  return [seconds = std::move(seconds), i = std::size_t{0}]() mutable {
    double const next = seconds.at(i++);
    return Seconds{next, 10 * next};
  };
}

}  // namespace

TEST_CASE("A time is the median over the rounds, and a ratio is the median of the ratios within a round") {
  SideBySide bench(3);
  bench.add_measured("base", scripted({1, 2, 10}), "");
  bench.add_measured("twice, once five times", scripted({2, 10, 20}), "base");
  auto const rows = bench.run();
  REQUIRE(rows.size() == 1);  // a baseline alone is no row
  CHECK(rows[0] == Row{"twice, once five times", "base", 2.0, 10e9});
}

TEST_CASE("An even number of rounds gives the mean of the two middle values") {
  SideBySide bench(2);
  bench.add_measured("base", scripted({1, 1}), "");
  bench.add_measured("other", scripted({2, 4}), "base");
  CHECK(bench.run()[0] == Row{"other", "base", 3.0, 3e9});
}

TEST_CASE("A row in wall-clock time compares the wall-clock times of both operations") {
  SideBySide bench(1);
  bench.add_measured("base", [] { return Seconds{1.0, 8.0}; }, "");
  bench.add_measured("other", [] { return Seconds{3.0, 4.0}; }, "base", SideBySide::Clock::elapsed);
  CHECK(bench.run()[0] == Row{"other", "base", 0.5, 4e9});
}

TEST_CASE("The operations of a round take turns, after one call to warm up") {
  std::vector<char> called;
  SideBySide bench(2);
  bench.baseline({"a", 1, 2, [&] { called.push_back('a'); }});
  bench.add({"b", 1, 1, [&] { called.push_back('b'); }}, "a");
  (void)bench.run();
  CHECK(called == std::vector<char>{'a', 'b', 'a', 'a', 'b', 'a', 'a', 'b'});
}

TEST_CASE("A baseline that no operation has as its name is an error") {
  SideBySide bench(1);
  bench.add_measured("other", scripted({1}), "base");
  CHECK_THROWS_AS(bench.run(), std::logic_error);
}
