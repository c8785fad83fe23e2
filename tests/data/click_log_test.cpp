#include <fltr/data/click_log.hpp>

#include "support/catch.hpp"
#include "support/toy.hpp"

namespace {

using fltr::ClickLog;
using fltr::Shown;

}  // namespace

TEST_CASE("a log is a row of lists") {
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

TEST_CASE("a log refuses what cannot have been shown") {
  ClickLog log;
  CHECK_THROWS_WITH(log.add({0, 1, true}), "ClickLog::add: required a list that was begun, got 0");
  log.begin(0);
  CHECK_THROWS_AS(log.add({0, 0, true}), std::invalid_argument);
  CHECK_THROWS_AS(log.add({0, 10'001, true}), std::invalid_argument);
  CHECK_THROWS_WITH(log.add({0, 1, true, 0.0F}), "ClickLog::add: required a propensity in (0, 1], or none, got 0");
  CHECK_THROWS_AS(log.add({0, 1, true, -0.5F}), std::invalid_argument);
  CHECK_THROWS_AS(log.add({0, 1, true, 1.5F}), std::invalid_argument);
  CHECK(log.shown().empty());
}

TEST_CASE("a log whose lists do not match the data is refused") {
  auto const data = fltr::testing::toy_dataset(3, 4);
  auto const check = [&](std::uint32_t query, std::initializer_list<std::uint32_t> documents) {
    ClickLog log;
    log.begin(query);
    std::uint32_t position = 0;
    for (auto const d : documents) log.add({d, ++position, false});
    log.check(data);
  };
  CHECK_NOTHROW(check(2, {3, 0, 1}));
  CHECK_THROWS_WITH(check(3, {}), "ClickLog: required queries of the dataset, got 3");
  CHECK_THROWS_WITH(check(0, {0, 4}), "ClickLog: required documents of the query that was asked, got 4");
  CHECK_THROWS_WITH(check(0, {1, 1}), "ClickLog: required a document once in a list, got 1");
  ClickLog crowded;
  crowded.begin(0);
  for (std::uint32_t const document : {0U, 1U}) crowded.add({document, 2, false});
  CHECK_THROWS_WITH(crowded.check(data), "ClickLog: required one document at a position, got 2");
}
