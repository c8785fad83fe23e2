#include <fltr/data/normalize.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"

using fltr::Dataset;
using fltr::Fold;
using fltr::Normalization;
using fltr::normalize_per_query;
using fltr::ZScore;
using fltr::testing::dataset_of;
using fltr::testing::same_dataset;

namespace {

constexpr float largest = std::numeric_limits<float>::max();
constexpr float least = std::numeric_limits<float>::denorm_min();

std::vector<float> column(Dataset const& data, std::size_t query, std::size_t feature) {
  std::vector<float> values;
  for (std::size_t d = 0; d < data[query].document_count(); ++d) values.push_back(data[query].row(d)[feature]);
  return values;
}

bool padded_with_zeros(Dataset const& data) {
  for (std::size_t d = 0; d < data.document_count(); ++d)
    for (std::size_t k = data.feature_count(); k < data.stride(); ++k)
      if (data.parts().features.data()[d * data.stride() + k] != 0.0F) return false;
  return true;
}

}  // namespace

TEST_CASE("normalize_per_query scales each feature to [0, 1] within each query") {
  auto const data = normalize_per_query(dataset_of(
      {{{0, {2, 5, -1}}, {1, {4, 5, 1}}, {2, {3, 5, 3}}}, {{0, {100, -5, 0}}, {0, {300, -7, 0}}}, {{1, {8, 9, 10}}}},
      3));
  CHECK(column(data, 0, 0) == std::vector<float>{0, 1, 0.5F});
  CHECK(column(data, 0, 1) == std::vector<float>{0, 0, 0});  // constant
  CHECK(column(data, 0, 2) == std::vector<float>{0, 0.5F, 1});
  CHECK(column(data, 1, 0) == std::vector<float>{0, 1});
  CHECK(column(data, 1, 1) == std::vector<float>{1, 0});
  CHECK(column(data, 1, 2) == std::vector<float>{0, 0});
  for (std::size_t k = 0; k < 3; ++k) CHECK(column(data, 2, k) == std::vector<float>{0});  // one document
  CHECK(padded_with_zeros(data));
  CHECK(same_dataset(normalize_per_query(data), data));  // a second scaling changes nothing
}

TEST_CASE("normalize_per_query does not overflow for the largest floats") {
  auto const data = normalize_per_query(
      dataset_of({{{0, {-largest, 0, 1}}, {0, {largest, least, 1}}, {0, {0, 0, std::nextafter(1.0F, 2.0F)}}}}, 3));
  CHECK(column(data, 0, 0) == std::vector<float>{0, 1, 0.5F});
  CHECK(column(data, 0, 1) == std::vector<float>{0, 1, 0});
  CHECK(column(data, 0, 2) == std::vector<float>{0, 0, 1});
}

TEST_CASE("A normalisation keeps grades, queries and identifiers, and the memory of a Dataset that is moved in") {
  auto data = fltr::parse_letor("2 qid:a 1:1 #docid = A1\n1 qid:a 1:3 #docid = A2\n0 qid:b 1:5 #docid = B1\n", "x");
  auto const expected =
      fltr::parse_letor("2 qid:a 1:0 #docid = A1\n1 qid:a 1:1 #docid = A2\n0 qid:b 1:0 #docid = B1\n", "x");
  Dataset const copy = data;
  auto const* const before = data.parts().features.data();
  auto const scaled = normalize_per_query(std::move(data));
  CHECK(same_dataset(scaled, expected));
  CHECK(scaled.parts().features.data() == before);
  CHECK(copy[0].row(1)[0] == 3.0F);
  CHECK(same_dataset(normalize_per_query(Dataset()), Dataset()));
}

TEST_CASE("ZScore gives the values that were computed by hand") {
  // 1, 2, 3, 4: mean 5/2, deviation sqrt(5)/2. 0, 0, 0, 8: mean 2, deviation 2 sqrt(3).
  auto const train = dataset_of({{{0, {1, 7, 0}}, {1, {2, 7, 0}}}, {{0, {3, 7, 0}}, {2, {4, 7, 8}}}}, 3);
  auto const score = ZScore::fit(train);
  CHECK(score.mean == std::vector<double>{2.5, 7, 2});
  CHECK(score.deviation[0] == Approx(std::sqrt(5.0) / 2).epsilon(1e-15));
  CHECK(score.deviation[1] == 0.0);
  CHECK(score.deviation[2] == Approx(2 * std::sqrt(3.0)).epsilon(1e-15));

  auto const scaled = score.apply(train);
  CHECK(column(scaled, 0, 0) == std::vector<float>{-1.3416407865F, -0.4472135955F});
  CHECK(column(scaled, 1, 0) == std::vector<float>{0.4472135955F, 1.3416407865F});
  CHECK(column(scaled, 0, 1) == std::vector<float>{0, 0});
  CHECK(column(scaled, 1, 2) == std::vector<float>{-0.57735026919F, 1.7320508076F});
  CHECK(padded_with_zeros(scaled));
  CHECK(same_dataset(fltr::normalize_zscore(train), scaled));

  // Another Dataset gets the same scale. A feature that was constant becomes 0.
  auto const test = score.apply(dataset_of({{{0, {2.5F, 9, 2}}}}, 3));
  CHECK(column(test, 0, 0) == std::vector<float>{0});
  CHECK(column(test, 0, 1) == std::vector<float>{0});
  CHECK(column(test, 0, 2) == std::vector<float>{0});
}

