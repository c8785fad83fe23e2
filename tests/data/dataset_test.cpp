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

#include <fltr/core/fields.hpp>
#include <fltr/core/tensor.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::AlignedFloats;
using fltr::Dataset;
using fltr::DatasetParts;
using fltr::Grade;
using fltr::StringList;

template <class D>
concept ShowsQueries = requires(D&& data) {
  std::forward<D>(data).queries();
};

std::vector<Grade> grades(std::span<Grade const> list) { return {list.begin(), list.end()}; }

StringList names(std::size_t n) {
  StringList list;
  for (std::size_t i = 0; i < n; ++i) list.push_back('q' + std::to_string(i));
  return list;
}

/// Two queries of 3 and 1 documents with 2 features, the features counting up.
DatasetParts parts() {
  DatasetParts p{2, AlignedFloats(4 * 8), {1, 0, 2, 0}, {0, 3, 4}, names(2), {}};
  std::ranges::fill(p.features.span(), 0.0F);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 2; ++k) p.features.data()[i * 8 + k] = static_cast<float>(10 * i + k);
  return p;
}

}  // namespace

TEST_CASE("a Dataset shows its queries") {
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
  CHECK(grades(query.labels()) == std::vector<Grade>{1, 0, 2});
  CHECK(query.row(2).size() == 2);
  CHECK(query.row(2)[0] == 20.0F);
  CHECK(query.row(2)[1] == 21.0F);
  CHECK(query.rows() + query.stride() == query.row(1).data());
  CHECK(data[1].row(0)[1] == 31.0F);
}

TEST_CASE("the ideal list of a query is its grades from the highest to the lowest") {
  Dataset const data(parts());
  CHECK(grades(data[0].ideal()) == std::vector<Grade>{2, 1, 0});
  CHECK(grades(data[1].ideal()) == std::vector<Grade>{0});
  Dataset const random = fltr::testing::random_dataset(4, {.queries = 200, .grades = 31});
  for (std::size_t q = 0; q < random.size(); ++q) {
    auto sorted = grades(random[q].labels());
    std::ranges::sort(sorted, std::greater<>());
    CHECK(grades(random[q].ideal()) == sorted);
  }
}

TEST_CASE("a Dataset counts grades and queries without anything relevant") {
  Dataset const data(parts());
  CHECK(data.grade_count() == 3);
  CHECK(data.empty_query_count() == 1);
  using fltr::testing::dataset_of;
  CHECK(dataset_of({{{0, {}}, {0, {}}}}, 0).grade_count() == 1);
  CHECK(dataset_of({{{30, {}}}}, 0).grade_count() == 31);
  // A query without documents has nothing relevant either.
  CHECK(dataset_of({{}, {{1, {}}}, {{0, {}}}, {}}, 0).empty_query_count() == 3);
}

TEST_CASE("an empty Dataset") {
  Dataset const data;
  CHECK(data.size() == 0);
  CHECK(data.document_count() == 0);
  CHECK(data.grade_count() == 0);
  CHECK(data.empty_query_count() == 0);
  CHECK(data.queries().empty());
}

TEST_CASE("a Dataset refuses parts that do not fit together") {
  DatasetParts p = parts();
  SECTION("no offsets") { p.query_offsets.clear(); }
  SECTION("offsets that start late") { p.query_offsets = {1, 3, 4}; }
  SECTION("offsets that end early") { p.query_offsets = {0, 1, 3}; }
  SECTION("offsets that end late") { p.query_offsets = {0, 3, 5}; }
  SECTION("offsets that fall") { p.query_offsets = {0, 4, 3, 4}; }
  SECTION("too few features") { p.features = AlignedFloats(4 * 8 - 1); }
  SECTION("features without padding") { p.features = AlignedFloats(4 * 2); }
  SECTION("too few qids") { p.qids = names(1); }
  SECTION("too many qids") { p.qids = names(3); }
  SECTION("docids of some documents only") { p.docids = names(3); }
  SECTION("a grade of 31") { p.labels[2] = 31; }
  SECTION("a grade of 255") { p.labels[0] = 255; }
  CHECK_THROWS_AS(Dataset(std::move(p)), std::invalid_argument);
}

TEST_CASE("the sentences of a Dataset's errors give the number") {
  DatasetParts p = parts();
  SECTION("grade") {
    p.labels[3] = 31;
    CHECK_THROWS_WITH(Dataset(std::move(p)), "Dataset: required grades of 0 to 30, got 31");
  }
  SECTION("offsets") {
    p.query_offsets = {0, 3, 5};
    CHECK_THROWS_WITH(Dataset(std::move(p)),
                      "Dataset: required query offsets that rise from 0 to the number of labels, got 5");
  }
}

TEST_CASE("docids are kept") {
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
  STATIC_REQUIRE(ShowsQueries<Dataset const&>);
  STATIC_REQUIRE(!ShowsQueries<Dataset>);  // they would outlive a temporary
}

TEST_CASE("a copy of a Dataset is a Dataset of its own; the parts can be taken out again") {
  Dataset data(parts());
  Dataset const copy = data;
  CHECK(copy[0].rows() != data[0].rows());
  DatasetParts taken = std::move(data).release();
  taken.features.data()[0] = -1.0F;
  Dataset const remade(std::move(taken));
  CHECK(remade[0].row(0)[0] == -1.0F);
  CHECK(copy[0].row(0)[0] == 0.0F);
}

