#include <fltr/data/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::AlignedFloats;
using fltr::Dataset;
using fltr::DatasetParts;
using fltr::Grade;
using fltr::StringList;

std::vector<Grade> grades(std::span<Grade const> list) { return {list.begin(), list.end()}; }

StringList names(std::size_t n) {
  StringList list;
  for (std::size_t i = 0; i < n; ++i) list.push_back('q' + std::to_string(i));
  return list;
}

/// Two queries of 3 and 1 documents with 2 features. The features are different numbers.
DatasetParts parts() {
  DatasetParts p{2, AlignedFloats(4 * 8), {1, 0, 2, 0}, {0, 3, 4}, names(2), {}};
  std::ranges::fill(p.features.span(), 0.0F);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 2; ++k) p.features.data()[i * 8 + k] = static_cast<float>(10 * i + k);
  return p;
}

}  // namespace

TEST_CASE("A Dataset returns its queries, documents, features and grades") {
  Dataset const data(parts());
  CHECK(data.size() == 2);
  CHECK(data.document_count() == 4);
  CHECK(data.feature_count() == 2);
  CHECK(data.stride() == 8);
  CHECK(data.qid(1) == "q1");
  CHECK(!data.has_docids());
  CHECK(data.first_document(1) == 3);

  auto const query = data[0];
  CHECK(query.document_count() == 3);
  CHECK(query.feature_count() == 2);
  CHECK(grades(query.grades()) == std::vector<Grade>{1, 0, 2});
  CHECK(query.row(2).size() == 2);
  CHECK(query.row(2)[0] == 20.0F);
  CHECK(query.row(2)[1] == 21.0F);
  CHECK(query.rows() + query.stride() == query.row(1).data());
  CHECK(data[1].row(0)[1] == 31.0F);
}

TEST_CASE("The ideal list of a query has its grades from the highest to the lowest") {
  Dataset const data(parts());
  CHECK(grades(data[0].ideal()) == std::vector<Grade>{2, 1, 0});
  CHECK(grades(data[1].ideal()) == std::vector<Grade>{0});
  Dataset const random = fltr::testing::random_dataset(4, {.queries = 200, .grades = 31});
  for (std::size_t q = 0; q < random.size(); ++q) {
    auto sorted = grades(random[q].grades());
    std::ranges::sort(sorted, std::greater<>());
    CHECK(grades(random[q].ideal()) == sorted);
  }
}

TEST_CASE("A Dataset counts its grades and its queries without relevant documents") {
  Dataset const data(parts());
  CHECK(data.grade_count() == 3);
  CHECK(data.empty_query_count() == 1);
  using fltr::testing::dataset_of;
  CHECK(dataset_of({{{0, {}}, {0, {}}}}, 0).grade_count() == 1);
  CHECK(dataset_of({{{30, {}}}}, 0).grade_count() == 31);
  // A query without documents has no relevant document.
  CHECK(dataset_of({{}, {{1, {}}}, {{0, {}}}, {}}, 0).empty_query_count() == 3);
}

TEST_CASE("A default-constructed Dataset is empty") {
  Dataset const data;
  CHECK(data.size() == 0);
  CHECK(data.document_count() == 0);
  CHECK(data.grade_count() == 0);
  CHECK(data.empty_query_count() == 0);
  CHECK(data.queries().empty());
}

TEST_CASE("Dataset throws for inconsistent parts") {
  DatasetParts p = parts();
  SECTION("no offsets") { p.query_offsets.clear(); }
  SECTION("first offset above 0") { p.query_offsets = {1, 3, 4}; }
  SECTION("last offset below the number of documents") { p.query_offsets = {0, 1, 3}; }
  SECTION("last offset above the number of documents") { p.query_offsets = {0, 3, 5}; }
  SECTION("descending offsets") { p.query_offsets = {0, 4, 3, 4}; }
  SECTION("too few features") { p.features = AlignedFloats(4 * 8 - 1); }
  SECTION("features without padding") { p.features = AlignedFloats(4 * 2); }
  SECTION("too few qids") { p.qids = names(1); }
  SECTION("too many qids") { p.qids = names(3); }
  SECTION("docids of some documents only") { p.docids = names(3); }
  SECTION("a grade of 31") { p.grades[2] = 31; }
  SECTION("a grade of 255") { p.grades[0] = 255; }
  CHECK_THROWS_AS(Dataset(std::move(p)), std::invalid_argument);
}

