#include <fltr/partition/categories_of.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using fltr::testing::dataset_of;

TEST_CASE("A document's category is its value of a feature") {
  auto const data = dataset_of({{{1, {7, 3}}, {0, {8, 4}}}, {}, {{2, {9, 3}}}}, 2);
  CHECK(categories_of(data, 0) == std::vector<float>{7, 8, 9});
  CHECK(categories_of(data, 1) == std::vector<float>{3, 4, 3});
  CHECK_THROWS_WITH(categories_of(data, 2), ContainsSubstring("a feature below 2, the number of features, got 2"));
}
