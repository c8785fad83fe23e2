#include <fltr/data/click_log.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using fltr::ClickLog;
using fltr::Impression;

}  // namespace

TEST_CASE("A ClickLog returns its lists in the order in which they were added") {
  ClickLog log;
  CHECK(log.size() == 0);
  log.begin(7);
  log.add({4, 1, true, 1.0F});
  log.add({2, 2, false, 0.5F});
  log.begin(7);
  log.begin(9);
  log.add({0, 3, true});
  REQUIRE(log.size() == 3);
  CHECK(log.click_count() == 2);
  CHECK(log[0].query == 7);
  REQUIRE(log[0].shown.size() == 2);
  CHECK(log[0].shown[1].document == 2);
  CHECK(log[0].shown[1].propensity == 0.5F);
  CHECK(log[1].shown.empty());
  CHECK(log[2].query == 9);
  CHECK_FALSE(log[2].shown[0].has_propensity());
  log.clear();
  CHECK(log.size() == 0);
  CHECK(log.click_count() == 0);
}

TEST_CASE("ClickLog::add throws for a position or a propensity outside its range") {
  ClickLog log;
  CHECK_THROWS_WITH(log.add({0, 1, true}), "ClickLog::add: required a call of begin before the first add, got no list");
  log.begin(0);
  CHECK_THROWS_AS(log.add({0, 0, true}), std::invalid_argument);
  CHECK_THROWS_AS(log.add({0, 10'001, true}), std::invalid_argument);
  CHECK_THROWS_WITH(log.add({0, 1, true, 0.0F}), "ClickLog::add: required a propensity in (0, 1], or none, got 0");
  CHECK_THROWS_AS(log.add({0, 1, true, -0.5F}), std::invalid_argument);
  CHECK_THROWS_AS(log.add({0, 1, true, 1.5F}), std::invalid_argument);
  CHECK(log.shown().empty());
}

TEST_CASE("ClickLog::check throws for lists that do not match the Dataset") {
  auto const data = fltr::testing::toy_dataset(3, 4);
  auto const check = [&](std::uint32_t query, std::initializer_list<std::uint32_t> documents) {
    ClickLog log;
    log.begin(query);
    std::uint32_t position = 0;
    for (auto const d : documents) log.add({d, ++position, false});
    log.check(data);
  };
  CHECK_NOTHROW(check(2, {3, 0, 1}));
  CHECK_THROWS_WITH(check(3, {}), "ClickLog: required query numbers below 3, got 3");
  CHECK_THROWS_WITH(check(0, {0, 4}), "ClickLog: required document rows below 4, got 4");
  CHECK_THROWS_WITH(check(0, {1, 1}), "ClickLog: required each document at most once in a list, got 1");
  ClickLog crowded;
  crowded.begin(0);
  for (std::uint32_t const document : {0U, 1U}) crowded.add({document, 2, false});
  CHECK_THROWS_WITH(crowded.check(data), "ClickLog: required each position at most once in a list, got 2");
}
