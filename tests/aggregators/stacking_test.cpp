#include <fltr/aggregators/stacking.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/client.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::sent;
using fltr::testing::stump;

Dataset two_queries() { return dataset_of({{{0, {1, 0}}, {2, {0, 1}}, {1, {1, 1}}}, {{1, {0, 0}}}}, 2); }
std::vector<Forest> two_forests() { return {Forest({stump(0, 10, 20)}, 2), Forest({stump(1, -3, 7)}, 2)}; }

/// Instead of training: a stump on the score of the second forest, whose leaves say what it got.
struct Counts {
  Forest train(Dataset const& queries, Dataset const& validation, Streams streams) const {
    REQUIRE(streams.seed == 8);
    Tree const first = stump(3, static_cast<double>(queries.document_count()),
                             100 + static_cast<double>(validation.document_count()), 0.0);
    return Forest({first, stump(0, 0, 0.25)}, queries.feature_count());
  }
};
static_assert(ForestTrainer<Counts>);

struct LearnsNothing {
  Forest train(Dataset const&, Dataset const&, Streams) const { return {}; }
};

/// AppendedScores as its bytes may claim to be.
AppendedScores read_appended(std::uint64_t features, std::vector<Forest> const& forests) {
  FieldWriter writer;
  writer.write(features);
  writer.write(forests);
  AppendedScores appended;
  FieldReader(writer.bytes()).read(appended);
  return appended;
}

struct MergesBy {
  ClientId id = 3;
  QueryPool merge;
};
struct Validates {
  ClientId id = 3;
  QueryPool merge;
  QueryPool merge_validation;
};

}  // namespace

TEST_CASE("scores stand behind the documents' own features") {
  auto const data = two_queries();
  AppendedScores const appended(two_forests(), 2);
  CHECK(appended.feature_count() == 4);
  CHECK(appended.feature_of(1) == 3);
  auto const wide = appended.append_to({data, {1, 0}});
  REQUIRE(wide.size() == 2);
  CHECK(wide.feature_count() == 4);
  CHECK(wide.qid(0) == "2");
  CHECK(std::vector<Grade>(wide[1].labels().begin(), wide[1].labels().end()) == std::vector<Grade>{0, 2, 1});
  auto const row = [&](std::size_t query, std::size_t document) {
    auto const values = wide[query].row(document);
    return std::vector<float>(values.begin(), values.end());
  };
  CHECK(row(0, 0) == std::vector<float>{0, 0, 10, -3});
  CHECK(row(1, 0) == std::vector<float>{1, 0, 20, -3});
  CHECK(row(1, 1) == std::vector<float>{0, 1, 10, 7});
  CHECK(row(1, 2) == std::vector<float>{1, 1, 20, 7});
  for (std::size_t k = 4; k < wide.stride(); ++k) CHECK(wide[1].rows()[k] == 0.0F);
  CHECK(appended.append_to({}).size() == 0);
}

TEST_CASE("a row must have the features that the forests ask for") {
  CHECK_THROWS_WITH(AppendedScores(two_forests(), 1), ContainsSubstring("forests of at most 1 features, got 2"));
  auto const narrow = dataset_of({{{0, {1}}}}, 1);
  CHECK_THROWS_WITH(AppendedScores(two_forests(), 2).append_to(QueryPool(narrow)),
                    ContainsSubstring("rows of at least 2 features, got 1"));
}

TEST_CASE("a stacked forest scores through the local ones") {
  auto const data = two_queries();
  Stacking<Counts> const stacking{.seed = 8};
  Validates const client{.merge = {data, {0}}, .merge_validation = {data, {1}}};
  StackedForest const merged = stacking.personalize(sent(two_forests()), client);
  std::vector<float> scores(3);
  merged.score(data[0], scores);
  // The second score is −3, 7, 7: at most 0 gives 3 (documents to train on), else 101. The first feature is 1, 0, 1.
  CHECK(scores == std::vector<float>{3.25F, 101.0F, 101.25F});
  CHECK(merged.split_importance() == std::vector<double>{1, 0, 0, 1});
  CHECK(merged.gain_importance() == std::vector<double>{1, 0, 0, 1});

  MergesBy const without{3, QueryPool(data)};
  stacking.personalize(sent(two_forests()), without).score(data[0], scores);
  CHECK(scores == std::vector<float>{4.25F, 100.0F, 100.25F});
}

TEST_CASE("where nothing could be learned, a stacked forest says the mean of the local scores") {
  auto const data = two_queries();
  // Of the first query: 20, 10, 20 and −3, 7, 7.
  std::vector<float> const mean{8.5F, 8.5F, 13.5F};
  auto const check = [&](StackedForest const& merged) {
    CHECK_FALSE(merged.learned());
    CHECK(merged.feature_count() == 2);
    CHECK(merged.gain_importance() == std::vector<double>(4, 0.0));
    CHECK(merged.consistent());
    std::vector<float> scores(3);
    merged.score(data[0], scores);
    CHECK(scores == mean);
  };
  check(Stacking<Counts>{}.personalize(sent(two_forests()), MergesBy{}));
  check(Stacking<Counts>{}.personalize(sent(two_forests()), MergesBy{3, {data, {}}}));
  check(Stacking<LearnsNothing>{}.personalize(sent(two_forests()), MergesBy{3, QueryPool(data)}));
}

TEST_CASE("a stacked forest can be saved") {
  auto const data = two_queries();
  auto const saved_and_read = [](StackedForest const& merged) {
    StackedForest again;
    auto const bytes = field_bytes(merged);
    FieldReader reader(bytes);
    reader.read(again);
    reader.expect_end();
    return again;
  };
  auto const merged = Stacking<Counts>{.seed = 8}.personalize(sent(two_forests()), MergesBy{3, QueryPool(data)});
  CHECK(saved_and_read(merged) == merged);
  CHECK(merged.consistent());

  // What a file may claim: local forests of more features than the documents have, and a top that fits neither.
  StackedForest const claims_less{AppendedScores({Forest(2)}, 2), Forest(2)};
  CHECK_FALSE(saved_and_read(claims_less).consistent());
  StackedForest const claims_more{AppendedScores({Forest(2)}, 2), Forest(4)};
  CHECK_FALSE(saved_and_read(claims_more).consistent());
  CHECK_FALSE(read_appended(1, two_forests()).consistent());
  CHECK_FALSE(read_appended(Forest::most_features + 1, two_forests()).consistent());
  CHECK_FALSE(read_appended(std::numeric_limits<std::uint64_t>::max(), {}).consistent());
  CHECK(read_appended(2, two_forests()).consistent());
}

TEST_CASE("the global ranker of stacking is the mean of the forests") {
  Forest ranker(2);
  Stacking<Counts>{}.aggregate(sent(two_forests()), ranker);
  auto const data = two_queries();
  std::vector<float> scores(3);
  ranker.score(data[0], scores);
  CHECK(scores == std::vector<float>{(20 - 3) / 2.0F, (10 + 7) / 2.0F, (20 + 7) / 2.0F});
}