TEST_CASE("Z-scores of many documents have mean 0 and deviation 1") {
  auto const data = fltr::testing::random_dataset(4, {.queries = 400, .features = 9});
  auto const again = ZScore::fit(fltr::normalize_zscore(data));
  for (std::size_t k = 0; k < 9; ++k) {
    CHECK(std::abs(again.mean[k]) < 1e-6);
    CHECK(again.deviation[k] == Approx(1.0).epsilon(1e-6));
  }
}

TEST_CASE("Z-scores of extreme features are finite") {
  auto const train = dataset_of(
      {{{0, {1, -largest, 0.1F}}, {0, {std::nextafter(1.0F, 2.0F), largest, 0.1F}}, {0, {1, largest, 0.1F}}}}, 3);
  auto const score = ZScore::fit(train);
  CHECK(score.deviation[2] == 0.0);
  for (auto const& data :
       {score.apply(train), score.apply(dataset_of({{{0, {largest, -largest, largest}}}, {{1, {-largest, 0, 0}}}}, 3))})
    for (std::size_t q = 0; q < data.size(); ++q)
      for (std::size_t d = 0; d < data[q].document_count(); ++d)
        for (float const value : data[q].row(d)) CHECK(std::abs(value) <= 1e6F);
}

TEST_CASE("ZScore throws for a Dataset without documents and for another number of features") {
  CHECK_THROWS_AS(ZScore::fit(Dataset()), std::invalid_argument);
  auto const score = ZScore::fit(dataset_of({{{0, {1, 2}}}}, 2));
  CHECK_THROWS_WITH(score.apply(dataset_of({{{0, {1, 2, 3}}}}, 3)),
                    "ZScore::apply: required 2 features, as many as were fitted, got 3");
  auto data = dataset_of({{{0, {1, 2}}}}, 2);
  auto const* const before = data.parts().features.data();
  auto const applied = score.apply(std::move(data));
  CHECK(applied.parts().features.data() == before);
}

TEST_CASE("normalize scales a fold with the statistics of its training part") {
  Fold const fold{dataset_of({{{0, {0}}, {0, {4}}}}, 1), dataset_of({{{0, {2}}, {0, {6}}}}, 1),
                  dataset_of({{{0, {8}}}}, 1)};
  auto const none = fltr::normalize(fold, Normalization::none);
  CHECK(same_dataset(none.test, fold.test));
  auto const query = fltr::normalize(fold, Normalization::query);
  CHECK(column(query.train, 0, 0) == std::vector<float>{0, 1});
  CHECK(column(query.vali, 0, 0) == std::vector<float>{0, 1});
  CHECK(column(query.test, 0, 0) == std::vector<float>{0});
  auto const zscore = fltr::normalize(fold, Normalization::zscore);  // mean 2, deviation 2
  CHECK(column(zscore.train, 0, 0) == std::vector<float>{-1, 1});
  CHECK(column(zscore.vali, 0, 0) == std::vector<float>{0, 2});
  CHECK(column(zscore.test, 0, 0) == std::vector<float>{3});
}

TEST_CASE("A FittedNormalization scales other documents like the training documents") {
  Fold const fold{dataset_of({{{0, {0}}, {0, {4}}}}, 1), dataset_of({{{0, {2}}, {0, {6}}}}, 1),
                  dataset_of({{{0, {8}}, {1, {12}}}}, 1)};
  for (auto const how : {Normalization::none, Normalization::query, Normalization::zscore}) {
    auto const fitted = fltr::FittedNormalization::fit(how, fold.train);
    CHECK(fitted.kind() == how);
    CHECK(fitted.consistent(1));
    CHECK(same_dataset(fitted.apply(fold.test), fltr::normalize(fold, how).test));
    fltr::FittedNormalization again;
    auto const bytes = fltr::field_bytes(fitted);
    fltr::FieldReader(bytes).read(again);
    CHECK(again == fitted);
  }
  auto const fitted = fltr::FittedNormalization::fit(Normalization::zscore, fold.train);
  CHECK(fitted.zscore() == ZScore{{2.0}, {2.0}});
  CHECK(column(fitted.apply(fold.test), 0, 0) == std::vector<float>{3, 5});  // not with the mean of the test documents
  CHECK_FALSE(fitted.consistent(2));
}

TEST_CASE("A FittedNormalization with invalid fields is not consistent") {
  auto const with = [](std::uint8_t kind, ZScore const& score) {
    fltr::FieldWriter writer;
    writer.write(kind);
    writer.write(score);
    fltr::FittedNormalization fitted;
    fltr::FieldReader(writer.bytes()).read(fitted);
    return fitted;
  };
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(with(0, {}).consistent(1));
  CHECK(with(2, {{1}, {0}}).consistent(1));
  CHECK_FALSE(with(3, {}).consistent(1));
  CHECK_FALSE(with(0, {{1}, {1}}).consistent(1));
  CHECK_FALSE(with(2, {{1}, {}}).consistent(1));
  CHECK_FALSE(with(2, {{nan}, {1}}).consistent(1));
  CHECK_FALSE(with(2, {{1}, {-1}}).consistent(1));
  CHECK_FALSE(with(2, {{1}, {nan}}).consistent(1));
}
