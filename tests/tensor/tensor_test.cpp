#include <fltr/tensor.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/data/make_dataset.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::random_dataset;

/// Queries of 2 and 1 documents with 3 features.
Dataset small() {
  return dataset_of({{{1, {1.0F, 2.0F, 3.0F}}, {0, {4.0F, 5.0F, 6.0F}}}, {{2, {7.0F, 8.0F, 9.0F}}}}, 3);
}

std::vector<ClientMessage<LocalWeights>> messages_of(std::vector<std::vector<float>> rows) {
  std::vector<ClientMessage<LocalWeights>> messages;
  for (auto& row : rows) messages.push_back({static_cast<ClientId>(messages.size()), {std::move(row), 1}});
  return messages;
}

template <class D>
concept HasTensor = requires(D&& data) { as_tensor(std::forward<D>(data)); };
template <class D>
concept HasGrades = requires(D&& data) { grades_tensor(std::forward<D>(data)); };

// A QueryView is a view itself and may be a temporary; compile_fail/*tensor_of_temporary.cpp: a Dataset and a ranker may not.
static_assert(HasTensor<QueryView> && HasGrades<QueryView>);

Matrix<float> const features{{1, 2}, {3, 4}, {5, 6}, {7, 8}};

}  // namespace

TEST_CASE("as_tensor shows the rows of a query without a copy") {
  Dataset const data = small();
  auto const x = as_tensor(data[0]);
  CHECK(x.shape(0) == 2);
  CHECK(x.shape(1) == 3);
  CHECK(x.strides()[0] == static_cast<std::ptrdiff_t>(data.stride()));
  CHECK(x.strides()[1] == 1);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k) CHECK(&x(i, k) == &data[0].row(i)[k]);
  CHECK(&as_tensor(data[1])(0, 2) == &data[1].row(0)[2]);
}

TEST_CASE("as_tensor shows all documents of a Dataset without a copy") {
  Dataset const data = small();
  auto const x = as_tensor(data);
  CHECK(x.shape(0) == 3);
  CHECK(x.shape(1) == 3);
  for (std::size_t q = 0; q < data.size(); ++q)
    for (std::size_t i = 0; i < data[q].document_count(); ++i)
      CHECK(&x(data.first_document(q) + i, 0) == data[q].row(i).data());
}

TEST_CASE("Expressions over padded rows do not include the padding") {
  for (std::size_t const width : {1U, 2U, 7U, 8U, 9U, 17U}) {
    Dataset const data = random_dataset(width, {.queries = 6, .features = width});
    auto const x = as_tensor(data);
    Matrix<float> const copy = x;
    xt::xtensor<double, 1> const rows = xt::sum<double>(x, {1});
    xt::xtensor<double, 1> const columns = xt::sum<double>(x, {0});
    xt::xtensor<float, 2> const twice = 2.0F * x + xt::row(copy, 0) - xt::row(copy, 0);
    xt::xtensor<double, 1> column_sums = xt::zeros<double>({width});
    double total = 0;
    for (std::size_t q = 0, i = 0; q < data.size(); ++q)
      for (std::size_t d = 0; d < data[q].document_count(); ++d, ++i) {
        double row_sum = 0;
        for (std::size_t k = 0; k < width; ++k) {
          float const value = data[q].row(d)[k];
          CHECK(copy(i, k) == value);
          CHECK(twice(i, k) == Approx(2.0F * value).margin(1e-5));
          row_sum += static_cast<double>(value);
          column_sums(k) += static_cast<double>(value);
        }
        total += row_sum;
        CHECK(rows(i) == Approx(row_sum).margin(1e-9));
      }
    for (std::size_t k = 0; k < width; ++k) CHECK(columns(k) == Approx(column_sums(k)).margin(1e-9));
    CHECK(xt::sum<double>(x)() == Approx(total).margin(1e-9));
  }
}

