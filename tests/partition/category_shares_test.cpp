#include <fltr/partition/detail/category_shares.hpp>

#include <optional>
#include <utility>
#include <vector>

#include <fltr/partition/categories_of.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using namespace fltr;
using namespace fltr::detail;
using fltr::testing::dataset_of;
using fltr::testing::Document;

/// A query written as (category, grade) of its documents; the category is the second feature.
std::optional<float> category(std::vector<std::pair<float, int>> const& documents, std::uint64_t seed = 1) {
  std::vector<Document> query;
  for (auto const& [value, grade] : documents) query.push_back({grade, {0.5F, value}});
  auto const data = dataset_of({query}, 2);
  return largest_share(category_shares(data, categories_of(data, 1), 0), Stream(seed));
}

}  // namespace

TEST_CASE("A query has the category of most of its relevant documents") {
  CHECK(category({{1, 1}, {1, 1}, {2, 4}}) == 1.0F);
  CHECK(category({{2, 4}, {1, 1}, {3, 2}, {1, 1}}) == 1.0F);
  CHECK(category({{5, 0}, {5, 0}, {5, 0}, {4, 1}}) == 4.0F);  // documents of grade 0 do not count
}

TEST_CASE("Ties are broken by the sum of grades, then by the highest grade") {
  CHECK(category({{1, 1}, {1, 1}, {2, 2}, {2, 1}}) == 2.0F);  // 2 < 3
  CHECK(category({{1, 2}, {1, 2}, {2, 3}, {2, 1}}) == 2.0F);  // 4 = 4, 2 < 3
  CHECK(category({{2, 2}, {2, 2}, {1, 3}, {1, 1}}) == 1.0F);
}

TEST_CASE("Remaining ties are drawn, each category equally likely") {
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

TEST_CASE("A query without relevant documents has no category") {
  CHECK_FALSE(category({{1, 0}, {2, 0}}));
  CHECK_FALSE(category({}));
}
