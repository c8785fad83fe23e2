#include <fltr/partition/regrouped_population.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/numbered_documents.hpp"

using namespace fltr;
using namespace fltr::testing;

TEST_CASE("A RegroupedPopulation gives each document to its client and copies no features") {
  Dataset data = numbered_documents(41, {.queries = 60});
  std::vector<std::uint32_t> client_of(data.document_count());
  Stream stream(42);
  for (auto& client : client_of) client = stream.below(7);
  float const* const features = data.parts().features.data();
  std::optional<RegroupedPopulation> first(std::in_place, std::move(data), client_of, 9, 3);
  RegroupedPopulation const clients = *first;
  first.reset();  // the copy keeps the Dataset
  CHECK(clients.data().parts().features.data() == features);
  REQUIRE(clients.size() == 9);
  auto const documents = documents_of_clients(clients);
  CHECK(owners_of_documents(documents, client_of.size()) == std::vector<int>(client_of.size(), 1));
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(clients[i].id == i);
    CHECK(clients[i].interactions == 3);
    CHECK(clients[i].queries.is_of(clients.data()));
    for (std::size_t const d : documents[i]) REQUIRE(client_of[d] == i);
  }
  CHECK(clients[8].queries.size() == 0);
  CHECK(clients.regrouped().size() == clients.data().size());
}

TEST_CASE("A RegroupedPopulation refuses wrong clients") {
  Dataset const data = dataset_of({{{0, {1}}, {1, {2}}}}, 1);
  using Groups = std::vector<std::uint32_t>;
  CHECK_THROWS_WITH(RegroupedPopulation(data, Groups{0, 2}, 2, 1),
                    "RegroupedDataset::pools: required groups below 2, got 2");
  CHECK_THROWS_WITH(RegroupedPopulation(data, Groups{0}, 2, 1), "regroup: required 2 groups, one per document, got 1");
  CHECK_THROWS_WITH(RegroupedPopulation(data, Groups{0, 0}, 0, 1),
                    "RegroupedPopulation: required 1 to 2^32 - 1 clients, got 0");
  CHECK_THROWS_WITH(RegroupedPopulation(data, Groups{0, 0}, 1, 0),
                    "RegroupedPopulation: required at least one interaction per round, got 0");
}