TEST_CASE("Tensors of empty data are empty") {
  Dataset const none;
  CHECK(as_tensor(none).size() == 0);
  CHECK(grades_tensor(none).size() == 0);
  Dataset const empty_query = dataset_of({{}, {{1, {1.0F}}}}, 1);
  CHECK(as_tensor(empty_query[0]).shape(0) == 0);
  CHECK(as_tensor(empty_query[0]).shape(1) == 1);
  CHECK(as_tensor(std::span<ClientMessage<LocalWeights> const>{}).shape(0) == 0);
  CHECK(as_tensor(std::span<float>{}).size() == 0);
  CHECK(as_tensor(std::span<float>{}, 3, 0).shape(0) == 3);
}

TEST_CASE("grades_tensor shows grades without a copy") {
  Dataset const data = small();
  auto const all = grades_tensor(data);
  auto const query = grades_tensor(data[1]);
  CHECK(all.shape(0) == 3);
  CHECK(all.data() == data.parts().grades.data());
  CHECK(query.data() == data[1].grades().data());
  CHECK(int{query(0)} == 2);
}

TEST_CASE("as_tensor of messages is clients x parameters") {
  auto const messages = messages_of({{1, 2, 3}, {4, 5, 6}});
  auto const all = as_tensor(std::span(messages));
  CHECK((all == Matrix<float>{{1, 2, 3}, {4, 5, 6}}));
  CHECK((as_tensor(messages) == all));
  CHECK(all.data() != messages[0].message.values.data());
}

TEST_CASE("as_tensor: messages of different lengths are an error that names the client") {
  auto const messages = messages_of({{1, 2}, {4, 5}, {7}});
  CHECK_THROWS_WITH(as_tensor(messages),
                    "as_tensor: required messages of 2 values like the first one, got 1 values from client 2");
  CHECK_THROWS_AS(as_tensor(messages), std::invalid_argument);
}

TEST_CASE("The coordinate-wise median of messages agrees with the middle of sorted columns") {
  for (std::size_t const clients : {1U, 2U, 5U, 6U}) {
    Stream stream(clients);
    std::vector<std::vector<float>> rows(clients, std::vector<float>(7));
    for (auto& row : rows)
      for (float& v : row) v = static_cast<float>(stream.normal());
    xt::xtensor<float, 1> const medians = xt::median(as_tensor(messages_of(rows)), 0);
    for (std::size_t k = 0; k < 7; ++k) {
      std::vector<float> column;
      for (auto const& row : rows) column.push_back(row[k]);
      std::ranges::sort(column);
      CHECK(medians(k) == Approx((column[(clients - 1) / 2] + column[clients / 2]) / 2));
    }
  }
}

TEST_CASE("parameters_tensor changes the ranker") {
  LinearRanker ranker(std::vector<float>{1, 2, 3});
  CHECK(parameters_tensor(ranker).data() == ranker.parameters().data());
  CHECK(parameters_tensor(std::as_const(ranker)).data() == ranker.parameters().data());
  auto const weights = [&] { return std::vector<float>(ranker.parameters().begin(), ranker.parameters().end()); };

  parameters_tensor(ranker) += 1.0F;
  CHECK(weights() == std::vector<float>{2, 3, 4});
  parameters_tensor(ranker) = xt::xtensor<float, 1>{5, 6, 7};
  CHECK(weights() == std::vector<float>{5, 6, 7});
  auto view = parameters_tensor(ranker);
  view = 2.0F * view;
  view(0) = 0;
  CHECK(weights() == std::vector<float>{0, 12, 14});
  view = xt::zeros<float>({3});
  CHECK(weights() == std::vector<float>{0, 0, 0});
}

TEST_CASE("Assigning one view to another copies the values") {
  LinearRanker a(std::vector<float>{1, 2, 3});
  LinearRanker b(std::vector<float>{4, 5, 6});
  parameters_tensor(a) = parameters_tensor(b);
  parameters_tensor(b) = 0.0F * parameters_tensor(b);
  CHECK(std::vector<float>(a.parameters().begin(), a.parameters().end()) == std::vector<float>{4, 5, 6});
  auto view = parameters_tensor(b);
  view = parameters_tensor(std::as_const(a));
  CHECK(b.parameters()[2] == 6.0F);
  CHECK(view.data() == b.parameters().data());
}

