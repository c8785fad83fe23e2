#include <fltr/metrics/evaluate.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/select_queries.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/average_precision.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/score_all.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/shuffled_execution.hpp"

namespace {

using fltr::Dataset;
using fltr::Evaluation;
using fltr::LinearRanker;
using fltr::Ndcg;
using fltr::NoRelevantDocuments;
using fltr::QueryView;
using fltr::TieOrder;
using fltr::testing::dataset_of;
using fltr::testing::random_dataset;

/// Sorts the whole list and applies the formula.
std::optional<double> naive_ndcg(LinearRanker const& ranker, QueryView query, std::size_t cutoff, TieOrder ties) {
  struct Scored {
    double score;
    int grade;
  };
  std::vector<Scored> list;
  for (std::size_t i = 0; i < query.document_count(); ++i) {
    double score = 0.0;
    for (std::size_t k = 0; k < query.feature_count(); ++k)
      score += static_cast<double>(query.row(i)[k]) * static_cast<double>(ranker.parameters()[k]);
    list.push_back({score, query.grades()[i]});
  }
  auto const dcg = [cutoff](std::vector<Scored> const& sorted) {
    double sum = 0.0;
    for (std::size_t i = 0; i < std::min(cutoff, sorted.size()); ++i)
      sum += (std::pow(2.0, sorted[i].grade) - 1.0) / std::log2(static_cast<double>(i) + 2.0);
    return sum;
  };
  auto ideal = list;
  std::ranges::sort(ideal, std::greater<>(), &Scored::grade);
  if (dcg(ideal) == 0.0) return std::nullopt;
  if (ties == TieOrder::reverse) std::ranges::reverse(list);
  std::ranges::stable_sort(list, std::greater<>(), &Scored::score);
  return dcg(list) / dcg(ideal);
}

Evaluation naive_evaluation(LinearRanker const& ranker, Dataset const& data, std::size_t cutoff, TieOrder ties) {
  Evaluation total;
  for (std::size_t q = 0; q < data.size(); ++q) {
    auto const value = naive_ndcg(ranker, data[q], cutoff, ties);
    value ? ++total.queries : ++total.skipped;
    total.sum += value.value_or(0.0);
  }
  return total;
}

/// Values of very different size: their sum depends on the order of addition.
struct Wild {
  std::size_t cutoff = 3;
  double measure(fltr::RankedList list) const {
    double value = 1.0 / 3.0;
    for (fltr::Grade const g : list.grades) value *= std::exp(4.0 * (g - 1.7));
    return value;
  }
};

bool same_bits(Evaluation const& a, Evaluation const& b) {
  return std::bit_cast<std::uint64_t>(a.sum) == std::bit_cast<std::uint64_t>(b.sum) && a.queries == b.queries &&
         a.skipped == b.skipped;
}

/// Small integer weights on small integer features: scores are exact, and many are equal.
LinearRanker const tying({1.0F, -2.0F, 1.0F, 0.0F});
Dataset tying_data() { return random_dataset(52, {.queries = 300, .features = 4, .most_documents = 30, .levels = 3}); }

}  // namespace

TEST_CASE("evaluate agrees with a naive implementation") {
  Dataset const data = random_dataset(51, {.queries = 300, .features = 7, .most_documents = 50});
  LinearRanker ranker({0.5F, -1.0F, 0.25F, 2.0F, 1.0F, -0.75F, 0.125F});
  for (std::size_t const cutoff : {1U, 5U, 10U, 40U}) {
    auto const expected = naive_evaluation(ranker, data, cutoff, TieOrder::row);
    REQUIRE(expected.skipped > 20);
    REQUIRE(expected.skipped == data.empty_query_count());
    CHECK(fltr::evaluate(ranker, data, Ndcg{.cutoff = cutoff}) == Approx(expected.mean()).epsilon(1e-13));
    auto const [measured] = fltr::evaluate_on(fltr::Serial{}, ranker, data, Ndcg{.cutoff = cutoff});
    CHECK(measured.sum == Approx(expected.sum).epsilon(1e-13));
    CHECK(measured.queries == expected.queries);
    CHECK(measured.skipped == expected.skipped);
  }
}

