// Values of published implementations: tests/golden/robust.txt. Each convention of a case is an option of our rule.
//
// The file was made from a larger collection of 230 cases. Rules of that collection that the library does not have, and
// whose cases are left out: monna (10), caf (9), arc (11), smea (3) and the plain average (5).
// Conventions that the collection describes without a case: the lower and the upper median, fourth powers in Krum, n − f − 3
// neighbours. The tests of the rules have values worked out by hand for these.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/bulyan.hpp>
#include <fltr/aggregators/centered_clipping.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/geometric_median.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/meamed.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/minimum_diameter.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>

#include "support/catch.hpp"
#include "support/robust_cases.hpp"

namespace {

using namespace fltr;
using fltr::testing::read_robust_cases;
using fltr::testing::relative_error;
using fltr::testing::RobustCase;

KrumNeighbours neighbours_of(RobustCase const& c) {
  std::string const& rule = c.text("neighbour_rule");
  if (rule == "n-f-2") return KrumNeighbours::published;
  if (rule == "n-f-1") return KrumNeighbours::other_honest;
  if (rule == "n-f") return KrumNeighbours::honest;
  throw std::runtime_error("neighbour_rule " + rule);
}

KrumDistance distance_of(RobustCase const& c) {
  return c.text("distance") == "euclidean" ? KrumDistance::euclidean : KrumDistance::squared;
}

/// Compares the model, and the rows that a selecting rule chose.
template <class Rule>
void check(RobustCase const& c, Rule const& rule, std::vector<float> const& global = {}) {
  INFO(c.name());
  CHECK(relative_error(rule.combine(c.rows, global), c.expected) < 1e-5);
  if constexpr (SelectingRule<Rule>) CHECK(rule.select(c.rows) == c.numbers<std::size_t>("indices"));
  if constexpr (requires { rule.scores(c.rows); })
    CHECK(relative_error(rule.scores(c.rows), c.numbers<double>("scores")) < 1e-12);
}

/// The values of the rows that a wrapper passes on.
std::vector<float> values_of(MessageRows const& rows) { return {rows.values().begin(), rows.values().end()}; }

}  // namespace

TEST_CASE("Krum: scores, chosen row and model of 33 published cases") {
  auto const cases = read_robust_cases("krum");
  REQUIRE(cases.size() == 33);
  for (auto const& c : cases) {
    Krum const rule{.malicious = c.malicious, .neighbours = neighbours_of(c), .distance = distance_of(c)};
    CHECK(krum_neighbours(rule.neighbours, c.rows.clients(), c.malicious) == c.count("neighbours"));
    check(c, rule);
  }
}

TEST_CASE("MultiKrum: scores, chosen rows and model of 25 published cases") {
  auto const cases = read_robust_cases("multi_krum");
  REQUIRE(cases.size() == 25);
  for (auto const& c : cases) {
    MultiKrum rule{.malicious = c.malicious, .neighbours = neighbours_of(c), .distance = distance_of(c)};
    if (c.text("averaged") != "n-f") rule.averaged = c.count("m");
    check(c, rule);
  }
}

TEST_CASE("Median: 14 published cases") {
  auto const cases = read_robust_cases("median");
  REQUIRE(cases.size() == 14);
  for (auto const& c : cases) check(c, Median{.malicious = c.malicious});
}

TEST_CASE("TrimmedMean: 13 published cases") {
  auto const cases = read_robust_cases("trimmed_mean");
  REQUIRE(cases.size() == 13);
  for (auto const& c : cases) check(c, TrimmedMean{.malicious = c.count("cut_each_side")});
}

TEST_CASE("Meamed: 13 published cases") {
  auto const cases = read_robust_cases("meamed");
  REQUIRE(cases.size() == 13);
  for (auto const& c : cases) check(c, Meamed{.malicious = c.malicious});
}

