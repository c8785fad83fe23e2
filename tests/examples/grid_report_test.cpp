#include "support/grid_report.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/text.hpp"

using namespace fltr::examples;

namespace {

constexpr Defence krum{AggregatorKind::krum};
constexpr Defence bulyan{AggregatorKind::bulyan};
constexpr Defence detector{AggregatorKind::fl_detector};

GridAxes axes() {
  return {.clicks = {Clicks::perfect, Clicks::informational},
          .attacks = {AttackKind::fang, AttackKind::promote},
          .defences = {no_defence, krum, bulyan, detector},
          .malicious = {1, 2},
          .seeds = {1, 2},
          .can_run = [](Defence const& defence, std::uint32_t assumed) { return defence != bulyan || assumed < 2; }};
}

/// Honest FedAvg has .7 (seed 1) and .72. FedAvg and the detector lose .1 per malicious client and Krum .01, to promote
/// .02 more than to fang. Krum costs .01 (seed 1) or .02, Bulyan nothing. Informational clicks lose .001 more. The
/// detector catches one attacker of fang, and flags one honest client at seed 2.
GridResults results() {
  GridResults made;
  for (GridKey const& key : axes().trainings(1)) {
    double loss = 0;
    if (key.attack != AttackKind::none)
      loss = (key.defence == no_defence || key.defence == detector ? 0.1 : 0.01) * key.malicious +
             (key.attack == AttackKind::promote ? 0.02 : 0.0) + (key.clicks == Clicks::informational ? 0.001 : 0.0);
    if (key.defence == krum) loss += 0.01 * static_cast<double>(key.seed);
    GridResult result{.ndcg10 = 0.68 + 0.02 * static_cast<double>(key.seed) - loss, .target_rank = 7.5};
    if (key.defence == detector) {
      result.caught = key.attack == AttackKind::fang ? 1 : 0;
      result.false_alarms = key.seed == 2 ? 1 : 0;
    }
    made[key] = result;
  }
  return made;
}

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("Tables of a grid show the loss to the worst attack, and n/a where an aggregator cannot run") {
  auto const grid = axes();
  auto const made = results();
  std::string const text = grid_tables(GridSummary(grid, made), false);
  CHECK_THAT(text, ContainsSubstring("perfect clicks: nDCG@10 lost to the worst attack, of 0.7100 with honest FedAvg"));
  CHECK_THAT(text, ContainsSubstring("fedavg           0.000  0.120  0.220  promote, m = 2\n"));
  CHECK_THAT(text, ContainsSubstring("krum             0.015  0.045  0.055  promote, m = 2\n"));
  CHECK_THAT(text, ContainsSubstring("bulyan           0.000  0.030    n/a  promote, m = 1\n"));
  CHECK_THAT(text, ContainsSubstring("krum             0.015  0.046  0.056  promote, m = 2, informational\n"));
  // Two runs with the losses .051 and .061: 12.7062 times .005 on each side.
  CHECK_THAT(text, ContainsSubstring("krum              0.056  [-0.008, 0.120]         0.015  [-0.049, 0.079]\n"));
  // Without an attack seed 2 flags one honest client. With m = 2 fang has one of two attackers caught, promote none.
  CHECK_THAT(text, ContainsSubstring("fl-detector  0       -         0.500               0.500     4\n"));
  CHECK_THAT(text, ContainsSubstring("fl-detector  2   0.250         0.500               0.750     8\n"));
}

TEST_CASE("Answers of a grid name the best aggregator for each number of malicious clients") {
  auto const grid = axes();
  auto const made = results();
  std::string const text = grid_answers(GridSummary(grid, made), 10, 1000);
  CHECK_THAT(text, ContainsSubstring("- With 1 malicious client of 10, bulyan is the best in the worst case: it loses "
                                     "0.031 nDCG@10, 95 % interval [0.031, 0.031], to promote with informational "
                                     "clicks. With 2 runs, it cannot be distinguished from krum.\n"));
  CHECK_THAT(text, ContainsSubstring("- With 1 to 2 malicious clients of 10, krum is the best in the worst case: it "
                                     "loses 0.056 nDCG@10, 95 % interval [-0.008, 0.120], to promote with m = 2 and "
                                     "informational clicks. Every other aggregator loses more"));
  CHECK_THAT(text, ContainsSubstring("- Cannot run with so few clients: bulyan with m = 2.\n"));
  CHECK_THAT(text, ContainsSubstring("with 95 % confidence: fedavg, bulyan and fl-detector. Undecided with 2 runs: "
                                     "krum.\n"));
  for (auto const& line : split_text(grid_answers(GridSummary(grid, made), 10, 60), '\n'))
    CHECK(character_count(line) <= 60);
  auto one_run = grid;
  one_run.seeds = {1};
  std::string const short_text = grid_answers(GridSummary(one_run, made), 10, 1000);
  CHECK_THAT(short_text, ContainsSubstring("it loses 0.031 nDCG@10 to promote with informational clicks.\n"));
  CHECK_THAT(short_text, ContainsSubstring("use --repeats"));
}

TEST_CASE("A heat map has a row for each attack and number of malicious clients, and one of the worst") {
  auto const grid = axes();
  auto const made = results();
  HeatMap const map = grid_heat_map(GridSummary(grid, made), Clicks::perfect, "some data");
  CHECK(map.columns == std::vector<std::string>{"fedavg", "krum", "bulyan", "fl-detector"});
  std::vector<std::string> labels;
  for (HeatMapRow const& row : map.rows) labels.push_back(row.label);
  CHECK(labels == std::vector<std::string>{"1 malicious client", "no attack", "fang", "promote", "worst attack",
                                           "2 malicious clients", "no attack", "fang", "promote", "worst attack",
                                           "all numbers of malicious clients, with 95 % interval",
                                           "cost without attack", "worst attack"});
  for (HeatMapRow const& row : map.rows) CHECK((row.cells.empty() || row.cells.size() == 4));
  CHECK(map.rows[3].cells[0].text == ".120");
  CHECK(map.rows[3].cells[0].value == Approx(0.12));
  CHECK(map.rows[4].cells[0].text == ".120");
  CHECK(map.rows[8].cells[2].text == "n/a");
  CHECK(map.rows[11].cells[1].text == ".015");
  CHECK(map.rows[11].cells[1].below == "[−.049, .079]");
  CHECK(map.rows[12].cells[0].text == ".220");
  // Bulyan cannot run with two malicious clients: its worst case over both numbers is that of one.
  CHECK(map.rows[12].cells[2].text == ".030");
  CHECK(map.rows[12].cells[2].below == "only m ≤ 1");
}

TEST_CASE("A failed training is reported with its reason, and its aggregator is not ranked") {
  auto const grid = axes();
  auto made = results();
  GridKey const key = grid.attacked(1, 2, Clicks::perfect, krum, AttackKind::fang, 2);
  made.erase(key);
  GridSummary const summary(grid, made, {{key, "too long"}});
  CHECK(summary.possible(krum));
  CHECK((summary.runs(krum, 1) && !summary.runs(krum, 2) && !summary.runs(krum)));
  CHECK_THAT(grid_tables(summary, false), ContainsSubstring("krum             0.015  0.045  failed  promote, m = 2\n"));
  std::string const text = grid_answers(summary, 10, 1000);
  CHECK_THAT(text, ContainsSubstring("- With 1 to 2 malicious clients of 10, fedavg is the best in the worst case"));
  CHECK_THAT(text, ContainsSubstring("- Cannot run with so few clients: bulyan with m = 2.\n"));
  CHECK_THAT(text, ContainsSubstring("- Not compared, because a training failed: krum.\n"));
  HeatMap const map = grid_heat_map(summary, Clicks::perfect, "");
  CHECK(map.rows[2].cells[1].text == ".025");
  CHECK(map.rows[7].cells[1].text == "failed");
  CHECK(map.rows[7].cells[1].title == "krum, fang, 2 malicious: too long");
  CHECK(map.rows[8].cells[1].text == ".055");
  CHECK(map.rows[9].cells[1].text == "failed");
  CHECK(map.rows[12].cells[1].text == "failed");
  Json const json = grid_json(summary);
  REQUIRE(json["failed"].size() == 1);
  CHECK(json["failed"][0]["aggregator"] == "krum");
  CHECK(json["failed"][0]["reason"] == "too long");
  CHECK(json["best_in_worst_case"] == "fedavg");
  CHECK(json["cost_undecided"] == Json({"krum"}));
  // Without its honest training, the cost is undecided, however small that of the other runs is.
  auto honest = results();
  GridKey const cheap = grid.honest(1, 1, Clicks::perfect, no_defence, 1);
  honest.erase(cheap);
  CHECK(GridSummary(grid, honest, {{cheap, "no memory"}}).cost_verdict(no_defence, 0.003) == CostVerdict::undecided);
}

TEST_CASE("Means of a grid have a line for each cell that can run") {
  auto const grid = axes();
  auto const made = results();
  std::string const csv = grid_means(GridSummary(grid, made));
  auto const lines = split_text(csv, '\n');
  // Per behaviour: FedAvg, Bulyan and the detector once without an attack, Krum for each assumed number; two attacks
  // with 1 and 2 malicious clients, Bulyan with 1.
  CHECK(count(csv, "\n") == 1 + 2 * (1 + 2 + 1 + 1 + 2 * (2 + 2 + 1 + 2)));
  for (auto const& line : lines)
    if (!line.empty()) CHECK(count(line, ",") == count(lines[0], ","));
  CHECK_THAT(lines[1], ContainsSubstring("perfect,fedavg,none,0,0,2,0.71") && ContainsSubstring(",0,0,0,,,,7.5,,"));
  CHECK_THAT(csv, ContainsSubstring("\nperfect,krum,promote,2,2,2,"));
}

TEST_CASE("run.json of a grid has the worst case, the cost and the answers") {
  auto const grid = axes();
  auto const made = results();
  Json const json = grid_json(GridSummary(grid, made));
  CHECK(json["runs"] == 2);
  CHECK(json["honest_offline_ndcg10"]["perfect"] == Approx(0.71));
  CHECK(json["aggregators"][0]["aggregator"] == "krum");
  CHECK(json["aggregators"][0]["worst"]["loss"] == Approx(0.056));
  CHECK(json["aggregators"][0]["cost"]["cost"] == Approx(0.015));
  CHECK(json["aggregators"].back()["aggregator"] == "bulyan");
  CHECK(json["aggregators"].back()["always_runs"] == false);
  CHECK(json["best_in_worst_case"] == "krum");
  CHECK(json["cost_within_limit"] == Json({"fedavg", "bulyan", "fl-detector"}));
  CHECK(json["detection"][0]["recall"].is_null());
  CHECK(json["detection"][2]["recall"] == Approx(0.25));
}

TEST_CASE("Reports of a grid without results are made all the same") {
  auto const grid = axes();
  GridResults const none;
  GridSummary const summary(grid, none);
  CHECK_THAT(grid_tables(summary, true), ContainsSubstring("krum"));
  CHECK_FALSE(grid_answers(summary, 10, 80).empty());
  CHECK(grid_heat_map(summary, Clicks::perfect, "").rows.size() == 13);
  CHECK(count(grid_means(summary), "\n") == 1);
  CHECK(grid_json(summary)["best_in_worst_case"].is_null());
}
