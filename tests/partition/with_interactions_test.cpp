#include <fltr/partition/with_interactions.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/partition/dropout.hpp>
#include <fltr/partition/sampled.hpp>

#include "support/catch.hpp"

using fltr::Client;
using fltr::Dropout;
using fltr::Sampled;
using fltr::Stream;
using fltr::WithInteractions;
using Clients = std::vector<Client>;

namespace {

Clients clients(std::uint32_t n) {
  Clients all;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back({100 + i, 4, {}});
  return all;
}

/// A client with a member more than Client has.
struct NamedClient : Client {
  char name = 'a';
};

}  // namespace

TEST_CASE("WithInteractions changes the interactions of a client and nothing else") {
  WithInteractions const population(clients(7), {1, 3, 5});
  CHECK(population.size() == 7);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(population[i].id == 100 + i);
    found.push_back(population[i].interactions);
  }
  CHECK(found == std::vector<std::uint32_t>{1, 3, 5, 1, 3, 5, 1});
  WithInteractions const named(std::vector<NamedClient>{{{1, 4, {}}, 'x'}}, {2});
  CHECK(named[0].name == 'x');
}

TEST_CASE("WithInteractions has the hooks of the population within, and no others") {
  using fltr::composition::NamesHook_participants;
  using fltr::composition::NamesHook_reports;
  STATIC_REQUIRE(!NamesHook_participants<WithInteractions<Clients>>);
  STATIC_REQUIRE(!NamesHook_reports<WithInteractions<Clients>>);
  STATIC_REQUIRE(!NamesHook_participants<WithInteractions<Dropout<Clients>>>);
  STATIC_REQUIRE(NamesHook_reports<WithInteractions<Dropout<Clients>>>);
  STATIC_REQUIRE(NamesHook_participants<WithInteractions<Sampled<Clients>>>);
  STATIC_REQUIRE(fltr::Population<Sampled<Dropout<WithInteractions<Clients>>>>);

  Sampled const sampled{Dropout{clients(40), 0.5}, 11};
  WithInteractions const outside(sampled, {1, 9});
  for (std::uint32_t round = 1; round < 20; ++round) {
    Stream a(round);
    Stream b(round);
    CHECK(outside.participants(round, a) == sampled.participants(round, b));
    CHECK(outside.reports({}, 3, a) == sampled.reports({}, 3, b));
  }
}

TEST_CASE("WithInteractions refuses no numbers and the number 0") {
  CHECK_THROWS_WITH(WithInteractions(clients(1), {}),
                    "WithInteractions: required at least one number of interactions, got 0");
  CHECK_THROWS_WITH(WithInteractions(clients(1), {1, 0}),
                    "WithInteractions: required at least one interaction per round, got 0");
}