TEST_CASE("GeometricMedian: 24 published cases with smoothing, from zero, from the mean, and the minimiser") {
  auto const cases = read_robust_cases("geometric_median");
  REQUIRE(cases.size() == 24);
  for (auto const& c : cases) {
    GeometricMedian rule{.malicious = c.malicious};
    if (!c.has("converged")) {
      bool const zero = c.text("start") == "zero";
      rule.smoothing = c.number("smoothing");
      rule.iterations = c.count("iterations");
      rule.start = zero ? GeometricMedianStart::zero : GeometricMedianStart::mean;
      rule.stop = zero ? GeometricMedianStop::never : GeometricMedianStop::objective;
      if (!zero) rule.tolerance = c.number("ftol");
    }
    check(c, rule);
  }
}

TEST_CASE("CenteredClipping: 18 published cases") {
  auto const cases = read_robust_cases("centered_clipping");
  REQUIRE(cases.size() == 18);
  for (auto const& c : cases) {
    auto const global = c.text("start") == "zero" ? std::vector<float>(c.rows.parameters()) : c.numbers<float>("start");
    check(c, CenteredClipping{.radius = c.number("tau"), .iterations = c.count("iterations")}, global);
  }
}

TEST_CASE("MinimumDiameter: chosen rows and model of 11 published cases") {
  auto const cases = read_robust_cases("mda");
  REQUIRE(cases.size() == 11);
  for (auto const& c : cases) check(c, MinimumDiameter{.malicious = c.malicious});
}

TEST_CASE("Bulyan: chosen rows in the order of choice, and model of 15 published cases") {
  auto const cases = read_robust_cases("bulyan");
  REQUIRE(cases.size() == 15);
  for (auto const& c : cases)
    check(c, Bulyan{.malicious = c.malicious,
                    .selection = c.text("selection") == "iterated_krum" ? BulyanSelection::iterated_krum
                                                                        : BulyanSelection::multi_krum_once});
}

TEST_CASE("NearestNeighborMixing: rows of 9 published cases, and models behind it of 5") {
  auto const cases = read_robust_cases("nnm");
  REQUIRE(cases.size() == 9);
  for (auto const& c : cases) {
    INFO(c.name());
    CHECK(c.count("averaged") == c.rows.clients() - c.malicious);
    CHECK(relative_error(values_of(NearestNeighborMixing{FedAvg{}, c.malicious}.mix(c.rows)), c.expected) < 1e-5);
  }
  auto const trimmed = read_robust_cases("nnm+trimmed_mean");
  REQUIRE(trimmed.size() == 3);
  for (auto const& c : trimmed)
    check(c, NearestNeighborMixing{TrimmedMean{.malicious = c.count("cut_each_side")}, c.malicious});
  auto const krum = read_robust_cases("nnm+krum");
  REQUIRE(krum.size() == 2);
  for (auto const& c : krum) {
    INFO(c.name());
    Krum const rule{.malicious = c.malicious, .neighbours = neighbours_of(c), .distance = distance_of(c)};
    CHECK(krum_neighbours(rule.neighbours, c.rows.clients(), c.malicious) == c.count("neighbours"));
    // Several mixed rows are equal, so the chosen row is not a part of the case.
    CHECK(relative_error(NearestNeighborMixing{rule, c.malicious}.combine(c.rows, {}), c.expected) < 1e-5);
  }
}

TEST_CASE("Bucketing: rows of 6 published cases with a given permutation") {
  auto const cases = read_robust_cases("bucketing");
  REQUIRE(cases.size() == 6);
  for (auto const& c : cases) {
    INFO(c.name());
    auto const order = c.numbers<std::size_t>("permutation");
    CHECK(relative_error(values_of(Bucketing{FedAvg{}, c.count("s")}.mix(c.rows, order)), c.expected) < 1e-5);
  }
}

TEST_CASE("NormBound: rows of 6 published cases, around a model of zeros") {
  auto const cases = read_robust_cases("clipping");
  REQUIRE(cases.size() == 6);
  for (auto const& c : cases) {
    INFO(c.name());
    std::vector<float> const zeros(c.rows.parameters());
    CHECK(relative_error(values_of(NormBound{FedAvg{}, c.number("c")}.mix(c.rows, zeros)), c.expected) < 1e-5);
  }
}
