#include <fltr/execution/detail/block_time.hpp>

#include <chrono>

#include "support/catch.hpp"

using fltr::detail::BlockTime;
using Duration = BlockTime::Duration;

TEST_CASE("BlockTime: work that was never measured has the largest expected time") {
  BlockTime const time;
  CHECK(time.expected(1) == Duration::max());
  CHECK(time.expected(1000) == Duration::max());
}

TEST_CASE("BlockTime: a single slow call does not count, two slow calls do") {
  BlockTime time;
  time.add(Duration(100));
  time.add(Duration(100));
  CHECK(time.expected(10) == Duration(1000));
  time.add(Duration(5000));
  CHECK(time.expected(1) == Duration(100));
  time.add(Duration(4000));
  CHECK(time.expected(1) == Duration(4000));
}

TEST_CASE("BlockTime: older calls count less") {
  BlockTime time;
  time.add(Duration(1600));
  time.add(Duration(1600));
  time.add(Duration(10));
  CHECK(time.expected(1) == Duration(1500));
}
