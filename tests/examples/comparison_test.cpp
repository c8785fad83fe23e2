#include "support/comparison.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "support/catch.hpp"

using namespace fltr::examples;
using Catch::Matchers::StartsWith;

namespace {

QueryResults side(std::string file, std::map<QueryKey, double> values) {
  return {.file = std::move(file), .runs = 1, .values = std::move(values), .run_means = {}};
}

}  // namespace

TEST_CASE("Queries are paired by fold and name, pooled and by fold") {
  // Differences: fold 1: .5 and 0; fold 2, which has a query of the same name: .25 and .75.
  auto const a = side("a", {{{1, "x"}, 0.75}, {{1, "y"}, 0.25}, {{2, "x"}, 0.5}, {{2, "z"}, 1.0}});
  auto const b = side("b", {{{2, "z"}, 0.25}, {{2, "x"}, 0.25}, {{1, "y"}, 0.25}, {{1, "x"}, 0.25}});
  auto const rows = compare_queries(a, b);
  REQUIRE(rows.size() == 3);

  CHECK(rows[0].fold == 0);
  CHECK(rows[0].test.pairs == 4);
  CHECK(rows[0].mean_a == 0.625);
  CHECK(rows[0].mean_b == 0.25);
  CHECK(rows[0].test.difference == 0.375);
  // Squares around .375: 2 (.125² + .375²) = .3125; standard error √(.3125 / 3 / 4); t = .375 / .16137 = 2.3238.
  double const error = std::sqrt(0.3125 / 12);
  CHECK(rows[0].test.t == Approx(0.375 / error));
  // Three degrees of freedom: p = 1 − (2/π) (atan u + u / (1 + u²)) with u = t/√3; the 97.5 % quantile is 3.18245.
  double const u = 0.375 / error / std::sqrt(3.0);
  CHECK(rows[0].test.p == Approx(1 - 2 / std::acos(-1.0) * (std::atan(u) + u / (1 + u * u))));
  CHECK(rows[0].test.low == Approx(0.375 - 3.18245 * error).margin(1e-5));
  CHECK(rows[0].test.high == Approx(0.375 + 3.18245 * error).margin(1e-5));

  CHECK(rows[1].fold == 1);
  CHECK(rows[1].test.pairs == 2);
  CHECK(rows[1].mean_a == 0.5);
  CHECK(rows[1].mean_b == 0.25);
  CHECK(rows[1].test.t == Approx(1));    // .25 / (√.125 / √2)
  CHECK(rows[1].test.p == Approx(0.5));  // of the Cauchy distribution
  CHECK(rows[2].fold == 2);
  CHECK(rows[2].mean_a == 0.75);
  CHECK(rows[2].test.difference == 0.5);
  CHECK(rows[2].test.t == Approx(2));
}

TEST_CASE("Swapping the sides changes the sign of the difference") {
  auto const a = side("a", {{{1, "x"}, 0.75}, {{1, "y"}, 0.25}, {{1, "z"}, 0.5}});
  auto const b = side("b", {{{1, "x"}, 0.5}, {{1, "y"}, 0.25}, {{1, "z"}, 1.0}});
  auto const there = compare_queries(a, b);
  auto const back = compare_queries(b, a);
  REQUIRE(there.size() == 1);  // one fold
  CHECK(there[0].test.difference == Approx(-0.25 / 3));
  CHECK(back[0].test.difference == -there[0].test.difference);
  CHECK(back[0].test.p == there[0].test.p);
}

TEST_CASE("One query can be compared but not tested") {
  auto const rows = compare_queries(side("a", {{{1, "x"}, 0.75}}), side("b", {{{1, "x"}, 0.5}}));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].test.pairs == 1);
  CHECK(rows[0].test.difference == 0.25);
  CHECK(std::isnan(rows[0].test.p));
  CHECK_THAT(comparison_table(rows, "a", "b", false), ContainsSubstring("+0.2500              -  -  -\n"));
}

