#include <fltr/partition/logged.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/rankers/linear.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"
#include "support/toy.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

LinearRanker const& production() {
  static LinearRanker const ranker(std::vector<float>{-1.0F, 1.0F, 0.0F, 0.5F, 0.0F});
  return ranker;
}

ClickLog log_of(LoggedPopulation const& clients, std::size_t i, std::uint32_t round) {
  ClickLog buffer;
  return clients[i].log(Streams{1, round, static_cast<std::uint32_t>(i)}, buffer);
}

}  // namespace

TEST_CASE("which grades attract") {
  CHECK(attractive_grades(2) == std::vector<double>{.1, 1});
  CHECK(attractive_grades(3) == std::vector<double>{.1, 1, 1});
  CHECK(attractive_grades(5) == std::vector<double>{.1, .1, .1, 1, 1});
}

TEST_CASE("users see the production ranker's best, with the propensities of their own exponent") {
  auto const data = toy_dataset(20, 12);
  LoggedPopulation const clients(data, production(), {.clients = 50, .displayed = 4});
  std::vector<float> scores(12);
  std::vector<std::uint32_t> best;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    double const exponent = clients.logging().exponent_of(static_cast<ClientId>(i));
    auto const log = log_of(clients, i, 1);
    REQUIRE_NOTHROW(log.check(data));
    for (std::size_t list = 0; list < log.size(); ++list) {
      production().score(data[log[list].query], scores);
      top_k(scores, 4, best);
      REQUIRE(log[list].shown.size() == 4);
      for (std::size_t r = 0; r < 4; ++r) {
        Shown const& shown = log[list].shown[r];
        CHECK(shown.document == best[r]);
        CHECK(shown.position == r + 1);
        CHECK(static_cast<double>(shown.propensity) ==
              Approx(std::pow(static_cast<double>(r + 1), -exponent)).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("a round ends with enough clicks or lists, never within a list") {
  auto const data = toy_dataset(20, 12);
  LoggedPopulation const clients(data, production(), {.clients = 200, .clicks = 10, .queries = 5});
  bool beyond = false;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    auto const log = log_of(clients, i, 1);
    std::size_t const in_last = [&] {
      std::size_t n = 0;
      for (Shown const& s : log[log.size() - 1].shown) n += s.clicked ? 1 : 0;
      return n;
    }();
    CHECK(log.click_count() >= 10);
    CHECK(log.click_count() - in_last < 10);  // before the last list there were not enough
    beyond = beyond || log.click_count() > 10;
    for (std::size_t list = 5; list < log.size(); ++list) CHECK(log[list].query == log[list - 5].query);
  }
  CHECK(beyond);  // or this test could not tell a whole list from a cut one
  LoggedPopulation const unattractive(data, production(), {.clients = 3, .attractive = {0, 0, 0}});
  auto const log = log_of(unattractive, 0, 1);
  CHECK(log.size() == 200);
  CHECK(log.click_count() == 0);
}

TEST_CASE("clicks have the frequencies of the position-based model") {
  auto const data = toy_dataset(1, 12);
  LoggedPopulation const clients(data, production(),
                                 {.clients = 1, .clicks = 1'000'000, .most_lists = 100'000, .exponent_deviation = 0.0});
  auto const log = log_of(clients, 0, 1);
  REQUIRE(log.size() == 100'000);
  std::vector<double> clicks(5);
  for (Shown const& s : log.shown()) clicks[s.position - 1] += s.clicked ? 1.0 : 0.0;
  auto const shown = log[0].shown;
  for (std::size_t r = 0; r < 5; ++r) {
    double const attractive = data[0].labels()[shown[r].document] > 0 ? 1.0 : 0.1;
    double const p = attractive / static_cast<double>(r + 1);
    CHECK(std::abs(clicks[r] / 1e5 - p) <= fltr::testing::five_errors(p, 100'000));
  }
}

TEST_CASE("exponents are normal, cut off at zero, and a user's own") {
  auto const data = toy_dataset(2, 12);
  for (double const gamma : {0.05, 1.0}) {
    LoggedPopulation const clients(data, production(), {.clients = 20'000, .exponent = gamma});
    std::vector<double> drawn;
    for (ClientId c = 0; c < 20'000; ++c) {
      drawn.push_back(clients.logging().exponent_of(c));
      REQUIRE(drawn.back() >= 0.0);
    }
    double const below = fltr::testing::normal_cdf(-gamma / 0.1);
    CHECK(fltr::testing::ks_distance(drawn, [&](double x) {
            return (fltr::testing::normal_cdf((x - gamma) / 0.1) - below) / (1.0 - below);
          }) < fltr::testing::ks_critical(drawn.size()));
    CHECK(clients.logging().exponent_of(7) == drawn[7]);
  }
}

TEST_CASE("a log is a function of seed, round and client") {
  auto const data = toy_dataset(20, 12);
  LoggedPopulation const clients(data, production(), {.clients = 5});
  auto const clicks = [&](std::size_t i, std::uint32_t round) {
    std::vector<std::uint32_t> out;
    auto const log = log_of(clients, i, round);
    for (std::size_t list = 0; list < log.size(); ++list) {
      out.push_back(log[list].query);
      for (Shown const& s : log[list].shown) out.push_back(s.clicked ? 1 : 0);
    }
    return out;
  };
  CHECK(clicks(2, 1) == clicks(2, 1));
  CHECK(clicks(2, 1) != clicks(2, 2));
  CHECK(clicks(2, 1) != clicks(3, 1));
}

TEST_CASE("short queries show all they have; impossible options are refused") {
  std::vector<float> const values(9, 0.5F);
  auto const data = toy_dataset(4, 3);
  LoggedPopulation const clients(data, production(), {.clients = 2, .displayed = 3});
  auto const log = log_of(clients, 0, 1);
  CHECK(log[0].shown.size() == 3);
  auto const make = [&](LoggingOptions options) { LoggedPopulation(data, production(), std::move(options)); };
  CHECK_THROWS_WITH(make({.displayed = 4}),
                    "Logging: required no more displayed documents than the longest list has, 3, got 4");
  CHECK_THROWS_WITH(make({.displayed = 3, .clicks = 0}),
                    "LoggingOptions: required at least one click per round, got 0");
  CHECK_THROWS_WITH(make({.displayed = 3, .exponent = -0.5}),
                    "LoggingOptions: required a finite exponent >= 0, got -0.5");
  CHECK_THROWS_AS(make({.displayed = 0}), std::invalid_argument);
  CHECK_THROWS_AS(make({.clients = 0, .displayed = 3}), std::invalid_argument);
  CHECK_THROWS_AS(make({.displayed = 3, .attractive = {.1, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(make({.displayed = 3, .attractive = {.1, 1, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(make({.displayed = 3, .exponent = std::nan("")}), std::invalid_argument);
  CHECK_THROWS_WITH(
      make({.displayed = 3, .exponent = 100}),
      "Logging: required exponent + 10 * exponent_deviation < 62.8771 for 3 displayed documents, got 101");
}

TEST_CASE("recorded logs are checked against the data") {
  auto const data = toy_dataset(4, 3);
  std::vector<ClickLog> logs(2);
  logs[0].begin(3);
  logs[0].add({2, 1, true, 1.0F});
  RecordedPopulation const clients(data, logs);
  CHECK(clients.size() == 2);
  CHECK(clients[0].interactions == 1);
  CHECK(clients[1].interactions == 1);
  ClickLog buffer;
  CHECK(&clients[0].log(Streams{}, buffer) == &logs[0]);
  logs[1].begin(4);
  CHECK_THROWS_AS(RecordedPopulation(data, logs), std::invalid_argument);
}

TEST_CASE("a moved-from LoggedPopulation stays usable") {
  auto const data = toy_dataset(4, 3);
  LoggedPopulation clients(data, production(), {.clients = 2, .displayed = 3});
  LoggedPopulation const other = std::move(clients);
  CHECK(clients.size() == 2);  // NOLINT(bugprone-use-after-move)
  CHECK(clients[1].id == other[1].id);
}

TEST_CASE("a log of a pool with own grades is that of a Dataset with these grades") {
  auto const data = toy_dataset(20, 12);
  std::vector<Grade> grades(data.document_count());
  Stream stream(31);
  for (Grade& grade : grades) grade = static_cast<Grade>(stream.below(3));
  DatasetParts parts = data.parts();
  parts.labels = grades;
  Dataset const relabelled(std::move(parts));
  LoggingOptions const options{.clients = 3, .attractive = {.1, .5, .9}};
  Logging const logging(data, production(), options);
  Logging const expected(relabelled, production(), options);
  auto const pool = QueryPool(data).with_grades(grades);
  ClickLog log;
  ClickLog of_expected;
  ClickLog of_data;
  bool differs = false;
  for (ClientId c = 0; c < 3; ++c) {
    logging.simulate(c, pool, Streams{1, 1, c}, log);
    expected.simulate(c, QueryPool(relabelled), Streams{1, 1, c}, of_expected);
    logging.simulate(c, QueryPool(data), Streams{1, 1, c}, of_data);
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

TEST_CASE("a log of chosen queries holds their numbers in the Dataset") {
  auto const data = toy_dataset(20, 12);
  Logging const logging(data, production(), {.clients = 1});
  ClickLog log;
  logging.simulate(0, QueryPool(data, {17, 4}), Streams{1, 1, 0}, log);
  REQUIRE(log.size() > 0);
  for (std::size_t i = 0; i < log.size(); ++i) CHECK((log[i].query == 17 || log[i].query == 4));
}

TEST_CASE("a log needs a pool of its Dataset and an attractiveness for every grade") {
  auto const data = toy_dataset(20, 12);
  auto const other = toy_dataset(20, 12);
  Logging const logging(data, production(), {.clients = 1, .attractive = {.1, .5, 1}});
  ClickLog log;
  CHECK_THROWS_WITH(logging.simulate(0, QueryPool(other), Streams{1, 1, 0}, log),
                    "Logging::simulate: required a pool of the dataset that the lists were made for, got a pool of "
                    "another dataset");
  auto const steep = QueryPool(data).with_grades(std::vector<Grade>(data.document_count(), 3));
  CHECK_THROWS_WITH(logging.simulate(0, steep, Streams{1, 1, 0}, log),
                    "Logging::simulate: required grades below 3, the number of attractivenesses, got 3");
}
