#include <fltr/partition/detail/log_simulation.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::detail::LogSimulation;
using fltr::testing::toy_dataset;

LinearRanker const& production() {
  static LinearRanker const ranker(std::vector<float>{-1.0F, 1.0F, 0.0F, 0.5F, 0.0F});
  return ranker;
}

}  // namespace

TEST_CASE("A pool with its own grades gives the log of a Dataset with these grades") {
  auto const data = toy_dataset(20, 12);
  std::vector<Grade> grades(data.document_count());
  Stream stream(31);
  for (Grade& grade : grades) grade = static_cast<Grade>(stream.below(3));
  DatasetParts parts = data.parts();
  parts.grades = grades;
  Dataset const relabelled(std::move(parts));
  LoggingOptions const options{.clients = 3, .attractive = {.1, .5, .9}};
  LogSimulation const simulation(data, production(), options);
  LogSimulation const expected(relabelled, production(), options);
  auto const pool = QueryPool(data).with_grades(grades);
  ClickLog log;
  ClickLog of_expected;
  ClickLog of_data;
  bool differs = false;
  for (ClientId c = 0; c < 3; ++c) {
    simulation.simulate(c, pool, Streams{1, 1, c}, log);
    expected.simulate(c, QueryPool(relabelled), Streams{1, 1, c}, of_expected);
    simulation.simulate(c, QueryPool(data), Streams{1, 1, c}, of_data);
    REQUIRE(log.size() == of_expected.size());
    CHECK(log.click_count() == of_expected.click_count());
    for (std::size_t i = 0; i < log.size(); ++i) {
      REQUIRE(log[i].query == of_expected[i].query);
      for (std::size_t r = 0; r < log[i].shown.size(); ++r) {
        CHECK(log[i].shown[r].document == of_expected[i].shown[r].document);
        CHECK(log[i].shown[r].clicked == of_expected[i].shown[r].clicked);
      }
    }
    differs = differs || log.size() != of_data.size() || log.click_count() != of_data.click_count();
  }
  CHECK(differs);
}

TEST_CASE("A log of chosen queries holds the queries' numbers in the Dataset") {
  auto const data = toy_dataset(20, 12);
  LogSimulation const simulation(data, production(), {.clients = 1});
  ClickLog log;
  simulation.simulate(0, QueryPool(data, {17, 4}), Streams{1, 1, 0}, log);
  REQUIRE(log.size() > 0);
  for (std::size_t i = 0; i < log.size(); ++i) CHECK((log[i].query == 17 || log[i].query == 4));
}

TEST_CASE("A simulated log requires a pool of the same Dataset and an attractiveness for every grade") {
  auto const data = toy_dataset(20, 12);
  auto const other = toy_dataset(20, 12);
  LogSimulation const simulation(data, production(), {.clients = 1, .attractive = {.1, .5, 1}});
  ClickLog log;
  CHECK_THROWS_WITH(simulation.simulate(0, QueryPool(other), Streams{1, 1, 0}, log),
                    "LoggedPopulation: required a pool of the population's dataset, got a pool of another dataset");
  auto const steep = QueryPool(data).with_grades(std::vector<Grade>(data.document_count(), 3));
  CHECK_THROWS_WITH(simulation.simulate(0, steep, Streams{1, 1, 0}, log),
                    "LoggedPopulation: required grades below 3, the number of probabilities in "
                    "LoggingOptions::attractive, got 3");
}