TEST_CASE("A query that only one side has is an error") {
  auto const more = side("more/queries.csv", {{{1, "x"}, 0.75}, {{1, "y"}, 0.25}, {{2, "x"}, 0.5}});
  auto const less = side("less/queries.csv", {{{1, "x"}, 0.75}});
  std::string const message =
      "the test queries differ, so they cannot be paired: 2 of 3 in more/queries.csv are not in less/queries.csv (the "
      "first is query y of fold 1)";
  CHECK_THROWS_WITH(compare_queries(more, less), StartsWith(message));
  CHECK_THROWS_WITH(compare_queries(less, more), StartsWith(message));
}

TEST_CASE("A side without queries is an error") {
  auto const none = side("none/queries.csv", {});
  auto const some = side("some", {{{1, "x"}, 0.75}});
  CHECK_THROWS_WITH(compare_queries(none, some), StartsWith("none/queries.csv holds no query"));
  CHECK_THROWS_WITH(compare_queries(some, none), StartsWith("none/queries.csv holds no query"));
  CHECK_THROWS_WITH(compare_queries(none, none), StartsWith("none/queries.csv holds no query"));
}

TEST_CASE("The test over seeds pairs the means of the seeds over their folds") {
  auto a = side("a", {});
  auto b = side("b", {});
  // Seed 5: (.75 + .25) / 2 and (.25 + .25) / 2; seed 6: .5 and .5. Seed 7 lacks fold 2 on one side.
  a.run_means = {{{1, 5}, 0.75}, {{2, 5}, 0.25}, {{1, 6}, 0.5}, {{2, 6}, 0.5}, {{1, 7}, 1.0}, {{2, 7}, 1.0}};
  b.run_means = {{{1, 5}, 0.25}, {{2, 5}, 0.25}, {{1, 6}, 0.75}, {{2, 6}, 0.25}, {{1, 7}, 0.0}};
  auto const over_seeds = compare_seeds(a, b);
  REQUIRE(over_seeds.has_value());
  CHECK(over_seeds->folds == 2);
  CHECK(over_seeds->seeds.test.pairs == 2);
  // Differences .25 and 0: mean .125, standard deviation .25 / sqrt(2), t = .125 / (.25 / 2) = 1.
  CHECK(over_seeds->seeds.test.difference == Approx(0.125));
  CHECK(over_seeds->seeds.test.t == Approx(1.0));
  CHECK(over_seeds->seeds.mean_a == Approx(0.5));
  CHECK_THAT(seed_text(over_seeds), StartsWith("p is conditional on these trainings"));
  CHECK_THAT(seed_text(over_seeds),
             ContainsSubstring("over 2 seeds, each the mean of its 2 folds: 0.5000 and 0.3750, difference +0.1250"));
}

TEST_CASE("There is no test over seeds if both sides have fewer than two seeds in common") {
  auto a = side("a", {});
  auto b = side("b", {});
  a.run_means = {{{1, 5}, 0.75}, {{2, 5}, 0.5}, {{1, 6}, 0.5}};
  b.run_means = {{{1, 5}, 0.25}, {{2, 5}, 0.5}, {{2, 6}, 0.5}};
  CHECK(!compare_seeds(a, b).has_value());
  CHECK_THAT(seed_text(std::nullopt), ContainsSubstring("no test over seeds"));
}

TEST_CASE("The table names both sides and every fold") {
  Comparison const all{
      .fold = 0,
      .mean_a = 0.62504,
      .mean_b = 0.25,
      .test = {.pairs = 564, .difference = 0.37504, .low = -0.00001, .high = 0.75, .t = 2.3238, .p = 3e-12}};
  Comparison const fold{.fold = 3,
                        .mean_a = 0.5,
                        .mean_b = 0.75,
                        .test = {.pairs = 7,
                                 .difference = -0.25,
                                 .low = -0.25,
                                 .high = -0.25,
                                 .t = -std::numeric_limits<double>::infinity(),
                                 .p = 0}};
  CHECK(comparison_table({all, fold}, "plain", "größer", true) ==
        "test set  queries   plain  größer  difference       95 % interval     t      p\n"
        "──────────────────────────────────────────────────────────────────────────────\n"
        "all           564  0.6250  0.2500     +0.3750   0.0000 to +0.7500  2.32  3e-12\n"
        "fold 3          7  0.5000  0.7500     -0.2500  -0.2500 to -0.2500  -inf      0\n");
}