TEST_CASE("Documents of equal scores are in row order or in reverse") {
  Dataset const data = tying_data();
  double const row = naive_evaluation(tying, data, 5, TieOrder::row).mean();
  double const reverse = naive_evaluation(tying, data, 5, TieOrder::reverse).mean();
  REQUIRE(row != reverse);
  CHECK(fltr::evaluate(tying, data, Ndcg{.cutoff = 5}) == Approx(row).epsilon(1e-13));
  CHECK(fltr::evaluate_on(fltr::Serial{}, TieOrder::row, tying, data, Ndcg{.cutoff = 5})[0].mean() ==
        Approx(row).epsilon(1e-13));
  CHECK(fltr::evaluate_on(fltr::Serial{}, TieOrder::reverse, tying, data, Ndcg{.cutoff = 5})[0].mean() ==
        Approx(reverse).epsilon(1e-13));
}

TEST_CASE("An evaluation has the same bits on every Execution") {
  Dataset const data = random_dataset(53, {.queries = 1500, .features = 6});
  LinearRanker const ranker({1.0F, 0.5F, -0.25F, 0.1F, 2.0F, -1.0F});
  auto const on = [&](auto const& execution) {
    return fltr::evaluate_on(execution, ranker, data, Ndcg{}, Wild{}, fltr::AveragePrecision{});
  };
  auto const serial = on(fltr::Serial{});
  double in_order = 0.0;
  for (auto const value : fltr::evaluate_queries(ranker, data, Wild{})) in_order += *value;
  REQUIRE(in_order != serial[1].sum);  // the order of the sum changes the result
  CHECK(in_order == Approx(serial[1].sum).epsilon(1e-12));
  for (int const count : {1, 2, 3, 8}) {
    auto const threads = on(fltr::Threads{count});
    for (std::size_t i = 0; i < serial.size(); ++i) CHECK(same_bits(threads[i], serial[i]));
  }
  auto const shuffled = on(fltr::testing::ShuffledExecution{5});
  for (std::size_t i = 0; i < serial.size(); ++i) CHECK(same_bits(shuffled[i], serial[i]));
  CHECK(fltr::evaluate(ranker, data, Wild{}) == serial[1].mean());
}

TEST_CASE("evaluate_scores_on gives the bits of evaluate_on") {
  Dataset const data = tying_data();
  auto scores = fltr::score_all(tying, data);
  for (TieOrder const ties : {TieOrder::row, TieOrder::reverse}) {
    auto const expected = fltr::evaluate_on(fltr::Serial{}, ties, tying, data, Ndcg{.cutoff = 5}, Wild{});
    auto const given = fltr::evaluate_scores_on(fltr::Threads{2}, ties, scores, data, Ndcg{.cutoff = 5}, Wild{});
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(same_bits(given[i], expected[i]));
  }
  scores.pop_back();
  CHECK_THROWS_WITH(fltr::evaluate_scores_on(fltr::Serial{}, TieOrder::row, scores, data, Wild{}),
                    ContainsSubstring("one per document"));
}

TEST_CASE("Several metrics in one pass have the bits of single evaluations") {
  // The largest cutoff decides how much of a list is sorted. The other metrics must not get more ranks than their
  // cutoff; Wild uses every rank that it gets.
  Dataset const data = tying_data();
  Ndcg const at3{.cutoff = 3};
  fltr::Precision const at20{.cutoff = 20};
  fltr::AveragePrecision const whole{.cutoff = 0};
  fltr::ReciprocalRank const first{.cutoff = 1};
  auto const together = fltr::evaluate_on(fltr::Serial{}, tying, data, at3, at20, whole, first, Wild{});
  CHECK(together[0].mean() == fltr::evaluate(tying, data, at3));
  CHECK(together[1].mean() == fltr::evaluate(tying, data, at20));
  CHECK(together[2].mean() == fltr::evaluate(tying, data, whole));
  CHECK(together[3].mean() == fltr::evaluate(tying, data, first));
  CHECK(together[4].mean() == fltr::evaluate(tying, data, Wild{}));
  CHECK(together[1].skipped == 0);
  CHECK(together[0].skipped == data.empty_query_count());

  auto const each = fltr::evaluate_queries(tying, data, at3, whole, Wild{});
  auto const each_at3 = fltr::evaluate_queries(tying, data, at3);
  auto const each_whole = fltr::evaluate_queries(tying, data, whole);
  auto const each_wild = fltr::evaluate_queries(tying, data, Wild{});
  REQUIRE(each.size() == data.size());
  for (std::size_t q = 0; q < data.size(); ++q)
    CHECK(each[q] == std::array<std::optional<double>, 3>{each_at3[q], each_whole[q], each_wild[q]});
}

