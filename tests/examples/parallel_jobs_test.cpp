#include "support/parallel_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/interruption.hpp"

using namespace fltr::examples;

TEST_CASE("Every job runs once, on as many threads as asked for") {
  for (std::size_t const threads : {0U, 1U, 3U, 50U}) {
    std::mutex mutex;
    std::vector<std::size_t> done;
    std::set<std::thread::id> ids;
    std::size_t watched = 0;
    run_jobs(
        20, threads,
        [&](std::size_t job) {
          std::scoped_lock const lock(mutex);
          done.push_back(job);
          ids.insert(std::this_thread::get_id());
        },
        [&] {
          ++watched;
          CHECK_FALSE(ids.contains(std::this_thread::get_id()));
        });
    CHECK(watched >= 1);
    CHECK(ids.size() <= std::max<std::size_t>(threads, 1));
    if (threads <= 1) CHECK(std::ranges::is_sorted(done));
    std::ranges::sort(done);
    REQUIRE(done.size() == 20);
    for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i] == i);
  }
  bool watched = false;
  run_jobs(0, 4, [](std::size_t) { FAIL("there is no job"); }, [&] { watched = true; });
  CHECK(watched);
}

TEST_CASE("Jobs run at the same time") {
  std::atomic<int> waiting{0};
  run_jobs(
      2, 2,
      [&](std::size_t) {
        ++waiting;
        while (waiting.load() < 2) std::this_thread::yield();  // ends only if both jobs have begun
      },
      [] {});
  CHECK(waiting.load() == 2);
}

TEST_CASE("After an exception no further job begins, and the caller gets the exception") {
  std::atomic<int> begun{0};
  CHECK_THROWS_WITH(run_jobs(
                        1000, 2,
                        [&](std::size_t job) {
                          ++begun;
                          if (job == 3) throw std::runtime_error("job 3 failed");
                        },
                        [] {}),
                    "job 3 failed");
  CHECK(begun.load() >= 4);
}

TEST_CASE("After a signal no further job begins") {
  int begun = 0;
  run_jobs(
      1000, 1,
      [&](std::size_t job) {
        ++begun;
        if (job == 4) pretend_signal(SIGINT);
      },
      [] {});
  pretend_signal(0);
  CHECK(begun == 5);
}
