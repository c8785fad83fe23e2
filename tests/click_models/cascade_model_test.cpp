#include <fltr/click_models/cascade_model.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::CascadeModel;
using fltr::Grade;
using fltr::Stream;
using Grades = std::vector<Grade>;
using Clicks = std::vector<std::uint8_t>;
using Table = std::vector<double>;

/// How often each rank is clicked.
std::vector<double> frequencies(CascadeModel const& users, Grades const& list, std::size_t n, std::uint64_t seed) {
  Stream stream(seed);
  Clicks clicks(list.size());
  std::vector<double> counts(list.size());
  for (std::size_t i = 0; i < n; ++i) {
    users.click(list, clicks, stream);
    for (std::size_t r = 0; r < clicks.size(); ++r) counts[r] += clicks[r];
  }
  for (double& c : counts) c /= static_cast<double>(n);
  return counts;
}

void check_table(CascadeModel const& model, Table const& click, Table const& stop) {
  CHECK(model.click_probability == click);
  CHECK(model.stop_probability == stop);
}

}  // namespace

TEST_CASE("The marginal click probabilities of a navigational user equal hand-computed values") {
  auto const users = CascadeModel::navigational(3);
  std::size_t const n = 200'000;
  auto const check = [&](Grades const& list, std::vector<double> const& expected) {
    auto const measured = frequencies(users, list, n, 61);
    for (std::size_t r = 0; r < list.size(); ++r) {
      INFO("rank " << r + 1);
      CHECK(std::abs(measured[r] - expected[r]) < fltr::testing::five_errors(expected[r], n));
    }
  };
  check({2, 0, 1}, {0.95, 0.00725, 0.071775});
  check({0, 1, 2}, {0.05, 0.495, 0.705375});
}

TEST_CASE("A user does not stop without a click") {
  // Every click stops the user. Grade 0 is never clicked, so every user reaches the first document of grade 1.
  CascadeModel const users{{0.0, 1.0}, {1.0, 1.0}};
  Stream stream(62);
  Clicks clicks(12);
  Grades const list{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
  for (int i = 0; i < 100; ++i) {
    users.click(list, clicks, stream);
    REQUIRE(clicks == Clicks{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0});
  }
}

TEST_CASE("CascadeModel overwrites old clicks") {
  CascadeModel const users{{1.0}, {1.0}};
  Stream stream(63);
  Clicks clicks{1, 1, 1, 7};
  users.click(Grades{0, 0, 0, 0}, clicks, stream);
  CHECK(clicks == Clicks{1, 0, 0, 0});
}

TEST_CASE("Events of probability 0 never happen and events of probability 1 always happen") {
  Stream stream(64);
  Clicks clicks(5);
  for (int i = 0; i < 1000; ++i) {
    CascadeModel::perfect(2).click(Grades{0, 1, 0, 1, 1}, clicks, stream);
    REQUIRE(clicks == Clicks{0, 1, 0, 1, 1});
    CascadeModel::poison(2).click(Grades{0, 1, 0, 1, 1}, clicks, stream);
    REQUIRE(clicks == Clicks{1, 0, 1, 0, 0});
  }
}

TEST_CASE("An empty list gets no clicks") {
  Stream stream(65);
  CHECK_NOTHROW(CascadeModel::perfect(3).click({}, {}, stream));
}

TEST_CASE("The click and stop probabilities are those of the papers") {
  check_table(CascadeModel::perfect(3), {0, .5, 1}, {0, 0, 0});
  check_table(CascadeModel::navigational(3), {.05, .5, .95}, {.2, .5, .9});
  check_table(CascadeModel::informational(3), {.4, .7, .9}, {.1, .3, .5});
  check_table(CascadeModel::poison(3), {1, .5, 0}, {0, 0, 0});
  check_table(CascadeModel::perfect(5), {0, .2, .4, .8, 1}, {0, 0, 0, 0, 0});
  check_table(CascadeModel::navigational(5), {.05, .3, .5, .7, .95}, {.2, .3, .5, .7, .9});
  check_table(CascadeModel::informational(5), {.4, .6, .7, .8, .9}, {.1, .2, .3, .4, .5});
  check_table(CascadeModel::poison(5), {1, .8, .4, .2, 0}, {0, 0, 0, 0, 0});
  check_table(CascadeModel::perfect(2), {0, 1}, {0, 0});
  check_table(CascadeModel::navigational(2), {.05, .95}, {.2, .9});
  check_table(CascadeModel::informational(2), {.3, .7}, {.1, .5});
  check_table(CascadeModel::poison(2), {1, 0}, {0, 0});
}

TEST_CASE("The named users exist for 2, 3 and 5 grades only") {
  for (std::size_t const grades : {0U, 1U, 4U, 6U, 31U}) {
    CHECK_THROWS_AS(CascadeModel::perfect(grades), std::invalid_argument);
    CHECK_THROWS_AS(CascadeModel::navigational(grades), std::invalid_argument);
    CHECK_THROWS_AS(CascadeModel::informational(grades), std::invalid_argument);
    CHECK_THROWS_AS(CascadeModel::poison(grades), std::invalid_argument);
  }
  CHECK_THROWS_WITH(
      CascadeModel::navigational(4),
      "CascadeModel::navigational: required 2, 3 or 5 grades (for other numbers, set click_probability and "
      "stop_probability), got 4");
}

TEST_CASE("CascadeModel refuses grades without probabilities") {
  Stream stream(66);
  Clicks clicks(2);
  CHECK_THROWS_WITH(CascadeModel::perfect(3).click(Grades{0, 3}, clicks, stream),
                    "CascadeModel: required grades below 3, the number of click probabilities, got 3");
  CHECK_THROWS_AS((CascadeModel{{0, 1}, {0}}.click(Grades{0, 0}, clicks, stream)), std::invalid_argument);
}

TEST_CASE("CascadeModel refuses probabilities outside [0, 1]") {
  Clicks clicks(1);
  for (double const bad : {-0.1, 1.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Stream stream(1);
    CHECK_THROWS_WITH((CascadeModel{{0.5, bad}, {0.5, 0.5}}.click(Grades{0}, clicks, stream)),
                      ContainsSubstring("CascadeModel: required click probabilities in [0, 1], got "));
    CHECK_THROWS_WITH((CascadeModel{{0.5, 0.5}, {bad, 0.5}}.click(Grades{0}, clicks, stream)),
                      ContainsSubstring("CascadeModel: required stop probabilities in [0, 1], got "));
  }
  Stream stream(1);
  CHECK_NOTHROW((CascadeModel{{0.0, 1.0}, {1.0, 0.0}}.click(Grades{1}, clicks, stream)));
}
