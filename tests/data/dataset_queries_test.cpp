#include <fltr/data/dataset_queries.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <vector>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <fltr/data/dataset.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using fltr::DatasetQueries;
using fltr::QueryView;

TEST_CASE("DatasetQueries is a random-access view of std and of range-v3") {
  STATIC_REQUIRE(std::random_access_iterator<DatasetQueries::iterator>);
  STATIC_REQUIRE(ranges::random_access_range<DatasetQueries>);
  STATIC_REQUIRE(ranges::sized_range<DatasetQueries>);
  STATIC_REQUIRE(ranges::view_<DatasetQueries>);
}

TEST_CASE("Views of range-v3 apply to the queries of a Dataset") {
  auto const data = fltr::testing::random_dataset(3, {.queries = 20});
  auto const rows = [](QueryView query) { return query.rows(); };
  auto const first =
      data.queries() | ranges::views::take(10) | ranges::views::transform(rows) | ranges::to<std::vector>();
  REQUIRE(first.size() == 10);
  for (std::size_t q = 0; q < first.size(); ++q) CHECK(first[q] == data[q].rows());

  auto const last =
      data.queries() | ranges::views::reverse | ranges::views::transform(rows) | ranges::to<std::vector>();
  REQUIRE(last.size() == 20);
  CHECK(last.front() == data[19].rows());

  std::size_t documents = 0;
  auto const long_lists = [](QueryView query) { return query.document_count() > 3; };
  for (QueryView const query : data.queries() | ranges::views::filter(long_lists)) documents += query.document_count();
  std::size_t expected = 0;
  for (std::size_t q = 0; q < data.size(); ++q) expected += data[q].document_count() > 3 ? data[q].document_count() : 0;
  CHECK(documents == expected);
}

TEST_CASE("Iterators of DatasetQueries move by any distance") {
  auto const data = fltr::testing::random_dataset(4, {.queries = 7});
  auto const queries = data.queries();
  auto it = queries.begin();
  CHECK((*(it + 3)).rows() == data[3].rows());
  CHECK((*(3 + it)).rows() == data[3].rows());
  CHECK(it[5].rows() == data[5].rows());
  it += 4;
  CHECK(it - queries.begin() == 4);
  CHECK((*it--).rows() == data[4].rows());
  CHECK((*it++).rows() == data[3].rows());
  CHECK((*--it).rows() == data[3].rows());
  CHECK((*(it - 1)).rows() == data[2].rows());
  CHECK(it < queries.end());
  CHECK(queries.end() - queries.begin() == 7);
  CHECK(queries.size() == 7);
  CHECK_FALSE(queries.empty());
}
