#include <fltr/partition/shared_clients.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using fltr::Client;
using fltr::SharedClients;

TEST_CASE("Copies of SharedClients share the clients, and a moved-from object stays valid") {
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 5; ++i) clients.push_back({10 + i, i, {}});
  SharedClients<> population(std::move(clients));
  SharedClients<> const copy = population;
  SharedClients<> const moved = std::move(population);
  CHECK(copy.size() == 5);
  CHECK(copy[3].id == 13);
  CHECK(&copy[3] == &moved[3]);
  CHECK(&population[3] == &moved[3]);  // NOLINT(bugprone-use-after-move)
  STATIC_REQUIRE(sizeof(SharedClients<>) == 16);
}
