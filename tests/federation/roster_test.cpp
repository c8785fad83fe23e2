#include <fltr/federation/detail/roster.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Stream;
using fltr::detail::Roster;

/// 100 clients, of which the given positions are asked in every round.
struct Asks {
  std::vector<std::uint32_t> positions;
  std::size_t size() const { return 100; }
  fltr::Client operator[](std::size_t i) const { return {static_cast<fltr::ClientId>(i), 4, {}}; }
  std::vector<std::uint32_t> participants(std::uint32_t, Stream&) const { return positions; }
};

std::vector<std::size_t> visited(Roster const& roster) {
  std::vector<std::size_t> out;
  for (std::size_t block = 0; block < roster.blocks(); ++block)
    roster.for_each_in(block, [&](std::size_t position) { out.push_back(position); });
  return out;
}

}  // namespace

TEST_CASE("The order of participants has no influence on the roster") {
  CHECK(visited(Roster(Asks{{99, 0, 42}}, 1, Stream(1))) == std::vector<std::size_t>{0, 42, 99});
  CHECK(visited(Roster(Asks{{0, 42, 99}}, 1, Stream(1))) == std::vector<std::size_t>{0, 42, 99});
}

TEST_CASE("A round may ask no client") {
  Roster const roster(Asks{{}}, 1, Stream(1));
  CHECK(roster.size() == 0);
  CHECK(visited(roster).empty());
}

TEST_CASE("Without the hook participants, all clients are asked") {
  Roster const roster(std::vector<fltr::Client>(70), 1, Stream(1));
  CHECK(roster.size() == 70);
  CHECK(visited(roster).size() == 70);
}

TEST_CASE("Participants must be different positions smaller than the size of the population") {
  CHECK_THROWS_WITH(Roster(Asks{{0, 100}}, 1, Stream(1)),
                    "Population: required participants smaller than size() = 100, got 100");
  CHECK_THROWS_WITH(Roster(Asks{{7, 3, 7}}, 1, Stream(1)),
                    "Population: required participants that differ, got position 7 twice");
}