TEST_CASE("Queries without a relevant document are skipped, or count as 0 or 1") {
  Dataset const data = dataset_of({{{1, {1}}, {0, {0}}}, {{0, {1}}, {0, {0}}}, {}, {{0, {1}}, {2, {0}}}}, 1);
  LinearRanker const ranker(std::vector<float>{1.0F});
  double const swapped = 1.0 / std::log2(3.0);  // of the last query: the relevant document at rank 2
  auto const mean = [&](NoRelevantDocuments empty) { return fltr::evaluate(ranker, data, Ndcg{.empty = empty}); };
  CHECK(mean(NoRelevantDocuments::skip) == Approx((1 + swapped) / 2).epsilon(1e-14));
  CHECK(mean(NoRelevantDocuments::zero) == Approx((1 + swapped) / 4).epsilon(1e-14));
  CHECK(mean(NoRelevantDocuments::one) == Approx((3 + swapped) / 4).epsilon(1e-14));

  auto const each = fltr::evaluate_queries(ranker, data, Ndcg{});
  REQUIRE(each.size() == 4);
  CHECK(each[0] == 1.0);
  CHECK(each[1] == std::nullopt);
  CHECK(each[2] == std::nullopt);
  CHECK(each[3].value() == Approx(swapped).epsilon(1e-14));
}

TEST_CASE("The evaluation of an empty Dataset is 0 of 0 queries") {
  Dataset const none = dataset_of({}, 1);
  LinearRanker const ranker(std::vector<float>{1.0F});
  CHECK(fltr::evaluate(ranker, none, Ndcg{}) == 0.0);
  auto const [total] = fltr::evaluate_on(fltr::Threads{2}, ranker, none, Ndcg{});
  CHECK(total.queries == 0);
  CHECK(total.skipped == 0);
}

TEST_CASE("evaluate has the same bits on every Execution") {
  Dataset const data = random_dataset(54, {.queries = 1500, .features = 6});
  LinearRanker const ranker({1.0F, 0.5F, -0.25F, 0.1F, 2.0F, -1.0F});
  double const expected = fltr::evaluate(ranker, data, Wild{});
  CHECK(fltr::evaluate(fltr::Serial{}, ranker, data, Wild{}) == expected);
  for (int const count : {1, 2, 3}) CHECK(fltr::evaluate(fltr::Threads{count}, ranker, data, Wild{}) == expected);
  CHECK(fltr::evaluate(fltr::testing::ShuffledExecution{6}, ranker, data, Wild{}) == expected);
}

TEST_CASE("A QueryPool has the evaluation of a Dataset with the same queries") {
  Dataset const data = random_dataset(55, {.queries = 400, .features = 4});
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t q = 399; q > 100; q -= 2) chosen.push_back(q);
  Dataset const selected = fltr::select_queries(data, chosen);
  fltr::QueryPool const pool(data, chosen);
  for (TieOrder const ties : {TieOrder::row, TieOrder::reverse}) {
    auto const expected = fltr::evaluate_on(fltr::Serial{}, ties, tying, selected, Ndcg{}, Wild{});
    auto const measured = fltr::evaluate_on(fltr::Threads{2}, ties, tying, pool, Ndcg{}, Wild{});
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(same_bits(measured[i], expected[i]));
  }
  CHECK(fltr::evaluate(tying, pool, Wild{}) == fltr::evaluate(tying, selected, Wild{}));
  CHECK(fltr::evaluate(fltr::Threads{2}, tying, pool, Wild{}) == fltr::evaluate(tying, selected, Wild{}));
  CHECK(fltr::evaluate_queries(tying, pool, Ndcg{}) == fltr::evaluate_queries(tying, selected, Ndcg{}));
  CHECK(fltr::evaluate_queries(tying, pool, Ndcg{}, Wild{}) == fltr::evaluate_queries(tying, selected, Ndcg{}, Wild{}));
}

TEST_CASE("A QueryPool with own grades is evaluated by these grades") {
  Dataset const data = random_dataset(56, {.queries = 300, .features = 4});
  fltr::Stream stream(57);
  std::vector<fltr::Grade> grades(data.document_count());
  for (auto& grade : grades) grade = static_cast<fltr::Grade>(stream.below(4));
  fltr::DatasetParts parts = data.parts();
  parts.grades = grades;
  Dataset const relabelled(std::move(parts));
  auto const pool = fltr::QueryPool(data).with_grades(grades);
  CHECK(fltr::evaluate_queries(tying, pool, Ndcg{}, Wild{}) ==
        fltr::evaluate_queries(tying, relabelled, Ndcg{}, Wild{}));
  CHECK(fltr::evaluate(tying, pool, Ndcg{}) == fltr::evaluate(tying, relabelled, Ndcg{}));
  CHECK(fltr::evaluate(tying, pool, Ndcg{}) != fltr::evaluate(tying, data, Ndcg{}));
}
