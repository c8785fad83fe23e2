#include "support/model_comparison.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

struct ByFeature {
  std::size_t feature = 0;
  void score(QueryView query, std::span<float> scores) const {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = query.row(i)[feature];
  }
};

/// The first feature ranks the relevant document first, the second feature ranks it second. The third query has no
/// relevant document.
Dataset three_queries() {
  return fltr::testing::dataset_of({{{1, {2, 1}}, {0, {1, 2}}}, {{0, {1, 2}}, {2, {2, 1}}}, {{0, {1, 1}}}}, 2);
}

double const second = 1 / std::log2(3.0);

}  // namespace

TEST_CASE("Models are measured for each query, and compared over the queries that both have a value for") {
  auto const data = three_queries();
  auto const right = measure_model("right", ByFeature{0}, data);
  auto const wrong = measure_model("wrong", ByFeature{1}, data);
  auto const all = all_queries("DS", data);
  CHECK(all.queries == std::vector<std::uint32_t>{0, 1, 2});
  for (std::size_t m = 0; m < 3; ++m) CHECK(right.mean(m, all.queries) == 1.0);
  CHECK(wrong.mean(0, all.queries) == Approx(second));
  CHECK(wrong.mean(1, all.queries) == 0.5);
  CHECK(wrong.mean(2, all.queries) == 0.5);
  CHECK_FALSE(wrong.values[2][0]);
  std::vector<std::uint32_t> const nothing{2};
  CHECK(std::isnan(wrong.mean(0, nothing)));

  auto const test = compare_models(right, wrong, 1);
  REQUIRE(test);
  CHECK(test->pairs == 2);
  CHECK(test->difference == 0.5);
  CHECK(test->p == 0.0);  // all differences are the same
}

TEST_CASE("Tables and JSON name the models, the parts of the test queries and the metrics") {
  auto const data = three_queries();
  std::vector<MeasuredModel> const models{measure_model("M1", ByFeature{0}, data),
                                          measure_model("M2", ByFeature{1}, data)};
  std::vector<TestPart> const parts{{"DS1", {0}}, {"DS2", {2}}, all_queries("DS", data)};
  CHECK(table_by_part(models, parts, 1, false) ==
        "MAP     DS1  DS2      DS\n"
        "------------------------\n"
        "M1   1.0000    -  1.0000\n"
        "M2   0.5000    -  0.5000\n");
  CHECK(table_by_metric(models, parts[2], false) ==
        "DS  nDCG@10     MAP  MRR@10\n"
        "---------------------------\n"
        "M1   1.0000  1.0000  1.0000\n"
        "M2   0.6309  0.5000  0.5000\n");
  std::vector<std::pair<MeasuredModel const*, MeasuredModel const*>> const pairs{{&models[1], &models[0]}};
  CHECK(table_of_tests(pairs, false) ==
        "difference (p)      nDCG@10          MAP       MRR@10\n"
        "-----------------------------------------------------\n"
        "M2 - M1         -0.3691 (0)  -0.5000 (0)  -0.5000 (0)\n");
  auto const means = means_json(models, std::span(parts).first(2)).dump();
  CHECK(means.find(R"("M2":{"DS1":{"ndcg10":0.63092975)") != std::string::npos);
  CHECK(means.find(R"("DS2":{"ndcg10":null,"map":null,"mrr10":null})") != std::string::npos);
  CHECK(tests_json(pairs).dump().find(R"([{"model":"M2","against":"M1","ndcg10":{"difference":-0.369)") == 0);
}
