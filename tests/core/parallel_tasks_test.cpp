#include <fltr/core/parallel_tasks.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("parallel_tasks runs every task once for any number of threads") {
  for (std::size_t const threads : {0U, 1U, 2U, 7U, 100U})
    for (std::size_t const count : {0U, 1U, 5U, 1000U}) {
      std::vector<std::atomic<int>> runs(count);
      fltr::parallel_tasks(count, threads, [&](std::size_t i) { ++runs[i]; });
      for (auto const& n : runs) REQUIRE(n == 1);
    }
}

TEST_CASE("parallel_tasks rethrows the exception of the lowest index and starts no further task") {
  std::atomic<int> begun = 0;
  auto const task = [&](std::size_t i) {
    ++begun;
    if (i == 3) std::this_thread::sleep_for(std::chrono::milliseconds(30));  // throws after the following tasks
    if (i >= 3) throw std::runtime_error(std::to_string(i));
  };
  CHECK_THROWS_WITH(fltr::parallel_tasks(100'000, 4, task), "3");
  CHECK(begun < 100'000);
  CHECK_THROWS_WITH(fltr::parallel_tasks(100'000, 1, task), "3");
}
