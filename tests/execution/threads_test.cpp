#include <fltr/execution/threads.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>

#include "support/catch.hpp"
#include "support/merge_order.hpp"

namespace {

using fltr::Serial;
using fltr::Threads;
using fltr::testing::MergeOrder;

/// A sum of doubles, whose rounding depends on the order.
struct Sum {
  double value = 0.0;
  void merge(Sum const& other) { value += other.value; }
};

}  // namespace

TEST_CASE("Threads join in the same tree as Serial, for any number of blocks and threads") {
  auto const leaf = [](std::size_t i) { return MergeOrder::leaf(i); };
  for (int const count : {1, 2, 3, 8}) {
    for (std::size_t blocks = 1; blocks <= 40; ++blocks)
      REQUIRE(Threads{count}.reduce(blocks, leaf).text == Serial{}.reduce(blocks, leaf).text);
    REQUIRE(Threads{count}.reduce(1000, leaf).text == Serial{}.reduce(1000, leaf).text);
  }
  CHECK(Threads{}.reduce(100, leaf).text == Serial{}.reduce(100, leaf).text);
}

TEST_CASE("Threads give the bits of Serial if leaves take random times") {
  auto const leaf = [](std::size_t i) {
    fltr::Stream stream(i);
    if (stream.below(4) == 0) std::this_thread::sleep_for(std::chrono::microseconds(stream.below(300)));
    double const value = stream.normal();
    return Sum{value * std::exp(6.0 * stream.uniform() - 3.0)};
  };
  double const expected = Serial{}.reduce(333, leaf).value;
  double in_order = 0.0;
  for (std::size_t i = 0; i < 333; ++i) in_order += leaf(i).value;
  REQUIRE(in_order != expected);  // the order of the sum changes the result
  for (int const count : {1, 2, 3, 8})
    CHECK(std::bit_cast<std::uint64_t>(Threads{count}.reduce(333, leaf).value) ==
          std::bit_cast<std::uint64_t>(expected));
}

TEST_CASE("Threads run every leaf exactly once") {
  std::array<std::atomic<int>, 200> runs{};
  (void)Threads{4}.reduce(runs.size(), [&](std::size_t i) {
    ++runs[i];
    return Sum{};
  });
  CHECK(std::ranges::all_of(runs, [](std::atomic<int> const& n) { return n.load() == 1; }));
}

TEST_CASE("Threads pass on the exception of a leaf and can be used afterwards") {
  for (int const count : {1, 2, 8}) {
    Threads const execution{count};
    CHECK_THROWS_WITH(execution.reduce(50,
                                       [](std::size_t i) {
                                         if (i == 37) throw std::runtime_error("leaf 37");
                                         return Sum{1.0};
                                       }),
                      "leaf 37");
    CHECK(execution.reduce(50, [](std::size_t) { return Sum{1.0}; }).value == 50.0);
  }
}

TEST_CASE("An Execution can be used within a leaf of another one") {
  auto const inner = [](std::size_t) {
    return Threads{2}.reduce(8, [](std::size_t i) { return MergeOrder::leaf(i); });
  };
  auto const expected = Serial{}.reduce(
      5, [](std::size_t) { return Serial{}.reduce(8, [](std::size_t i) { return MergeOrder::leaf(i); }); });
  CHECK(Threads{3}.reduce(5, inner).text == expected.text);
}

TEST_CASE("A negative number of threads is an error") {
  CHECK_THROWS_WITH(Threads{-1}.reduce(1, [](std::size_t) { return Sum{}; }), "Threads: required a count >= 0, got -1");
}

namespace {

/// More threads than this machine has cores: no other team has this number.
int many() { return oneapi::tbb::info::default_concurrency() + 3; }
/// Whether the caller runs in a team of this number of threads.
bool among_many() { return oneapi::tbb::this_task_arena::max_concurrency() == many(); }

}  // namespace

TEST_CASE("A single block and work of a microsecond run on the calling thread") {
  Threads const threads{many()};
  bool woken = true;
  (void)threads.reduce(1, [&](std::size_t) {
    woken = among_many();
    return Sum{};
  });
  CHECK_FALSE(woken);

  int alone = 0;
  for (int call = 0; call < 200; ++call) {
    std::array<bool, 5> among{};
    (void)threads.reduce(among.size(), [&](std::size_t i) {
      among[i] = among_many();
      return Sum{};
    });
    alone += std::ranges::none_of(among, [](bool is) { return is; }) ? 1 : 0;
  }
  // The first call measures how long a block takes. A preempted block may be slow.
  CHECK(alone > 0);
}

TEST_CASE("Work that takes longer than expected is continued on all threads") {
  Threads const threads{many()};
  std::atomic<int> handed = 0;
  bool slow = false;
  auto const leaf = [&](std::size_t) {
    if (slow) std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (among_many()) ++handed;
    return Sum{1.0};
  };
  for (int call = 0; call < 100; ++call) (void)threads.reduce(4, leaf);
  slow = true;
  handed = 0;
  CHECK(threads.reduce(16, leaf).value == 16.0);
  CHECK(handed >= 14);  // at most two blocks ran before the deadline was noticed
  for (int call = 0; call < 2; ++call) (void)threads.reduce(16, leaf);  // a single long call does not count
  handed = 0;
  (void)threads.reduce(16, leaf);
  CHECK(handed == 16);
}

TEST_CASE("A moved-from Threads object can be used") {
  Threads threads{2};
  Threads const other = std::move(threads);
  auto const leaf = [](std::size_t i) { return MergeOrder::leaf(i); };
  CHECK(threads.reduce(9, leaf).text == Serial{}.reduce(9, leaf).text);  // NOLINT(bugprone-use-after-move)
  CHECK(other.reduce(9, leaf).text == Serial{}.reduce(9, leaf).text);
}

TEST_CASE("An exception of one block reaches the caller, whatever the other blocks do") {
  // oneTBB cancels work that has not begun: the joins above it must not use results that do not exist.
  for (std::size_t round = 0; round < 300; ++round) {
    fltr::Threads const threads{1 + static_cast<int>(round % 4)};
    std::size_t const bad = (round * 37) % 200;
    auto const leaf = [&](std::size_t block) {
      double volatile work = 0.0;
      for (int i = 0; i < 3000; ++i) work = work + 1.0;
      if (block == bad) throw std::runtime_error("block " + std::to_string(block));
      return fltr::WeightSum{{static_cast<double>(block)}, 1.0, 1};
    };
    CHECK_THROWS_WITH(threads.reduce(200, leaf), "block " + std::to_string(bad));
  }
}
