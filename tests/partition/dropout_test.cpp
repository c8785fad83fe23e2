#include <fltr/partition/dropout.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include <fltr/partition/sampled.hpp>

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

TEST_CASE("Clients fail with the probability of Dropout") {
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

TEST_CASE("With probability 0 every client reports, with probability 1 none") {
  Stream stream(166);
  for (std::size_t i = 0; i < 1000; ++i) {
    REQUIRE(Dropout{clients(1), 0.0}.reports({}, 0, stream));
    REQUIRE(!Dropout{clients(1), 1.0}.reports({}, 0, stream));
  }
}

TEST_CASE("Dropout refuses probabilities outside [0, 1]") {
  Stream stream(167);
  for (double const bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS((Dropout{clients(1), bad}.reports({}, 0, stream)), std::invalid_argument);
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

TEST_CASE("Every exchange of a round has its own random numbers") {
  using fltr::Phase;
  std::set<fltr::Purpose> purposes{fltr::RoundPhase{1, Phase::message, 0}.purpose()};
  for (std::uint32_t e = 0; e < 100; ++e) {
    purposes.insert(fltr::RoundPhase{1, Phase::exchange_before, e}.purpose());
    purposes.insert(fltr::RoundPhase{1, Phase::exchange_after, e}.purpose());
  }
  CHECK(purposes.size() == 201);
  CHECK(*purposes.rbegin() < fltr::Purpose::user);
}

TEST_CASE("Dropout models Population") { STATIC_REQUIRE(fltr::Population<Dropout<std::vector<Client>>>); }
