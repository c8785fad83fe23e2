#include <fltr/data/displayed_documents.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

TEST_CASE("Displayed documents are a copy of the features in rank order, without grades") {
  auto const data = fltr::testing::dataset_of({{{2, {1, 2, 3}}, {0, {4, 5, 6}}, {1, {7, 8, 9}}}}, 3);
  std::vector<std::uint32_t> const order{2, 0};
  std::vector<fltr::Grade> const grades{1, 2};
  fltr::DisplayedDocuments list(fltr::DisplayedList(data[0], order, grades));
  auto const moved = std::move(list);
  auto const query = moved.documents();
  REQUIRE(query.document_count() == 2);
  CHECK(query.feature_count() == 3);
  CHECK(query.stride() == data.stride());
  CHECK(std::vector<float>(query.row(0).begin(), query.row(0).end()) == std::vector<float>{7, 8, 9});
  CHECK(std::vector<float>(query.row(1).begin(), query.row(1).end()) == std::vector<float>{1, 2, 3});
  for (std::size_t pad = 3; pad < query.stride(); ++pad) CHECK(query.rows()[pad] == 0.0F);
  CHECK(query.grades()[0] == 0);
  CHECK(query.grades()[1] == 0);
}

TEST_CASE("An empty list has no documents") {
  auto const data = fltr::testing::dataset_of({{{2, {1, 2, 3}}}}, 3);
  fltr::DisplayedDocuments const list(fltr::DisplayedList(data[0], {}, {}));
  CHECK(list.size() == 0);
  CHECK(list.documents().document_count() == 0);
}
