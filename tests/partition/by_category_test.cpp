#include <fltr/partition/by_category.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::Document;
using Queries = std::vector<std::uint32_t>;

/// Each query is a list of (category, grade). The category is the first of two features.
Dataset data_of(std::vector<std::vector<std::pair<float, int>>> const& queries) {
  std::vector<std::vector<Document>> rows;
  for (auto const& query : queries) {
    rows.emplace_back();
    for (auto const& [value, grade] : query) rows.back().push_back({grade, {value, 1}});
  }
  return dataset_of(rows, 2);
}

Dataset nine_queries() {
  return data_of({
      {{1, 1}, {1, 1}, {2, 0}},                                  // 0: category 1 alone
      {{1, 1}, {1, 1}, {2, 4}},                                  // 1: most of category 1
      {{1, 2}, {2, 1}},                                          // 2: a tie, category 1 by grades
      {{2, 1}, {2, 1}},                                          // 3: category 2 alone
      {{2, 1}, {2, 1}, {2, 1}, {1, 4}},                          // 4: most of category 2
      {{1, 0}, {1, 0}},                                          // 5: nothing relevant
      {{1, 1}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}},  // 6: most of category 2
      {{2, 2}, {1, 0}},                                          // 7: category 2 alone
      {{3, 1}},                                                  // 8: category 3 alone
  });
}

Queries numbers(QueryPool const& pool) {
  Queries found;
  for (std::size_t i = 0; i < pool.size(); ++i) found.push_back(pool.index(i));
  return found;
}

}  // namespace

TEST_CASE("The three rules divide the queries") {
  auto const data = nine_queries();
  auto const categories = categories_of(data, 0);
  auto const parts = [&](CategoryRule rule) { return ByCategory{.rule = rule}.parts(data, categories, 1); };

  auto const tie = parts(CategoryRule::tie);
  CHECK(tie.own == Queries{0, 1, 2});
  CHECK(tie.left_over == Queries{4, 6});
  auto const no_tie = parts(CategoryRule::no_tie);
  CHECK(no_tie.own == Queries{0, 1});
  CHECK(no_tie.left_over == Queries{2, 4, 6});  // with 1, 1, 3 relevant documents of the category
  auto const exclusive = parts(CategoryRule::exclusive);
  CHECK(exclusive.own == Queries{0});
  CHECK(exclusive.left_over == Queries{2, 4, 1, 6});  // 1, 1, 2, 3

  for (auto const& found : {tie, no_tie, exclusive}) CHECK(found.others == Queries{3, 7, 8});

  // The paper's first split: the second client has all queries that are not of the category.
  auto const mixed = ByCategory{.category = 1.0F, .rule = CategoryRule::tie, .mixed = true};
  CHECK(mixed.parts(data, categories, 1).own == Queries{0, 1, 2});
  CHECK(mixed.parts(data, categories, 1).others == Queries{3, 4, 6, 7, 8});
  CHECK(mixed.parts(data, categories, 1).left_over.empty());
  auto const clients = mixed.split(data);
  CHECK(numbers(clients[1].queries) == Queries{3, 4, 6, 7, 8});
  CHECK(clients[0].merge.size() == 0);
}

TEST_CASE("A merge set holds the left-over queries that are least like the client's own") {
  auto const data = nine_queries();
  auto const categories = categories_of(data, 0);
  auto const parts = [&](CategoryRule rule) { return ByCategory{.rule = rule}.parts(data, categories, 1); };

  // |Q1| = 2, |Q2| = 3: one query and two.
  CHECK(parts(CategoryRule::no_tie).merge_of_own() == Queries{2});
  CHECK(parts(CategoryRule::no_tie).merge_of_others() == Queries{4, 6});
  CHECK(parts(CategoryRule::exclusive).merge_of_own() == Queries{2});
  CHECK(parts(CategoryRule::exclusive).merge_of_others() == Queries{1, 6});
  // |Q1| = 3, and only two are left over: both clients get both.
  CHECK(parts(CategoryRule::tie).merge_of_own() == Queries{4, 6});
  CHECK(parts(CategoryRule::tie).merge_of_others() == Queries{4, 6});
  CHECK(CategoryParts{{1, 2, 3, 4}, {5}, {6}}.merge_of_own() == Queries{6});
  CHECK(CategoryParts{{}, {5}, {6}}.merge_of_own().empty());
}

