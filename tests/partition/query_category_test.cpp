#include <fltr/partition/query_category.hpp>

#include <optional>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::Document;

/// A query written as (category, grade) of its documents; the category is the second feature.
std::optional<float> category(std::vector<std::pair<float, int>> const& documents, std::uint64_t seed = 1) {
  std::vector<Document> query;
  for (auto const& [value, grade] : documents) query.push_back({grade, {0.5F, value}});
  auto const data = dataset_of({query}, 2);
  return strongest(category_shares(data, categories_of(data, 1), 0), Stream(seed));
}

}  // namespace

TEST_CASE("a document's category is its value of a feature") {
  auto const data = dataset_of({{{1, {7, 3}}, {0, {8, 4}}}, {}, {{2, {9, 3}}}}, 2);
  CHECK(categories_of(data, 0) == std::vector<float>{7, 8, 9});
  CHECK(categories_of(data, 1) == std::vector<float>{3, 4, 3});
  CHECK_THROWS_WITH(categories_of(data, 2), ContainsSubstring("a feature below 2, the number of features, got 2"));
}

TEST_CASE("a query has the category of most of its relevant documents") {
  CHECK(category({{1, 1}, {1, 1}, {2, 4}}) == 1.0F);
  CHECK(category({{2, 4}, {1, 1}, {3, 2}, {1, 1}}) == 1.0F);
  CHECK(category({{5, 0}, {5, 0}, {5, 0}, {4, 1}}) == 4.0F);  // what is not relevant does not count
}

TEST_CASE("ties go to the higher sum of grades, then to the higher grade") {
  CHECK(category({{1, 1}, {1, 1}, {2, 2}, {2, 1}}) == 2.0F);  // 2 < 3
  CHECK(category({{1, 2}, {1, 2}, {2, 3}, {2, 1}}) == 2.0F);  // 4 = 4, 2 < 3
  CHECK(category({{2, 2}, {2, 2}, {1, 3}, {1, 1}}) == 1.0F);
}

TEST_CASE("what is still a tie is drawn, each equally likely") {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    auto const found = category({{1, 2}, {2, 2}, {3, 1}}, seed);
    REQUIRE((found == 1.0F || found == 2.0F));
    CHECK(found == category({{1, 2}, {2, 2}, {3, 1}}, seed));
    first += found == 1.0F ? 1 : 0;
  }
  // Binomial with n = 400, p = 1/2: five standard deviations are 50.
  CHECK(first > 150);
  CHECK(first < 250);
}

TEST_CASE("a query without relevant documents has no category") {
  CHECK_FALSE(category({{1, 0}, {2, 0}}));
  CHECK_FALSE(category({}));
}
