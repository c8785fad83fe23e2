#include <fltr/partition/iid.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::Dataset;
using fltr::Iid;
using fltr::IidPopulation;

}  // namespace

TEST_CASE("Every client of an IID population draws from the whole set") {
  Dataset const data = fltr::testing::random_dataset(151, {.queries = 9});
  auto const clients = fltr::split_iid(data, {.clients = 1000, .interactions = 5});
  REQUIRE(clients.size() == 1000);
  for (std::size_t const i : {0U, 1U, 999U}) {
    fltr::Client const client = clients[i];
    CHECK(client.id == i);
    CHECK(client.interactions == 5);
    REQUIRE(client.queries.size() == 9);
    for (std::size_t q = 0; q < 9; ++q) CHECK(client.queries[q].rows() == data[q].rows());
  }
  CHECK(Iid{}.split(data).size() == 1000);
}

TEST_CASE("An IID population of 2^32 - 1 clients takes at most 32 bytes") {
  Dataset const data = fltr::testing::random_dataset(152);
  IidPopulation const clients(data, 0xFFFFFFFFU, 4);
  CHECK(clients.size() == 0xFFFFFFFFU);
  CHECK(clients[0xFFFFFFFEU].id == 0xFFFFFFFEU);
  STATIC_REQUIRE(sizeof(IidPopulation) <= 32);
}

TEST_CASE("An IID population without clients, interactions or queries is refused") {
  Dataset const data = fltr::testing::random_dataset(153);
  Dataset const none;
  CHECK_THROWS_WITH(fltr::split_iid(data, {.clients = 0}), "IidPopulation: required 1 to 2^32 - 1 clients, got 0");
  CHECK_THROWS_AS(fltr::split_iid(data, {.clients = std::size_t{1} << 32U}), std::invalid_argument);
  CHECK_THROWS_WITH(fltr::split_iid(data, {.interactions = 0}),
                    "IidPopulation: required at least one interaction per round, got 0");
  CHECK_THROWS_WITH(fltr::split_iid(none), "IidPopulation: required a dataset with at least one query, got 0");
}
