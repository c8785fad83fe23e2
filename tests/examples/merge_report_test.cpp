#include "support/merge_report.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;
using fltr::testing::stump;

/// The first local forest puts the relevant document first, the second one last.
std::vector<Forest> two_forests() { return {Forest({stump(0, 0, 4)}, 2), Forest({stump(1, 0, 2)}, 2)}; }
Dataset one_query() { return fltr::testing::dataset_of({{{0, {0, 1}}, {1, {1, 0}}}}, 2); }

template <class Merged>
MergeReport report_of(std::vector<Merged> const& merged) {
  Dataset const test = one_query();
  MergeReport report(1, 7, false);
  report.add_held_out(test);
  std::vector<TestPart> const parts{all_queries("DS", test)};
  report.add_models(std::span(merged), Forest(2), std::nullopt, test, parts);
  return report;
}

double const second_of_two = 1 / std::log2(3.0);  // nDCG where the only relevant document is second

}  // namespace

TEST_CASE("A client's merged model is compared with its own forest and with the best forest of the other clients") {
  auto const local = two_forests();
  std::vector<double> const weights{.75, .25};
  std::vector<MergedForest> const merged{{local, weights}};
  auto const report = report_of(merged);
  REQUIRE(report.clients().size() == 1);
  CHECK(report.clients()[0].local == 1);
  CHECK(report.clients()[0].other == Approx(second_of_two));
  CHECK(report.clients()[0].merged == 1);
  CHECK(report.clients()[0].weights == weights);
  CHECK(report.merged() == 1);
  CHECK_THAT(report.text(), ContainsSubstring("fold 1: weights chosen on 1 queries") &&
                                ContainsSubstring("client 1: weights 0.75, 0.25, 2 trees"));
  auto const json = report.json();
  CHECK(json["seed"] == 7);
  CHECK(json["models"]["M2"]["DS"]["ndcg10"].get<double>() == Approx(second_of_two));

  auto const clients = clients_json(std::vector<MergeReport>{report, report});
  CHECK(clients[0]["alpha"] == .25);
  CHECK(clients[0]["weights"] == Json{.75, .25});
  CHECK(clients[0]["merged_ndcg10"] == 1.0);
}

TEST_CASE("The report of a stacked forest shows the importance of its features, or that no tree grew") {
  AppendedScores const local(two_forests(), 2);
  std::vector<StackedForest> const merged{{local, Forest({stump(2, 0, 1), stump(1, 0, 0)}, 4)}, {local, Forest(4)}};
  auto const report = report_of(merged);
  CHECK_THAT(report.text(),
             ContainsSubstring("client 1, 2 trees: importance") &&
                 ContainsSubstring("3 (score of M1)  50.0 %       1") &&
                 ContainsSubstring("client 2: no tree grew on its merge queries, so its model is the mean"));
  auto const json = report.json();
  CHECK(json["importance_of_scores_client1"][0]["gain_share"] == .5);
  CHECK(json["importance_of_scores_client2"][0]["gain_share"] == 0.0);
  CHECK(report.clients()[1].merged == 1);  // of (0 + 2) / 2 and (4 + 0) / 2
  CHECK(clients_json(std::vector<MergeReport>{report})[1]["weights"].is_null());
}

TEST_CASE("The picture of merged models has a bar for each model, with the interval of its mean over queries") {
  auto const local = two_forests();
  Dataset const test = fltr::testing::dataset_of({{{0, {0, 1}}, {1, {1, 0}}}, {{1, {0, 1}}, {0, {1, 0}}}}, 2);
  std::vector<MergedForest> const merged{{local, std::vector<double>{.75, .25}}, {local, std::vector<double>{0, 1}}};
  MergeReport report(1, 7, false);
  report.add_held_out(test);
  std::vector<TestPart> const parts{all_queries("DS", test)};
  report.add_models(std::span(merged), Forest(2), Forest({stump(0, 0, 1)}, 2), test, parts);
  auto const chart = merge_chart(std::vector<MergeReport>{report, report}, "some/data");

  CHECK(chart.x_names == std::vector<std::string>{"M1", "M2", "M_full", "equal weights", "merged 1", "merged 2"});
  CHECK(chart.subtitle == "some/data, 2 test queries; 95 % intervals of the means over queries");
  CHECK((chart.least_y == 0 && chart.most_y == 1));
  REQUIRE(chart.series.size() == 1);
  Series const& bars = chart.series.front();
  CHECK(bars.form == Series::Form::bars);
  CHECK(bars.x == std::vector<double>{0, 1, 2, 3, 4, 5});
  REQUIRE(bars.y.size() == 6);
  // Each model of one feature ranks one query right and the other wrong.
  double const mean = (1 + second_of_two) / 2;
  for (std::size_t const model : {0U, 1U, 2U, 4U, 5U}) CHECK(bars.y[model] == Approx(mean));
  // Student's t of 1 degree of freedom, 12.706, times the deviation of two values that are 1 − second_of_two apart, / √2.
  REQUIRE(bars.deviation.size() == 6);
  for (std::size_t const model : {0U, 1U, 2U, 4U, 5U})
    CHECK(bars.deviation[model] == Approx(12.7062 * (1 - second_of_two) / 2).epsilon(1e-3));
  CHECK(merge_chart({}, "some/data").x_names.empty());
}
