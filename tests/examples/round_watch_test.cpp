#include "support/round_watch.hpp"

#include <csignal>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/interruption.hpp"

using namespace fltr::examples;

namespace {

/// A watch with a clock that the test sets, and the predictions that it made.
struct Watched {
  double now = 100.0;
  std::vector<double> said{};
  RoundWatch watch{[this] { return now; }, [this](double minutes) { said.push_back(minutes); }};

  /// A reduction whose blocks take `seconds` each.
  void reduce(std::size_t blocks, double seconds) {
    watch.begin();
    for (std::size_t block = 0; block < blocks; ++block) {
      CHECK_FALSE(watch.stops(blocks));
      now += seconds;
    }
  }
  /// Rounds of one reduction each.
  void run(std::uint32_t rounds, std::uint32_t until, std::size_t blocks, double seconds) {
    RoundWatch::Rounds watched(watch, rounds);
    for (std::uint32_t round = 0; round < until; ++round) {
      reduce(blocks, seconds);
      watched.pause([] {});
    }
  }
};

}  // namespace

TEST_CASE("The minutes of a run are predicted from the rounds that are done, after two seconds") {
  CHECK(RoundWatch::long_run_minutes(1.9, 1, 1e6) == 0);
  CHECK(RoundWatch::long_run_minutes(3, 0, 1e6) == 0);
  CHECK(RoundWatch::long_run_minutes(6, 10, 1000) == 0);  // exactly ten minutes
  CHECK(RoundWatch::long_run_minutes(6, 10, 2000) == Approx(20));
  CHECK(RoundWatch::long_run_minutes(3, 0.25, 100) == Approx(20));
}

TEST_CASE("A run of many short rounds says once that it is long") {
  Watched w;  // 1,000 clients: 4 blocks of 0.25 ms, so a round takes 1 ms, and a million of them 16.7 minutes
  w.run(1'000'000, 1900, 4, 0.00025);
  CHECK(w.said.empty());
  w.run(1'000'000, 20'000, 4, 0.00025);
  REQUIRE(w.said.size() == 1);
  CHECK(w.said[0] == Approx(16.67).epsilon(0.01));
}

TEST_CASE("A run of few slow clients says that it is long") {
  Watched w;  // one block of 3 s in each of 300 rounds: 15 minutes, known when the second round begins
  w.run(300, 2, 1, 3.0);
  REQUIRE(w.said.size() == 1);
  CHECK(w.said[0] == Approx(15));
}

TEST_CASE("A long round says so before it ends") {
  Watched w;
  RoundWatch::Rounds const watched(w.watch, 1);
  w.reduce(10, 0.1);  // a short reduction before the long one of 10^6 blocks of 1 ms
  w.watch.begin();
  for (int block = 0; block < 2000; ++block) {
    static_cast<void>(w.watch.stops(1'000'000));
    w.now += 0.001;
  }
  REQUIRE(w.said.size() == 1);
  CHECK(w.said[0] == Approx(16.68).epsilon(0.01));
}

TEST_CASE("Time between two rounds is not that of rounds") {
  Watched w;
  RoundWatch::Rounds watched(w.watch, 1000);
  for (int round = 0; round < 100; ++round) {
    w.reduce(1, 0.1);
    watched.pause([&] { w.now += 10.0; });
  }
  CHECK(w.said.empty());  // 100 s of rounds, 10,000 s of evaluation
}

TEST_CASE("A run that becomes slow later says so then") {
  Watched w;
  RoundWatch::Rounds watched(w.watch, 1000);
  auto const rounds = [&](int count, double seconds) {
    for (int round = 0; round < count; ++round) {
      w.reduce(1, seconds);
      watched.pause([] {});
    }
  };
  rounds(100, 0.1);
  CHECK(w.said.empty());
  rounds(100, 5.0);
  CHECK(w.said.size() == 1);
}

TEST_CASE("A signal ends rounds, and nothing outside of them") {
  RoundWatch watch([] { return 0.0; }, [](double) {});
  pretend_signal(SIGINT);
  CHECK_FALSE(watch.stops(4));
  {
    RoundWatch::Rounds watched(watch, 3);
    CHECK(watch.stops(4));
    CHECK(watch.stops(0));
    watched.pause([&] { CHECK_FALSE(watch.stops(4)); });
    CHECK(watch.stops(4));
    pretend_signal(0);
    CHECK_FALSE(watch.stops(4));
    pretend_signal(SIGINT);
  }
  CHECK_FALSE(watch.stops(4));
  pretend_signal(0);
}
