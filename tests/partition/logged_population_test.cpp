#include <fltr/partition/logged_population.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/core/top_k.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"
#include "support/toy_dataset.hpp"

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

TEST_CASE("Users see the production ranker's best documents, with the propensities of their own exponent") {
  auto const data = toy_dataset(20, 12);
  LoggedPopulation const clients(data, production(), {.clients = 50, .displayed = 4});
  std::vector<float> scores(12);
  std::vector<std::uint32_t> best;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    double const exponent = clients.exponent_of(static_cast<ClientId>(i));
    auto const log = log_of(clients, i, 1);
    REQUIRE_NOTHROW(log.check(data));
    for (std::size_t list = 0; list < log.size(); ++list) {
      production().score(data[log[list].query], scores);
      top_k(scores, 4, best);
      REQUIRE(log[list].shown.size() == 4);
      for (std::size_t r = 0; r < 4; ++r) {
        Impression const& shown = log[list].shown[r];
        CHECK(shown.document == best[r]);
        CHECK(shown.position == r + 1);
        CHECK(static_cast<double>(shown.propensity) ==
              Approx(std::pow(static_cast<double>(r + 1), -exponent)).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("A round ends after a whole list, with enough clicks or lists") {
  auto const data = toy_dataset(20, 12);
  LoggedPopulation const clients(data, production(), {.clients = 200, .clicks = 10, .queries = 5});
  bool beyond = false;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    auto const log = log_of(clients, i, 1);
    std::size_t const in_last = [&] {
      std::size_t n = 0;
      for (Impression const& s : log[log.size() - 1].shown) n += s.clicked ? 1 : 0;
      return n;
    }();
    CHECK(log.click_count() >= 10);
    CHECK(log.click_count() - in_last < 10);  // before the last list there were not enough
    beyond = beyond || log.click_count() > 10;
    for (std::size_t list = 5; list < log.size(); ++list) CHECK(log[list].query == log[list - 5].query);
  }
  CHECK(beyond);  // some last list has more clicks than were needed: it was not cut
  LoggedPopulation const unattractive(data, production(), {.clients = 3, .attractive = {0, 0, 0}});
  auto const log = log_of(unattractive, 0, 1);
  CHECK(log.size() == 200);
  CHECK(log.click_count() == 0);
}

TEST_CASE("Clicks have the frequencies of the position-based model") {
  auto const data = toy_dataset(1, 12);
  LoggedPopulation const clients(data, production(),
                                 {.clients = 1, .clicks = 1'000'000, .most_lists = 100'000, .exponent_deviation = 0.0});
  auto const log = log_of(clients, 0, 1);
  REQUIRE(log.size() == 100'000);
  std::vector<double> clicks(5);
  for (Impression const& s : log.shown()) clicks[s.position - 1] += s.clicked ? 1.0 : 0.0;
  auto const shown = log[0].shown;
  for (std::size_t r = 0; r < 5; ++r) {
    double const attractive = data[0].grades()[shown[r].document] > 0 ? 1.0 : 0.1;
    double const p = attractive / static_cast<double>(r + 1);
    CHECK(std::abs(clicks[r] / 1e5 - p) <= fltr::testing::five_errors(p, 100'000));
  }
}

TEST_CASE("Exponents are drawn from a normal distribution truncated at 0 and stay fixed per user") {
  auto const data = toy_dataset(2, 12);
  for (double const gamma : {0.05, 1.0}) {
    LoggedPopulation const clients(data, production(), {.clients = 20'000, .exponent = gamma});
    std::vector<double> drawn;
    for (ClientId c = 0; c < 20'000; ++c) {
      drawn.push_back(clients.exponent_of(c));
      REQUIRE(drawn.back() >= 0.0);
    }
    double const below = fltr::testing::normal_cdf(-gamma / 0.1);
    CHECK(fltr::testing::ks_distance(drawn, [&](double x) {
            return (fltr::testing::normal_cdf((x - gamma) / 0.1) - below) / (1.0 - below);
          }) < fltr::testing::ks_critical(drawn.size()));
    CHECK(clients.exponent_of(7) == drawn[7]);
  }
}

TEST_CASE("A log is a function of seed, round and client") {
  auto const data = toy_dataset(20, 12);
  LoggedPopulation const clients(data, production(), {.clients = 5});
  auto const clicks = [&](std::size_t i, std::uint32_t round) {
    std::vector<std::uint32_t> out;
    auto const log = log_of(clients, i, round);
    for (std::size_t list = 0; list < log.size(); ++list) {
      out.push_back(log[list].query);
      for (Impression const& s : log[list].shown) out.push_back(s.clicked ? 1 : 0);
    }
    return out;
  };
  CHECK(clicks(2, 1) == clicks(2, 1));
  CHECK(clicks(2, 1) != clicks(2, 2));
  CHECK(clicks(2, 1) != clicks(3, 1));
}

TEST_CASE("A query with fewer documents than a list has shows all of them") {
  auto const data = toy_dataset(4, 3);
  LoggedPopulation const clients(data, production(), {.clients = 2, .displayed = 3});
  auto const log = log_of(clients, 0, 1);
  CHECK(log[0].shown.size() == 3);
  CHECK(clients.displayed(0).size() == 3);
}

TEST_CASE("LoggedPopulation refuses options that do not fit the data") {
  auto const data = toy_dataset(4, 3);
  auto const make = [&](LoggingOptions options) { LoggedPopulation(data, production(), std::move(options)); };
  CHECK_THROWS_WITH(make({.displayed = 4}),
                    "LoggedPopulation: required at most 3 displayed documents, the length of the longest list, got 4");
  CHECK_THROWS_WITH(
      make({.displayed = 3, .attractive = {.1, 1}}),
      "LoggedPopulation: required a probability in LoggingOptions::attractive for each of 3 grades, got 2");
  CHECK_THROWS_WITH(
      make({.displayed = 3, .exponent = 100}),
      "LoggedPopulation: required exponent + 10 * exponent_deviation < 62.8771 for 3 displayed documents, got 101");
  CHECK_THROWS_AS(make({.displayed = 3, .clicks = 0}), std::invalid_argument);
}

TEST_CASE("A moved-from LoggedPopulation stays usable") {
  auto const data = toy_dataset(4, 3);
  LoggedPopulation clients(data, production(), {.clients = 2, .displayed = 3});
  LoggedPopulation const other = std::move(clients);
  CHECK(clients.size() == 2);  // NOLINT(bugprone-use-after-move)
  CHECK(clients[1].id == other[1].id);
}
