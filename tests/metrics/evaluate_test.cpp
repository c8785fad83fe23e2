#include <fltr/metrics/evaluate.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/select.hpp>
#include <fltr/execution/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/rankers/linear.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/shuffled.hpp"

namespace {

using fltr::Dataset;
using fltr::EmptyQuery;
using fltr::Evaluation;
using fltr::LinearRanker;
using fltr::Ndcg;
using fltr::QueryView;
using fltr::TieOrder;
using fltr::testing::dataset_of;
using fltr::testing::random_dataset;

/// Sorts whole lists and spells the formula out.
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
    list.push_back({score, query.labels()[i]});
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

TEST_CASE("ties go by the order of the rows, or the reverse") {
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

TEST_CASE("evaluation has the same bits on every execution") {
  Dataset const data = random_dataset(53, {.queries = 1500, .features = 6});
  LinearRanker const ranker({1.0F, 0.5F, -0.25F, 0.1F, 2.0F, -1.0F});
  auto const on = [&](auto const& execution) {
    return fltr::evaluate_on(execution, ranker, data, Ndcg{}, Wild{}, fltr::AveragePrecision{});
  };
  auto const serial = on(fltr::Serial{});
  double in_order = 0.0;
  for (auto const value : fltr::evaluate_queries(ranker, data, Wild{})) in_order += *value;
  REQUIRE(in_order != serial[1].sum);  // so the order of the sum does show
  CHECK(in_order == Approx(serial[1].sum).epsilon(1e-12));
  for (int const count : {1, 2, 3, 8}) {
    auto const threads = on(fltr::Threads{count});
    for (std::size_t i = 0; i < serial.size(); ++i) CHECK(same_bits(threads[i], serial[i]));
  }
  auto const shuffled = on(fltr::testing::Shuffled{5});
  for (std::size_t i = 0; i < serial.size(); ++i) CHECK(same_bits(shuffled[i], serial[i]));
  CHECK(fltr::evaluate(ranker, data, Wild{}) == serial[1].mean());
}

TEST_CASE("given scores are evaluated as a ranker's are") {
  Dataset const data = tying_data();
  std::vector<float> scores(data.document_count());
  for (std::size_t q = 0; q < data.size(); ++q)
    tying.score(data[q], std::span(scores).subspan(data.first_document(q), data[q].document_count()));
  for (TieOrder const ties : {TieOrder::row, TieOrder::reverse}) {
    auto const expected = fltr::evaluate_on(fltr::Serial{}, ties, tying, data, Ndcg{.cutoff = 5}, Wild{});
    auto const given = fltr::evaluate_scores_on(fltr::Threads{2}, ties, scores, data, Ndcg{.cutoff = 5}, Wild{});
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(same_bits(given[i], expected[i]));
  }
  scores.pop_back();
  CHECK_THROWS_WITH(fltr::evaluate_scores_on(fltr::Serial{}, TieOrder::row, scores, data, Wild{}),
                    ContainsSubstring("one per document"));
}

TEST_CASE("several metrics in one pass are what each is alone") {
  // The deepest cutoff decides how much of a list is sorted; the others must not see more of it. Wild looks at all
  // that it is given.
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

TEST_CASE("queries with nothing relevant are skipped, or count as 0 or 1") {
  Dataset const data = dataset_of({{{1, {1}}, {0, {0}}}, {{0, {1}}, {0, {0}}}, {}, {{0, {1}}, {2, {0}}}}, 1);
  LinearRanker const ranker(std::vector<float>{1.0F});
  double const swapped = 1.0 / std::log2(3.0);  // of the last query: the relevant document at rank 2
  auto const mean = [&](EmptyQuery empty) { return fltr::evaluate(ranker, data, Ndcg{.empty = empty}); };
  CHECK(mean(EmptyQuery::skip) == Approx((1 + swapped) / 2).epsilon(1e-14));
  CHECK(mean(EmptyQuery::zero) == Approx((1 + swapped) / 4).epsilon(1e-14));
  CHECK(mean(EmptyQuery::one) == Approx((3 + swapped) / 4).epsilon(1e-14));

  auto const each = fltr::evaluate_queries(ranker, data, Ndcg{});
  REQUIRE(each.size() == 4);
  CHECK(each[0] == 1.0);
  CHECK(each[1] == std::nullopt);
  CHECK(each[2] == std::nullopt);
  CHECK(each[3].value() == Approx(swapped).epsilon(1e-14));
}

TEST_CASE("evaluation of nothing is 0 of 0 queries") {
  Dataset const none = dataset_of({}, 1);
  LinearRanker const ranker(std::vector<float>{1.0F});
  CHECK(fltr::evaluate(ranker, none, Ndcg{}) == 0.0);
  auto const [total] = fltr::evaluate_on(fltr::Threads{2}, ranker, none, Ndcg{});
  CHECK(total.queries == 0);
  CHECK(total.skipped == 0);
}

TEST_CASE("the number of blocks: a constant number of queries each") {
  STATIC_REQUIRE(fltr::evaluation_block == 64);
  auto const blocks = [](std::size_t queries) {
    return fltr::evaluation_blocks(dataset_of(std::vector<std::vector<fltr::testing::Document>>(queries), 0));
  };
  CHECK(blocks(0) == 1);
  CHECK(blocks(1) == 1);
  CHECK(blocks(64) == 1);
  CHECK(blocks(65) == 2);
  CHECK(blocks(129) == 3);
}

namespace {

/// A metric that returns a given value.
struct Says {
  std::size_t cutoff = 1;
  double value = 1.0;
  double measure(fltr::RankedList) const { return value; }
};

template <class R>
concept MeasuresLists = requires(R&& ranker) {
  fltr::ListMeasurer<std::remove_cvref_t<R>, Says>(std::forward<R>(ranker), fltr::TieOrder::row, Says{});
};

}  // namespace

TEST_CASE("measurers keep copies of metrics, and refuse a temporary ranker") {
  auto const data = fltr::testing::dataset_of({{{1, {1.0F}}, {0, {0.0F}}}}, 1);
  std::vector<float> const scores{1.0F, 0.0F};
  Says metric{.value = 1.0};
  fltr::SelectionMeasurer<Says> selection(metric);
  fltr::ScoreMeasurer<Says> several(fltr::TieOrder::row, metric);
  metric.value = 2.0;
  CHECK(selection.measure(data[0], scores) == 1.0);
  CHECK(several.measure(data[0], scores)[0] == 1.0);
  fltr::SelectionMeasurer of_temporary(Says{.value = 3.0});
  CHECK(of_temporary.measure(data[0], scores) == 3.0);
  STATIC_REQUIRE(MeasuresLists<fltr::LinearRanker const&>);
  STATIC_REQUIRE(!MeasuresLists<fltr::LinearRanker>);
}

TEST_CASE("evaluate on an execution has the bits of evaluate") {
  Dataset const data = random_dataset(54, {.queries = 1500, .features = 6});
  LinearRanker const ranker({1.0F, 0.5F, -0.25F, 0.1F, 2.0F, -1.0F});
  double const expected = fltr::evaluate(ranker, data, Wild{});
  CHECK(fltr::evaluate(fltr::Serial{}, ranker, data, Wild{}) == expected);
  for (int const count : {1, 2, 3}) CHECK(fltr::evaluate(fltr::Threads{count}, ranker, data, Wild{}) == expected);
  CHECK(fltr::evaluate(fltr::testing::Shuffled{6}, ranker, data, Wild{}) == expected);
}

TEST_CASE("a pool of chosen queries is evaluated as the Dataset of these queries") {
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

TEST_CASE("a pool is evaluated by its own grades") {
  Dataset const data = random_dataset(56, {.queries = 300, .features = 4});
  fltr::Stream stream(57);
  std::vector<fltr::Grade> grades(data.document_count());
  for (auto& grade : grades) grade = static_cast<fltr::Grade>(stream.below(4));
  fltr::DatasetParts parts = data.parts();
  parts.labels = grades;
  Dataset const relabelled(std::move(parts));
  auto const pool = fltr::QueryPool(data).with_grades(grades);
  CHECK(fltr::evaluate_queries(tying, pool, Ndcg{}, Wild{}) ==
        fltr::evaluate_queries(tying, relabelled, Ndcg{}, Wild{}));
  CHECK(fltr::evaluate(tying, pool, Ndcg{}) == fltr::evaluate(tying, relabelled, Ndcg{}));
  CHECK(fltr::evaluate(tying, pool, Ndcg{}) != fltr::evaluate(tying, data, Ndcg{}));
}

namespace {

template <class R, class S>
concept HasLeaf = requires(R&& ranker, S&& queries) {
  fltr::evaluation_leaf(TieOrder::row, std::forward<R>(ranker), std::forward<S>(queries), Says{})(std::size_t{});
};

}  // namespace

TEST_CASE("a leaf of a temporary ranker or of temporary queries does not compile") {
  STATIC_REQUIRE(HasLeaf<LinearRanker const&, Dataset const&>);
  STATIC_REQUIRE(HasLeaf<LinearRanker const&, fltr::QueryPool const&>);
  STATIC_REQUIRE(!HasLeaf<LinearRanker, Dataset const&>);
  STATIC_REQUIRE(!HasLeaf<LinearRanker const&, Dataset>);
  STATIC_REQUIRE(!HasLeaf<LinearRanker const&, fltr::QueryPool>);
}

TEST_CASE("an Evaluation shows its members") {
  STATIC_REQUIRE(fltr::HasFields<Evaluation>);
  STATIC_REQUIRE(fltr::HasFields<fltr::Evaluations<2>>);
  Evaluation evaluation{1.5, 2, 3};
  auto const sum = evaluation.fields([](double& s, std::uint64_t& queries, std::uint64_t& skipped) {
    return s + static_cast<double>(10 * queries + 100 * skipped);
  });
  CHECK(sum == 321.5);
  fltr::Evaluations<2> both{{evaluation, {}}};
  CHECK(both.fields([](auto&... members) { return sizeof...(members); }) == 1);
  CHECK(both.fields([](std::array<Evaluation, 2>& metrics) { return metrics[0].queries; }) == 2);
}
