#include <fltr/partition/intent_clusters.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using namespace fltr::testing;

namespace {

/// Queries with documents of three directions. Feature 3 is constant within a query, and feature 4 has a large scale.
/// `direction` receives the direction of each document.
Dataset three_directions(std::uint64_t seed, std::size_t queries, std::vector<std::size_t>& direction) {
  Stream stream(seed);
  std::vector<std::vector<Document>> out(queries);
  for (auto& query : out) {
    auto const offset = static_cast<float>(1000.0 * stream.normal());
    for (std::size_t d = 0; d < 12; ++d) {
      Document document{static_cast<int>(stream.below(3)), {0, 0, 0, offset, 0}};
      for (std::size_t k = 0; k < 3; ++k) document.features[k] = static_cast<float>(0.05 * stream.normal());
      document.features[d % 3] += 1.0F;
      document.features[4] = 1e4F * document.features[d % 3];
      direction.push_back(d % 3);
      query.push_back(document);
    }
  }
  return dataset_of(out, 5);
}

}  // namespace

TEST_CASE("Intents are clusters of similar relevant documents, with the same numbers in training and test") {
  std::vector<std::size_t> train_direction;
  std::vector<std::size_t> test_direction;
  Dataset const train = three_directions(111, 100, train_direction);
  Dataset const test = three_directions(112, 30, test_direction);
  for (std::size_t const most : {200U, 20'000U}) {  // with and without a sample
    IntentClusters const clusters(train, {.intents = 3, .most_documents = most, .seed = 3});
    REQUIRE(clusters.size() == 3);
    Intents const of_train = clusters.label(train);
    Intents const of_test = clusters.label(test);
    std::vector<std::size_t> intent_of_direction(3, 3);
    auto const check = [&](Dataset const& data, Intents const& intents, std::vector<std::size_t> const& direction) {
      intents.check(data);
      for (std::size_t d = 0; d < data.document_count(); ++d) {
        std::size_t relevant = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          if (intents.grades[k][d] == 0) continue;
          REQUIRE(intents.grades[k][d] == 1);
          ++relevant;
          std::size_t& known = intent_of_direction[direction[d]];
          if (known == 3) known = k;
          REQUIRE(known == k);
        }
        REQUIRE(relevant == (data.parts().grades[d] >= 1 ? 1 : 0));
      }
    };
    check(train, of_train, train_direction);
    check(test, of_test, test_direction);
    CHECK(intent_of_direction[0] != intent_of_direction[1]);
    CHECK(intent_of_direction[0] != intent_of_direction[2]);
    CHECK(intent_of_direction[1] != intent_of_direction[2]);
  }
}

TEST_CASE("relevant_from decides which documents have an intent") {
  Dataset const data = random_dataset(113, {.queries = 30});
  auto const merged = IntentClusters(data, {.intents = 2, .relevant_from = 3}).label(data).merged();
  for (std::size_t d = 0; d < data.document_count(); ++d) REQUIRE(merged[d] == (data.parts().grades[d] >= 3 ? 1 : 0));
}

TEST_CASE("The same seed gives the same intents") {
  Dataset const data = random_dataset(114, {.queries = 60});
  auto const label = [&](std::uint64_t seed) { return IntentClusters(data, {.seed = seed}).label(data).grades; };
  CHECK(label(1) == label(1));
  CHECK(label(1) != label(2));
}

TEST_CASE("IntentClusters refuses data and options that give no clusters") {
  Dataset const data = dataset_of({{{0, {1}}, {1, {2}}, {1, {3}}}}, 1);
  CHECK_THROWS_WITH(IntentClusters(data, {.intents = 0}), "IntentClusters: required at least one intent, got 0");
  CHECK_THROWS_WITH(IntentClusters(data, {.intents = 3}),
                    "IntentClusters: required at least 3 relevant documents, one per intent, got 2");
  CHECK_THROWS_WITH(IntentClusters(data, {.intents = 2, .most_documents = 0}),
                    "IntentClusters: required most_documents >= 2, the number of intents, got 0");
  CHECK_THROWS_WITH(IntentClusters(data, {.intents = 2, .most_documents = 1}),
                    "IntentClusters: required most_documents >= 2, the number of intents, got 1");
  CHECK(IntentClusters(data, {.intents = 2, .most_documents = 2}).size() == 2);
  CHECK_THROWS_WITH(IntentClusters(data, {.relevant_from = 0}), "IntentClusters: required relevant_from >= 1, got 0");
  CHECK_THROWS_WITH(IntentClusters(data, {.intents = 2}).label(dataset_of({{{1, {1, 2}}}}, 2)),
                    "IntentClusters::label: required 1 features, got 2");
}
