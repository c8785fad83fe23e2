#include "support/derived_category.hpp"

#include <fltr/partition/categories_of.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using namespace fltr::examples;
using fltr::testing::dataset_of;

TEST_CASE("The category is derived from the feature that leaves the smaller client the most queries") {
  // The first feature is constant, the third divides one query from the others.
  Dataset const data = dataset_of({{{1, {5, 1, 0}}, {0, {5, 0, 0}}},
                                   {{1, {5, 1, 0}}},
                                   {{2, {5, 1, 0}}},
                                   {{1, {5, 0, 0}}},
                                   {{1, {5, 0, 0}}, {0, {5, 1, 9}}},
                                   {{1, {5, 1, 0}}, {1, {5, 0, 1}}, {1, {5, 0, 1}}}},
                                  3);
  auto const found = derive_category(data, {});
  REQUIRE(found);
  // Of the relevant documents four have the value 1 and four have 0. With category 1 the first client has three queries,
  // the second two, and the last query is left over. With category 0 the first would have the last query too, and no
  // query would be left over.
  CHECK(found->feature == 1);
  CHECK(found->threshold == 0);
  CHECK(found->of_the_first == 1);
  CHECK(found->text() == "feature 2 above 0");
  CHECK(found->categories(data) == categories_of(data, 1));
  auto const parts = ByCategory{}.parts(data, found->categories(data), 1);
  CHECK(parts.own == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(parts.others == std::vector<std::uint32_t>{3, 4});
  CHECK(parts.left_over == std::vector<std::uint32_t>{5});
}

TEST_CASE("Data whose queries no feature divides has no derived category") {
  CHECK_FALSE(derive_category(dataset_of({{{1, {1, 2}}}, {{1, {1, 3}}}}, 2), {}));
  CHECK_FALSE(derive_category(dataset_of({{{0, {1, 2}}}, {{0, {1, 3}}}}, 2), {}));
  CHECK(derive_category(dataset_of({{{1, {1, 2}}}, {{1, {1, 3}}}}, 2), {.mixed = true}));  // which merges on nothing
}