TEST_CASE("make_dataset takes an xtensor matrix") {
  fltr::Matrix<double> const matrix{{1.5, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  std::vector<Grade> const labels{2, 0, 1};
  std::vector<std::size_t> const sizes{1, 0, 2};
  Dataset const data = fltr::make_dataset(matrix, labels, sizes);
  REQUIRE(data.size() == 3);
  CHECK(data.feature_count() == 3);
  CHECK(data[0].row(0)[0] == 1.5F);
  CHECK(data[1].document_count() == 0);
  CHECK(data[2].row(1)[2] == 9.0F);
  CHECK(grades(data[2].labels()) == std::vector<Grade>{0, 1});
  CHECK(data.qid(0) == "1");
  CHECK(data.qid(2) == "3");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 3; k < 8; ++k) CHECK(data[0].rows()[i * 8 + k] == 0.0F);
}

TEST_CASE("make_dataset refuses what does not fit together") {
  fltr::Matrix<float> matrix{{1, 2}, {3, 4}, {5, 6}};
  std::vector<Grade> labels{0, 1, 2};
  std::vector<std::size_t> sizes{1, 2};
  REQUIRE_NOTHROW(fltr::make_dataset(matrix, labels, sizes));
  SECTION("too few labels") { labels.pop_back(); }
  SECTION("too many labels") { labels.push_back(0); }
  SECTION("sizes that add up to less") { sizes = {1, 1}; }
  SECTION("sizes that add up to more") { sizes = {2, 2}; }
  SECTION("sizes that wrap around") { sizes = {2, std::numeric_limits<std::size_t>::max(), 2}; }
  SECTION("a grade of 31") { labels[1] = 31; }
  SECTION("a feature that is not a number") { matrix(1, 1) = std::nanf(""); }
  SECTION("an infinite feature") { matrix(2, 0) = -std::numeric_limits<float>::infinity(); }
  CHECK_THROWS_AS(fltr::make_dataset(matrix, labels, sizes), std::invalid_argument);
}

TEST_CASE("make_dataset refuses a double that no float can hold") {
  fltr::Matrix<double> const matrix{{1e39}};
  std::vector<Grade> const labels{0};
  std::vector<std::size_t> const sizes{1};
  CHECK_THROWS_WITH(fltr::make_dataset(matrix, labels, sizes),
                    "make_dataset: required finite features in row 0, column 0 (counted from 0), got inf");
}

TEST_CASE("the stride is the features rounded up to a multiple of eight") {
  STATIC_REQUIRE(Dataset::stride_for(0) == 0);
  STATIC_REQUIRE(Dataset::stride_for(1) == 8);
  STATIC_REQUIRE(Dataset::stride_for(8) == 8);
  STATIC_REQUIRE(Dataset::stride_for(46) == 48);
  STATIC_REQUIRE(Dataset::stride_for(136) == 136);
}

TEST_CASE("a StringList keeps its strings apart") {
  StringList list;
  CHECK(list.empty());
  list.push_back("");
  list.push_back("abc");
  list.push_back("");
  list.push_back("d");
  REQUIRE(list.size() == 4);
  CHECK(list[0].empty());
  CHECK(list[1] == "abc");
  CHECK(list[2].empty());
  CHECK(list[3] == "d");
  StringList copy;
  auto const bytes = fltr::field_bytes(list);
  fltr::FieldReader(bytes).read(copy);
  REQUIRE(copy.size() == 4);
  CHECK(copy[3] == "d");
}

namespace {

template <class D>
concept ShowsOneQuery = requires(D&& data) {
  std::forward<D>(data)[0];
};
template <class D>
concept ShowsParts = requires(D&& data) {
  std::forward<D>(data).parts();
};

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

TEST_CASE("a moved-from Dataset is empty and can be used again") {
  Dataset data(parts());
  Dataset other = std::move(data);
  CHECK(other.size() == 2);
  check_empty(data);  // NOLINT(bugprone-use-after-move)
  data = std::move(other);
  CHECK(data.size() == 2);
  CHECK(data[1].row(0)[0] == 30.0F);
  check_empty(other);  // NOLINT(bugprone-use-after-move)
  (void)std::move(data).release();
  check_empty(data);                                              // NOLINT(bugprone-use-after-move)
  STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Dataset>);  // a vector of them would copy them otherwise
}

TEST_CASE("views of a temporary Dataset do not compile, identifiers are copied") {
  STATIC_REQUIRE(ShowsOneQuery<Dataset const&>);
  STATIC_REQUIRE(ShowsOneQuery<Dataset&>);
  STATIC_REQUIRE(!ShowsOneQuery<Dataset>);
  STATIC_REQUIRE(!ShowsOneQuery<Dataset const>);
  STATIC_REQUIRE(ShowsParts<Dataset const&>);
  STATIC_REQUIRE(!ShowsParts<Dataset>);
  STATIC_REQUIRE(std::is_same_v<decltype(Dataset(parts()).qid(0)), std::string>);
  STATIC_REQUIRE(std::is_same_v<decltype(Dataset(parts()).docid(0)), std::string>);
}
