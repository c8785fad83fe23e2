#include <fltr/aggregators/stacking.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/client.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/parallel_lambda_mart.hpp>

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

/// A trainer that returns a stump on the score of the second forest. Its leaves are the numbers of documents that it
/// got.
struct Counts {
  Forest train(Dataset const& queries, Dataset const& validation, Streams streams) const {
    REQUIRE(streams.seed == 8);
    Tree const first = stump(3, static_cast<double>(queries.document_count()),
                             100 + static_cast<double>(validation.document_count()), 0.0);
    return Forest({first, stump(0, 0, 0.25)}, queries.feature_count());
  }
};
static_assert(ForestTrainer<Counts>);
static_assert(ForestTrainer<ParallelLambdaMart<>> && !ForestTrainer<LambdaMart>);

struct LearnsNothing {
  Forest train(Dataset const&, Dataset const&, Streams) const { return {}; }
};

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

TEST_CASE("Stacking trains on merge queries with appended scores and validates on merge_validation queries") {
  auto const data = two_queries();
  Stacking<Counts> const stacking{.seed = 8};
  Validates const client{.merge = {data, {0}}, .merge_validation = {data, {1}}};
  StackedForest const merged = stacking.personalize(sent(two_forests()), client);
  std::vector<float> scores(3);
  merged.score(data[0], scores);
  // The second forest scores −3, 7, 7. The stump gives 3 (training documents) for a score of at most 0, else 101 (100 +
  // validation documents). The first feature is 1, 0, 1 and adds 0.25, 0, 0.25.
  CHECK(scores == std::vector<float>{3.25F, 101.0F, 101.25F});
  CHECK(merged.split_importance() == std::vector<double>{1, 0, 0, 1});
  CHECK(merged.gain_importance() == std::vector<double>{1, 0, 0, 1});

  MergesBy const without{3, QueryPool(data)};
  stacking.personalize(sent(two_forests()), without).score(data[0], scores);
  CHECK(scores == std::vector<float>{4.25F, 100.0F, 100.25F});
}

TEST_CASE("Without merge queries or without a trained tree, a stacked forest scores the mean of the local scores") {
  auto const data = two_queries();
  // The local scores of the first query are 20, 10, 20 and −3, 7, 7.
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

TEST_CASE("The global ranker of Stacking is the mean of the forests") {
  Forest ranker(2);
  Stacking<Counts>{}.aggregate(sent(two_forests()), ranker);
  auto const data = two_queries();
  std::vector<float> scores(3);
  ranker.score(data[0], scores);
  CHECK(scores == std::vector<float>{(20 - 3) / 2.0F, (10 + 7) / 2.0F, (20 + 7) / 2.0F});
}

TEST_CASE("A stacked forest that was saved and read is equal to the original") {
  auto const data = two_queries();
  auto const merged = Stacking<Counts>{.seed = 8}.personalize(sent(two_forests()), MergesBy{3, QueryPool(data)});
  CHECK(merged.consistent());
  auto const bytes = field_bytes(merged);
  StackedForest again;
  FieldReader reader(bytes);
  reader.read(again);
  reader.expect_end();
  CHECK(again == merged);
}
