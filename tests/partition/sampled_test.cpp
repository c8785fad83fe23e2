#include <fltr/partition/sampled.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/partition/dropout.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Client;
using fltr::Dropout;
using fltr::Sampled;
using fltr::Stream;
using namespace fltr::testing;

std::vector<Client> clients(std::uint32_t n) {
  std::vector<Client> all;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back({100 + i, 4, {}});
  return all;
}

}  // namespace

TEST_CASE("Sampled draws exactly per_round different clients, in rising order") {
  Stream stream(161);
  for (std::size_t const per_round : {1U, 7U, 29U, 30U}) {
    Sampled const population{clients(30), per_round};
    for (std::uint32_t round = 0; round < 200; ++round) {
      auto const chosen = population.participants(round, stream);
      REQUIRE(chosen.size() == per_round);
      REQUIRE(std::ranges::is_sorted(chosen, std::less_equal<>()));  // strictly
      REQUIRE(chosen.back() < 30);
    }
  }
  Sampled const population{clients(30), 3};
  CHECK(population.size() == 30);
  CHECK(population[5].id == 105);
}

TEST_CASE("Sampled draws every client equally often") {
  Sampled const population{clients(24), 6};
  Stream stream(162);
  std::array<std::uint64_t, 24> counts{};
  for (std::uint32_t round = 0; round < 10'000; ++round)
    for (auto const i : population.participants(round, stream)) ++counts[i];
  // Drawing k of n without replacement reduces the variance of a count by the factor (n - k) / (n - 1).
  CHECK(chi_squared(counts) * 23.0 / 18.0 < chi2_critical_df23);
}

TEST_CASE("Sampled draws every subset equally often") {
  Sampled const population{clients(5), 2};
  Stream stream(163);
  std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
  for (std::uint32_t round = 0; round < 20'000; ++round) ++seen[population.participants(round, stream)];
  REQUIRE(seen.size() == 10);
  std::vector<std::uint64_t> counts;
  for (auto const& [subset, count] : seen) counts.push_back(count);
  CHECK(chi_squared(counts) < chi2_critical_df9);
}

TEST_CASE("Sampled draws at most 1/16 of the clients by Floyd's algorithm") {
  for (auto const& [count, per_round] : {std::pair{16U, 1U}, {4000U, 250U}, {4'000'000'000U, 3000U}}) {
    struct Many {
      std::size_t clients;
      std::size_t size() const { return clients; }
      Client operator[](std::size_t i) const { return {static_cast<fltr::ClientId>(i), 4, {}}; }
    };
    Stream stream(165);
    Stream same(165);
    for (int round = 0; round < 20; ++round) {
      std::set<std::uint32_t> expected;
      for (std::uint32_t last = count - per_round; last < count; ++last)
        if (!expected.insert(same.below(last + 1)).second) expected.insert(last);
      REQUIRE(std::ranges::equal(Sampled{Many{count}, per_round}.participants(1, stream), expected));
    }
  }
}

TEST_CASE("Sampled refuses per_round = 0 and more clients than there are") {
  Stream stream(164);
  CHECK_THROWS_AS((Sampled{clients(5), 0}.participants(0, stream)), std::invalid_argument);
  CHECK_THROWS_WITH((Sampled{clients(5), 6}.participants(0, stream)),
                    "Sampled: required 1 to all clients per round, got 6");
}

TEST_CASE("Sampled asks the population within whether a client reports") {
  Sampled const unreliable{Dropout{clients(10), 1.0}, 3};
  Sampled const reliable{clients(10), 3};
  Stream stream(168);
  CHECK(unreliable.participants(0, stream).size() == 3);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(!unreliable.reports({}, i, stream));
    CHECK(reliable.reports({}, i, stream));
  }
}

TEST_CASE("Sampled models Population") {
  STATIC_REQUIRE(fltr::Population<Sampled<std::vector<Client>>>);
  STATIC_REQUIRE(fltr::Population<Sampled<Dropout<std::vector<Client>>>>);
}
