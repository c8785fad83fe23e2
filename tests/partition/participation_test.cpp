#include <fltr/partition/participation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Client;
using fltr::Dropout;
using fltr::Sampled;
using fltr::Stream;
using fltr::Streams;
using namespace fltr::testing;

std::vector<Client> clients(std::uint32_t n) {
  std::vector<Client> all;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back({100 + i, 4, {}});
  return all;
}

}  // namespace

TEST_CASE("Sampled asks for an exact number of different clients, in rising order") {
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

TEST_CASE("Sampled asks everyone equally often") {
  Sampled const population{clients(24), 6};
  Stream stream(162);
  std::array<std::uint64_t, 24> counts{};
  for (std::uint32_t round = 0; round < 10'000; ++round)
    for (auto const i : population.participants(round, stream)) ++counts[i];
  // Drawn without replacement, counts vary less: by (n - k) / (n - 1) for k of n.
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

TEST_CASE("Sampled refuses to ask nobody or more than there are") {
  Stream stream(164);
  CHECK_THROWS_AS((Sampled{clients(5), 0}.participants(0, stream)), std::invalid_argument);
  CHECK_THROWS_WITH((Sampled{clients(5), 6}.participants(0, stream)),
                    "Sampled: required 1 to all clients per round, got 6");
}

TEST_CASE("Dropout loses clients at its rate") {
  std::size_t const n = 50'000;
  for (double const p : {0.05, 0.3, 0.9}) {
    Dropout const population{clients(10), p};
    Stream stream(165);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < n; ++i) lost += population.reports({}, i % 10, stream) ? 0U : 1U;
    CHECK(std::abs(static_cast<double>(lost) / static_cast<double>(n) - p) < five_errors(p, n));
  }
  Dropout const population{clients(10), 0.5};
  CHECK(population.size() == 10);
  CHECK(population[3].id == 103);
}

TEST_CASE("Dropout of 0 loses nobody, of 1 everybody") {
  Stream stream(166);
  for (std::size_t i = 0; i < 1000; ++i) {
    REQUIRE(Dropout{clients(1), 0.0}.reports({}, 0, stream));
    REQUIRE(!Dropout{clients(1), 1.0}.reports({}, 0, stream));
  }
}

TEST_CASE("Dropout rejects probabilities outside [0, 1]") {
  Stream stream(167);
  for (double const bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS((Dropout{clients(1), bad}.reports({}, 0, stream)), std::invalid_argument);
}

TEST_CASE("clients that are sampled drop out as the population within says") {
  Sampled const unreliable{Dropout{clients(10), 1.0}, 3};
  Sampled const reliable{clients(10), 3};
  Stream stream(168);
  CHECK(unreliable.participants(0, stream).size() == 3);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(!unreliable.reports({}, i, stream));
    CHECK(reliable.reports({}, i, stream));
  }
}

TEST_CASE("Dropout has a probability for each phase of a round") {
  using fltr::Phase;
  Stream stream(169);
  Dropout const before{clients(1), 0.0, 1.0, 0.0};
  Dropout const after{clients(1), 0.0, 0.0, 1.0};
  for (Phase const phase : {Phase::exchange_before, Phase::message, Phase::exchange_after}) {
    CHECK(before.reports({1, phase, 0}, 0, stream) == (phase != Phase::exchange_before));
    CHECK(after.reports({1, phase, 0}, 0, stream) == (phase != Phase::exchange_after));
    CHECK(Sampled{before, 1}.reports({1, phase, 0}, 0, stream) == before.reports({1, phase, 0}, 0, stream));
  }
}

TEST_CASE("each moment of a round has random numbers of its own") {
  using fltr::Phase;
  std::set<fltr::Purpose> purposes{fltr::RoundPhase{1, Phase::message, 0}.purpose()};
  for (std::uint32_t e = 0; e < 100; ++e) {
    purposes.insert(fltr::RoundPhase{1, Phase::exchange_before, e}.purpose());
    purposes.insert(fltr::RoundPhase{1, Phase::exchange_after, e}.purpose());
  }
  CHECK(purposes.size() == 201);
  CHECK(*purposes.rbegin() < fltr::Purpose::user);
}

TEST_CASE("populations") {
  STATIC_REQUIRE(fltr::Population<std::vector<Client>>);
  STATIC_REQUIRE(fltr::Population<Sampled<std::vector<Client>>>);
  STATIC_REQUIRE(fltr::Population<Sampled<Dropout<std::vector<Client>>>>);
}
