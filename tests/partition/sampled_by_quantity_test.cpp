#include <fltr/partition/sampled_by_quantity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fltr/data/client.hpp>
#include <fltr/partition/dropout.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/statistics.hpp"

using namespace fltr;
using namespace fltr::testing;

namespace {

std::vector<Client> clients(std::vector<std::uint32_t> const& interactions) {
  std::vector<Client> all;
  for (auto const number : interactions) all.push_back({static_cast<ClientId>(all.size()), number, {}});
  return all;
}

}  // namespace

TEST_CASE("One client per round is drawn with a probability proportional to its interactions") {
  SampledByQuantity const population(clients({1, 3, 0, 5, 11}), 1);
  Stream stream(171);
  std::vector<std::uint64_t> counts(5);
  for (int round = 0; round < 20'000; ++round) ++counts[population.participants(1, stream).at(0)];
  CHECK(counts[2] == 0);
  counts.erase(counts.begin() + 2);
  // 3 degrees of freedom; the critical value of 9 is larger than that of 3.
  CHECK(chi_squared(counts, std::array{.05, .15, .25, .55}) < chi2_critical_df9);
}

TEST_CASE("Subsets have the probabilities of successive draws without replacement") {
  // P({i, j}) = w_i · w_j / (W − w_i) / W + w_j · w_i / (W − w_j) / W. Of 4 clients, 2 are drawn at once. Of 64 clients
  // (60 of weight 0), they are drawn one by one; with a weight of 9,996 draws repeat, and then the rest is drawn at once.
  for (auto const& [weights, size] : {std::pair{std::vector<std::uint32_t>{1, 2, 3, 4}, 4U},
                                      {std::vector<std::uint32_t>{1, 2, 3, 4}, 64U},
                                      {std::vector<std::uint32_t>{1, 1, 2, 9'996}, 64U}}) {
    auto padded = weights;
    padded.resize(size);
    SampledByQuantity const population(clients(padded), 2);
    double total = 0.0;
    for (auto const w : weights) total += w;
    Stream stream(172);
    std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
    for (std::uint32_t i = 0; i < 4; ++i)
      for (std::uint32_t j = i + 1; j < 4; ++j) seen[{i, j}] = 0;
    for (int round = 0; round < 20'000; ++round) ++seen.at(population.participants(1, stream));
    std::vector<std::uint64_t> counts;
    std::vector<double> probabilities;
    for (auto const& [subset, count] : seen) {
      double const a = weights[subset[0]];
      double const b = weights[subset[1]];
      double const p = a * b / total * (1.0 / (total - a) + 1.0 / (total - b));
      if (p * 20'000 < 5) continue;  // too rare for chi-squared
      counts.push_back(count);
      probabilities.push_back(p);
    }
    double rest = 1.0;
    for (double const p : probabilities) rest -= p;
    REQUIRE(rest < .002);
    CHECK(chi_squared(counts, probabilities) < chi2_critical_df9);
  }
}

TEST_CASE("SampledByQuantity draws different clients in rising order, also all of them") {
  std::vector<std::uint32_t> weights(200);
  for (std::uint32_t i = 0; i < 200; ++i) weights[i] = 1 + i * i;
  for (std::size_t const per_round : {1U, 20U, 150U, 200U}) {
    SampledByQuantity const population(clients(weights), per_round);
    Stream stream(173);
    for (std::uint32_t round = 0; round < 50; ++round) {
      auto const chosen = population.participants(round, stream);
      REQUIRE(chosen.size() == per_round);
      REQUIRE(std::ranges::is_sorted(chosen, std::less_equal<>()));  // strictly
      REQUIRE(chosen.back() < 200);
    }
    Stream a(174);
    Stream b(174);
    CHECK(population.participants(1, a) == population.participants(1, b));
  }
}

TEST_CASE("A million clients are sampled by quantity") {
  std::vector<std::uint32_t> weights(1'000'000, 1);
  weights[777'777] = 1'000'000;  // half of the weight
  SampledByQuantity const population(clients(weights), 100);
  Stream stream(175);
  std::size_t found = 0;
  for (int round = 0; round < 50; ++round)
    found += std::ranges::count(population.participants(1, stream), 777'777U) > 0 ? 1U : 0U;
  CHECK(found == 50);  // missed with probability 2^-100 per round
}

TEST_CASE("Clients may be weighted by their number of queries") {
  Dataset const data = random_dataset(176, {.queries = 10});
  std::vector<Client> const two{{0, 9, QueryPool(data, {1})}, {1, 1, QueryPool(data, {1, 2, 3})}, {2, 5, {}}};
  SampledByQuantity const population(two, 1, ClientWeight::queries);
  Stream stream(177);
  std::size_t second = 0;
  for (int round = 0; round < 4000; ++round) {
    auto const chosen = population.participants(1, stream).at(0);
    REQUIRE(chosen < 2);
    second += chosen;
  }
  CHECK(std::abs(static_cast<double>(second) / 4000 - .75) < five_errors(.75, 4000));
}

TEST_CASE("SampledByQuantity asks the population within whether a client reports") {
  SampledByQuantity const unreliable(Dropout{clients({1, 2, 3}), 1.0}, 2);
  Stream stream(178);
  CHECK(!unreliable.reports({}, 1, stream));
  CHECK(unreliable[1].interactions == 2);
  CHECK(unreliable.size() == 3);
  STATIC_REQUIRE(Population<SampledByQuantity<std::vector<Client>>>);
}

TEST_CASE("SampledByQuantity refuses more clients per round than clients with a weight above 0") {
  CHECK_THROWS_WITH(SampledByQuantity(clients({1, 0, 2}), 3),
                    "SampledByQuantity: required 1 to 2 clients per round, the number of clients with a weight above "
                    "0, got 3");
  CHECK_THROWS_WITH(SampledByQuantity(clients({1, 2}), 0),
                    "SampledByQuantity: required 1 to 2 clients per round, the number of clients with a weight above "
                    "0, got 0");
}
