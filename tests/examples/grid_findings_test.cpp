#include "support/grid_findings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace fltr::examples;

/// A grid of FedAvg and Krum under click poisoning, with nDCG chosen by hand.
GridAxes axes() {
  GridAxes out;
  out.clicks = {Clicks::perfect, Clicks::informational};
  out.attacks = {AttackKind::click_poisoning};
  out.defences = {no_defence, Defence{.aggregator = AggregatorKind::krum}};
  out.malicious = {1, 2};
  out.seeds = {1, 2, 3};
  return out;
}

/// FedAvg: .7 without an attack, .6 and .4 with one and two attackers, with informational clicks .1 less under attack.
/// Krum: .69 without an attack; .6 + 0, ±.001 with one attacker, .5 with two.
GridResults results(GridAxes const& axes) {
  GridResults out;
  for (GridKey const& key : axes.trainings(1)) {
    bool const krum = key.defence.aggregator == AggregatorKind::krum;
    bool const noisy = key.clicks == Clicks::informational;
    double const jitter = 0.001 * (static_cast<double>(key.seed) - 2.0);
    double value = krum ? 0.69 : 0.7;
    if (key.malicious == 1) value = krum ? 0.6 + jitter : 0.6 - (noisy ? 0.1 + jitter : 0.0);
    if (key.malicious == 2) value = krum ? 0.5 : 0.4 - (noisy ? 0.1 : 0.0) + jitter;
    out[key] = {.ndcg10 = value};
  }
  return out;
}

Finding const& found(std::vector<Finding> const& findings, std::string const& text, Clicks clicks, std::uint32_t m) {
  for (Finding const& f : findings)
    if (f.hypothesis.find(text) != std::string::npos && f.clicks == clicks && f.malicious == m) return f;
  throw std::runtime_error("no finding: " + text);
}

}  // namespace

TEST_CASE("A grid tests the hypotheses whose trainings it has, with paired differences") {
  GridAxes const grid = axes();
  GridResults const values = results(grid);
  GridSummary const summary(grid, values);
  auto const findings = grid_findings(summary);

  Finding const& more = found(findings, "more attackers of FedAvg", Clicks::perfect, 2);
  CHECK(more.difference.mean == Approx(0.2));
  CHECK(more.difference.runs == 3);
  CHECK(verdict_of(more.difference) == "holds");
  CHECK(verdict_of(found(findings, "than with perfect clicks", Clicks::informational, 1).difference) == "holds");
  Finding const& krum = found(findings, "Krum helps", Clicks::perfect, 1);
  CHECK(krum.difference.mean == Approx(0.0).margin(1e-12));
  CHECK(verdict_of(krum.difference) == "undecided");
  CHECK(verdict_of(found(findings, "Krum costs", Clicks::perfect, 1).difference) == "holds");
  for (Finding const& f : findings) {
    CHECK(f.hypothesis.find("Fang") == std::string::npos);
    CHECK(f.hypothesis.find("median") == std::string::npos);
  }

  std::string const table = findings_table(findings, false);
  CHECK(table.find("holds +0.200") != std::string::npos);
  std::string const csv = findings_csv(findings);
  CHECK(static_cast<std::size_t>(std::ranges::count(csv, '\n')) == findings.size() + 1);
}

TEST_CASE("An unfinished training leaves out the hypotheses that need it") {
  GridAxes const grid = axes();
  GridResults values = results(grid);
  values.erase(grid.attacked(1, 2, Clicks::perfect, no_defence, AttackKind::click_poisoning, 2));
  auto const findings = grid_findings(GridSummary(grid, values));
  CHECK_THROWS(found(findings, "more attackers of FedAvg", Clicks::perfect, 2));
  CHECK_NOTHROW(found(findings, "more attackers of FedAvg", Clicks::informational, 2));
}

TEST_CASE("Findings about the damage of Fang leave out what a rule costs without an attack") {
  using enum AggregatorKind;
  GridAxes grid;
  grid.clicks = {Clicks::perfect};
  grid.attacks = {AttackKind::fang};
  grid.defences = {no_defence, {krum}, {multi_krum}, {trimmed_mean}, {median}};
  grid.malicious = {1};
  grid.seeds = {1, 2};
  // Krum costs .1. Fang takes .05 from FedAvg and .02 from trimmed mean and median.
  GridResults values;
  for (GridKey const& key : grid.trainings(1)) {
    auto const rule = key.defence.aggregator;
    double value = rule == krum ? 0.6 : 0.7;
    if (key.malicious > 0 && rule == fedavg) value -= 0.05;
    if (key.malicious > 0 && (rule == trimmed_mean || rule == median)) value -= 0.02;
    values[key] = {.ndcg10 = value};
  }
  auto const findings = grid_findings(GridSummary(grid, values));
  CHECK(found(findings, "Fang damages Krum", Clicks::perfect, 1).difference.mean == Approx(0.0).margin(1e-12));
  CHECK(found(findings, "under Fang, Krum is worse", Clicks::perfect, 1).difference.mean == Approx(0.05));
  CHECK(found(findings, "Fang does more damage to Krum", Clicks::perfect, 1).difference.mean == Approx(-0.02));
}

TEST_CASE("A difference below 0 says that the hypothesis does not hold, and one run says nothing") {
  CHECK(verdict_of(estimate({-0.1, -0.11, -0.12})) == "does not hold");
  CHECK(verdict_of(estimate({0.1})) == "-");
}
