#include <fltr/partition/by_quantity.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/click_models/by_click_behaviour.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/by_label.hpp>
#include <fltr/partition/by_preference.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using namespace fltr::testing;

TEST_CASE("Type 4: clients ask 1, 3, 5, 7 and 9 queries of the whole set per round") {
  Dataset const data = random_dataset(131, {.queries = 9});
  auto const clients = ByQuantity{}.split(data);
  REQUIRE(clients.size() == 5);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < 5; ++i) {
    found.push_back(clients[i].interactions);
    CHECK(clients[i].queries.size() == 9);
    CHECK(clients[i].queries.is_of(data));
  }
  CHECK(found == std::vector<std::uint32_t>{1, 3, 5, 7, 9});
  CHECK(ByQuantity{.clients = 1000}.split(data)[999].interactions == 9);
}

TEST_CASE("Type 4 composes with types 1 and 2") {
  Dataset const data = random_dataset(132, {.queries = 30, .most_documents = 30});
  Intents const intents{{data.parts().grades, std::vector<Grade>(data.document_count(), 1)}};
  auto const with_type_1 = ByQuantity{}.around(ByPreference{.intents = intents, .clients = 10}.split(data));
  auto const with_type_2 = ByQuantity{}.around(ByLabel{.labels_per_client = 1, .clients = 10}.split(Dataset(data)));
  REQUIRE(with_type_1.size() == 10);
  REQUIRE(with_type_2.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(with_type_1[i].interactions == 1 + 2 * (i % 5));
    CHECK(with_type_2[i].interactions == 1 + 2 * (i % 5));
    CHECK(with_type_1[i].queries.size() == with_type_1.inner()[i].queries.size());
  }
  auto training = fpdgd(LinearRanker(5), CascadeModel::perfect(5)).start(with_type_2);
  training.run(2);
  CHECK(training.round().statistics.lists == 50);  // 2 · (1 + 3 + 5 + 7 + 9)
}

TEST_CASE("Type 4 composes with type 3: the click model is chosen apart from the population") {
  Dataset const data = random_dataset(133, {.queries = 30, .most_documents = 30});
  auto const clients = ByQuantity{.clients = 6}.split(data);
  auto const types = ByClickBehaviour<>::cascade(5);
  auto differing = fpdgd(LinearRanker(5), types.per_client()).start(clients);
  auto twin = fpdgd(LinearRanker(5), types.mixture()).start(clients);
  differing.run(2);
  twin.run(2);
  CHECK(differing.round().statistics.lists == 26);  // 1 + 3 + 5 + 7 + 9 + 1
  CHECK(twin.round().statistics.lists == 26);
}
