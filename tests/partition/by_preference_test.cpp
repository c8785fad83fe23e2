#include <fltr/partition/by_preference.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using namespace fltr::testing;

namespace {

Intents drawn_intents(Dataset const& data, std::size_t count) {
  Stream stream(121);
  Intents out;
  for (std::size_t k = 0; k < count; ++k) {
    out.grades.emplace_back(data.document_count());
    for (Grade& grade : out.grades.back()) grade = stream.below(4) == 0 ? 1 : 0;
  }
  return out;
}

}  // namespace

TEST_CASE("Type 1: client i judges all documents by intent i modulo the number of intents, without copied features") {
  Dataset const data = random_dataset(122, {.queries = 30});
  Intents const intents = drawn_intents(data, 4);
  auto const clients = ByPreference{.intents = intents, .clients = 10, .shuffle = IntentShuffle::none}.split(data);
  REQUIRE(clients.size() == 10);
  CHECK(clients.intent_count() == 4);
  for (std::size_t i = 0; i < 10; ++i) {
    Client const client = clients[i];
    CHECK(client.id == i);
    CHECK(client.interactions == 5);
    REQUIRE(client.queries.size() == data.size());
    CHECK(clients.intent_of(i) == i % 4);
    for (std::size_t q = 0; q < data.size(); ++q) {
      QueryView const query = client.queries[q];
      REQUIRE(query.rows() == data[q].rows());
      REQUIRE(query.grades().data() == clients.queries_of_intent(i % 4)[q].grades().data());  // shared, not copied
      for (std::size_t d = 0; d < query.document_count(); ++d)
        REQUIRE(query.grades()[d] == intents.grades[i % 4][data.first_document(q) + d]);
    }
  }
  CHECK(ByPreference{.intents = intents}.split(data).size() == 4);
}

TEST_CASE("Type 1: intents are shuffled per query, and the shuffle does not change the IID twin") {
  Dataset const data = random_dataset(123, {.queries = 30});
  Intents const intents = drawn_intents(data, 4);
  auto const clients = ByPreference{.intents = intents, .clients = 8, .interactions = 2, .seed = 6}.split(data);
  auto const expected = intent_pools(data, intents, IntentShuffle::per_query, 6);
  auto const merged = intents.merged();
  auto const twin = clients.iid_twin();
  REQUIRE(twin.size() == 8);
  CHECK(twin[7].interactions == 2);
  Client const first = twin[0];
  for (std::size_t q = 0; q < data.size(); ++q) {
    for (std::size_t k = 0; k < 4; ++k)
      REQUIRE(std::ranges::equal(clients.queries_of_intent(k)[q].grades(), expected[k][q].grades()));
    for (std::size_t d = 0; d < data[q].document_count(); ++d)
      REQUIRE(first.queries[q].grades()[d] == merged[data.first_document(q) + d]);
    REQUIRE(clients.merged()[q].grades().data() == first.queries[q].grades().data());
  }
}

TEST_CASE("Type 1 trains with binary clicks") {
  Dataset const data = random_dataset(124, {.queries = 30});
  auto const clients = ByPreference{.intents = drawn_intents(data, 4)}.split(data);
  auto training = fpdgd(LinearRanker(5), CascadeModel::navigational(2)).start(clients);
  training.run(3);
  CHECK(training.round().statistics.reported == 4);
  CHECK(training.round().statistics.lists == 20);
}

TEST_CASE("ByPreference refuses intents that do not fit, and no interactions") {
  Dataset const data = random_dataset(125, {.queries = 5});
  CHECK_THROWS_WITH(ByPreference{}.split(data), "Intents: required at least one intent, got 0");
  CHECK_THROWS_AS((ByPreference{.intents = {{{1}}}}.split(data)), std::invalid_argument);
  CHECK_THROWS_WITH((ByPreference{.intents = drawn_intents(data, 2), .interactions = 0}.split(data)),
                    "PreferencePopulation: required at least one interaction per round, got 0");
}