TEST_CASE("A drawn tie depends on the seed and the query only") {
  std::vector<std::vector<std::pair<float, int>>> queries(300, {{1, 1}, {2, 1}});
  auto const data = data_of(queries);
  auto const categories = categories_of(data, 0);
  ByCategory const rule{.rule = CategoryRule::tie, .seed = 5};
  auto const own = rule.parts(data, categories, 1).own;
  CHECK(own == rule.parts(data, categories, 1).own);
  CHECK(own != ByCategory{.rule = CategoryRule::tie, .seed = 6}.parts(data, categories, 1).own);
  // Binomial with n = 300, p = 1/2: five standard deviations are 43.
  CHECK(std::abs(static_cast<int>(own.size()) - 150) < 43);
  // Every query belongs to exactly one of the two categories.
  CHECK(own.size() + rule.parts(data, categories, 2).own.size() == 300);
}

TEST_CASE("ByCategory makes two clients with training, validation and merge queries") {
  auto const train = nine_queries();
  auto const vali = data_of({{{2, 1}}, {{1, 1}}, {{1, 1}, {2, 2}, {2, 1}}, {{4, 2}}, {{1, 1}, {2, 1}}});
  ByCategory const by_category{.category = 1.0F, .rule = CategoryRule::exclusive};
  auto const clients = by_category.split(train, categories_of(train, 0), vali, categories_of(vali, 0));
  REQUIRE(clients.size() == 2);
  CHECK(clients[0].id == 0);
  CHECK(clients[1].id == 1);
  CHECK(numbers(clients[0].queries) == Queries{0});
  CHECK(numbers(clients[1].queries) == Queries{3, 7, 8});
  CHECK(numbers(clients[0].merge) == Queries{2});
  CHECK(numbers(clients[1].merge) == Queries{1, 6});
  CHECK(clients[0].merge.is_of(train));
  CHECK(numbers(clients[0].validation) == Queries{1});
  CHECK(numbers(clients[1].validation) == Queries{0, 3});
  CHECK(numbers(clients[0].merge_validation) == Queries{2});
  CHECK(numbers(clients[1].merge_validation) == Queries{4});
  CHECK(clients[0].validation.is_of(vali));

  auto const alone = ByCategory{.category = 1.0F, .rule = CategoryRule::exclusive}.split(train);
  CHECK(numbers(alone[1].merge) == Queries{1, 6});
  CHECK(alone[0].validation.size() == 0);
  CHECK(alone[0].merge_validation.size() == 0);
}

TEST_CASE("The default category is the most frequent one of the queries") {
  auto const data = nine_queries();
  CHECK(ByCategory{}.most_frequent(data, categories_of(data, 0)) == 2.0F);  // 3 of 1, 4 of 2, 1 of 3
  auto const clients = ByCategory{}.split(data);
  CHECK(numbers(clients[0].queries) == Queries{3, 4, 6, 7});
  CHECK(numbers(clients[1].queries) == Queries{0, 8});
  auto const tie = data_of({{{5, 1}}, {{3, 1}}});
  CHECK(ByCategory{}.most_frequent(tie, categories_of(tie, 0)) == 3.0F);
}

TEST_CASE("ByCategory refuses data that it cannot divide") {
  auto const data = nine_queries();
  auto const split = [&](float category) { return ByCategory{.category = category}.split(data); };
  CHECK_THROWS_WITH(split(9), "ByCategory: required queries of category 9, got none");
  CHECK_THROWS_WITH(split(3),
                    "ByCategory: required queries with relevant documents of category 3 and of other categories, to "
                    "merge on, got none");
  auto const one = data_of({{{1, 1}}, {{1, 1}, {2, 1}}});
  CHECK_THROWS_WITH((ByCategory{.category = 1.0F}.split(one)),
                    "ByCategory: required queries without relevant documents of category 1, got none");
  auto const empty = data_of({{{1, 0}}});
  CHECK_THROWS_WITH(ByCategory{}.split(empty), ContainsSubstring("a query with a relevant document"));
  CHECK_THROWS_WITH((ByCategory{.feature = 2}.split(data)), ContainsSubstring("a feature below 2"));
  std::vector<float> categories(3);
  CHECK_THROWS_WITH(ByCategory{}.parts(data, categories, 1), ContainsSubstring("one category for each of"));
  categories.assign(data.document_count(), NAN);
  CHECK_THROWS_WITH(ByCategory{}.parts(data, categories, 1), ContainsSubstring("finite categories"));
}