TEST_CASE("An assignment of another shape throws and changes nothing") {
  LinearRanker ranker(std::vector<float>{1, 2, 3});
  CHECK_THROWS(parameters_tensor(ranker) = xt::xtensor<float, 1>{5, 6});
  CHECK_THROWS(parameters_tensor(ranker) = xt::xtensor<float, 1>{5, 6, 7, 8});
  CHECK(ranker.parameters()[0] == 1.0F);
}

TEST_CASE("as_tensor of a span is a matrix, row by row") {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  auto m = as_tensor(std::span(values), 2, 3);
  CHECK(&m(1, 0) == values.data() + 3);
  xt::row(m, 1) += xt::xtensor<float, 1>{10, 20, 30};
  CHECK(values == std::vector<float>{1, 2, 3, 14, 25, 36});
  m = m * 2.0F;
  CHECK(values[5] == 72.0F);
  CHECK_THROWS_WITH(as_tensor(std::span(values), 2, 4), "as_tensor: required a span of 2 x 4 values, got 6");
  CHECK_THROWS_AS(as_tensor(std::span(values), 2, 0), std::invalid_argument);
}

TEST_CASE("document_scores are the scores of all queries in order") {
  Dataset const data = small();
  auto const scores = document_scores(LinearRanker(std::vector<float>{1, 10, 100}), data);
  CHECK((scores == xt::xtensor<float, 1>{321, 654, 987}));
}

TEST_CASE("query_values has NaN where the metric skips the query") {
  Dataset const data = random_dataset(3, {.queries = 40});
  LinearRanker const ranker(std::vector<float>{1, -1, 0.5F, 2, 0});
  Ndcg const metric{.cutoff = 5, .empty = NoRelevantDocuments::skip};
  auto const values = query_values(ranker, data, metric);
  REQUIRE(values.shape(0) == data.size());
  std::size_t skipped = 0;
  double sum = 0;
  for (std::size_t q = 0; q < data.size(); ++q) {
    bool const relevant = !data[q].ideal().empty() && data[q].ideal()[0] > 0;
    CHECK(std::isnan(values(q)) == !relevant);
    relevant ? sum += values(q) : static_cast<double>(++skipped);
  }
  CHECK(skipped > 0);
  CHECK(sum / static_cast<double>(data.size() - skipped) == Approx(evaluate(ranker, data, metric)));
  CHECK(xt::nanmean(values)() == Approx(evaluate(ranker, data, metric)));
}

TEST_CASE("make_dataset from tensors equals make_dataset from sizes") {
  std::vector<Grade> const grades{0, 1, 2, 0};
  std::vector<std::size_t> const sizes{2, 1, 1};
  Dataset const expected = make_dataset(features, grades, sizes);
  CHECK(testing::same_dataset(
      expected, make_dataset(features, xt::xtensor<int, 1>{0, 1, 2, 0}, xt::xtensor<std::int64_t, 1>{1, 1, 2, 3})));
  // Any arithmetic type, any expression.
  Matrix<double> const half = 0.5 * features;
  CHECK(testing::same_dataset(expected, make_dataset(2.0 * half, xt::xtensor<double, 1>{0.0, 1.0, 2.0, 0.0},
                                                     xt::cast<std::uint8_t>(xt::xtensor<int, 1>{0, 0, 1, 2} + 1))));
  CHECK(testing::same_dataset(
      expected, make_dataset(as_tensor(expected), grades_tensor(expected), xt::xtensor<std::uint64_t, 1>{1, 1, 2, 3})));
  xt::xtensor<float, 2, xt::layout_type::column_major> const columns = features;
  CHECK(
      testing::same_dataset(expected, make_dataset(columns, grades_tensor(expected), xt::xtensor<int, 1>{1, 1, 2, 3})));
}