TEST_CASE("The errors of Dataset have the invalid value") {
  DatasetParts p = parts();
  SECTION("grade") {
    p.grades[3] = 31;
    CHECK_THROWS_WITH(Dataset(std::move(p)), "Dataset: required grades of 0 to 30, got 31");
  }
  SECTION("offsets") {
    p.query_offsets = {0, 3, 5};
    CHECK_THROWS_WITH(Dataset(std::move(p)),
                      "Dataset: required ascending query offsets from 0 to the number of grades, got 5");
  }
}

TEST_CASE("A Dataset returns its docids") {
  DatasetParts p = parts();
  for (auto const* id : {"GX000-00-0000000", "", "b", "c"}) p.docids.push_back(id);
  Dataset const data(std::move(p));
  CHECK(data.has_docids());
  CHECK(data.docid(0) == "GX000-00-0000000");
  CHECK(data.docid(1).empty());
  CHECK(data.docid(3) == "c");
}

TEST_CASE("queries() is a range of all queries in order") {
  Dataset const data(parts());
  auto const queries = data.queries();
  CHECK(queries.size() == 2);
  CHECK(queries[1].row(0)[0] == 30.0F);
  std::size_t documents = 0;
  for (auto const query : data.queries()) documents += query.document_count();
  CHECK(documents == 4);
}

TEST_CASE("A copy of a Dataset has its own memory, and release returns the parts") {
  Dataset data(parts());
  Dataset const copy = data;
  CHECK(copy[0].rows() != data[0].rows());
  DatasetParts taken = std::move(data).release();
  taken.features.data()[0] = -1.0F;
  Dataset const remade(std::move(taken));
  CHECK(remade[0].row(0)[0] == -1.0F);
  CHECK(copy[0].row(0)[0] == 0.0F);
}

TEST_CASE("stride_for rounds the number of features up to a multiple of eight") {
  STATIC_REQUIRE(Dataset::stride_for(0) == 0);
  STATIC_REQUIRE(Dataset::stride_for(1) == 8);
  STATIC_REQUIRE(Dataset::stride_for(8) == 8);
  STATIC_REQUIRE(Dataset::stride_for(46) == 48);
  STATIC_REQUIRE(Dataset::stride_for(136) == 136);
}

namespace {

void check_empty(Dataset const& data) {
  CHECK(data.size() == 0);
  CHECK(data.document_count() == 0);
  CHECK(data.feature_count() == 0);
  CHECK(data.stride() == 0);
  CHECK(data.grade_count() == 0);
  CHECK(data.empty_query_count() == 0);
  CHECK_FALSE(data.has_docids());
  CHECK(data.parts().features.size() == 0);
  CHECK(data.queries().empty());
  CHECK(Dataset(data).size() == 0);
  CHECK(Dataset(Dataset(data).release()).size() == 0);
}

}  // namespace

TEST_CASE("A moved-from Dataset is empty and can be assigned") {
  Dataset data(parts());
  Dataset other = std::move(data);
  CHECK(other.size() == 2);
  check_empty(data);  // NOLINT(bugprone-use-after-move)
  data = std::move(other);
  CHECK(data.size() == 2);
  CHECK(data[1].row(0)[0] == 30.0F);
  check_empty(other);  // NOLINT(bugprone-use-after-move)
  (void)std::move(data).release();
  check_empty(data);  // NOLINT(bugprone-use-after-move)
  STATIC_REQUIRE(
      std::is_nothrow_move_constructible_v<Dataset>);  // otherwise a vector would copy its Datasets when it grows
}

// compile_fail/*_of_temporary*.cpp: views of a temporary Dataset do not compile.
TEST_CASE("The identifiers of a temporary Dataset are returned as copies") {
  STATIC_REQUIRE(std::is_same_v<decltype(Dataset(parts()).qid(0)), std::string>);
  STATIC_REQUIRE(std::is_same_v<decltype(Dataset(parts()).docid(0)), std::string>);
}