TEST_CASE("make_dataset keeps query ids and their order") {
  auto const low = std::numeric_limits<std::int64_t>::min();
  Dataset const data =
      make_dataset(features, xt::xtensor<int, 1>{0, 1, 2, 0}, xt::xtensor<std::int64_t, 1>{9, 9, low, -3});
  REQUIRE(data.size() == 3);
  CHECK(data.qid(0) == "9");
  CHECK(data.qid(1) == "-9223372036854775808");
  CHECK(data.qid(2) == "-3");
  CHECK(data[0].document_count() == 2);

  Dataset const none = make_dataset(xt::xtensor<float, 2>(std::array<std::size_t, 2>{0, 5}),
                                    xt::xtensor<int, 1>(std::array<std::size_t, 1>{0}),
                                    xt::xtensor<int, 1>(std::array<std::size_t, 1>{0}));
  CHECK(none.size() == 0);
  CHECK(none.feature_count() == 5);
}

TEST_CASE("make_dataset: errors name the argument and both values") {
  xt::xtensor<int, 1> const grades{0, 1, 2, 0};
  xt::xtensor<int, 1> const ids{1, 1, 2, 3};
  CHECK_THROWS_WITH(make_dataset(features, grades, xt::xtensor<int, 1>{1, 2, 2, 1}),
                    "make_dataset: required consecutive rows for the documents of a query, got query 1 again in row 3 "
                    "(counted from 0)");
  CHECK_THROWS_WITH(make_dataset(features, xt::xtensor<int, 1>{0, 31, 2, 0}, ids),
                    "make_dataset: required a whole grade of 0 to 30 in row 1 (counted from 0), got 31");
  CHECK_THROWS_WITH(make_dataset(features, xt::xtensor<int, 1>{-1, 1, 2, 0}, ids), ContainsSubstring("got -1"));
  CHECK_THROWS_WITH(make_dataset(features, xt::xtensor<double, 1>{0, 0.5, 2, 0}, ids), ContainsSubstring("got 0.5"));
  CHECK_THROWS_WITH(make_dataset(features, xt::xtensor<double, 1>{0, std::nan(""), 2, 0}, ids),
                    ContainsSubstring("got nan"));
  CHECK_THROWS_WITH(make_dataset(features, xt::xtensor<int, 1>{0, 1, 2}, ids),
                    "make_dataset: required one grade per row of the features, 4 in all, got 3");
  CHECK_THROWS_WITH(make_dataset(features, grades, xt::xtensor<int, 1>{1, 1, 2, 3, 3}),
                    "make_dataset: required one query id per row of the features, 4 in all, got 5");
  for (double const value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Matrix<double> broken = features;
    broken(2, 1) = value;
    CHECK_THROWS_WITH(make_dataset(broken, grades, ids),
                      ContainsSubstring("required finite features in row 2, column 1 (counted from 0), got"));
    CHECK_THROWS_AS(make_dataset(broken, grades, ids), std::invalid_argument);
  }
}

TEST_CASE("make_dataset: tensors of the wrong dimension are an error") {
  xt::xarray<float> const line = xt::xtensor<float, 1>{1, 2};
  xt::xtensor<int, 1> const two{1, 2};
  xt::xarray<int> const column = xt::xtensor<int, 2>{{1}, {2}};
  CHECK_THROWS_WITH(make_dataset(line, two, two), "make_dataset: required features of 2 dimensions, got 1 dimensions");
  CHECK_THROWS_WITH(make_dataset(Matrix<float>{{1}, {2}}, column, two),
                    "make_dataset: required grades of 1 dimension, got 2 dimensions");
  CHECK_THROWS_WITH(make_dataset(Matrix<float>{{1}, {2}}, two, column),
                    "make_dataset: required query ids of 1 dimension, got 2 dimensions");
}
