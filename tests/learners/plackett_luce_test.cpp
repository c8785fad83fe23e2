#include <fltr/learners/plackett_luce.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::LearnerWorkspace;

/// Chi-squared of the frequencies of all 24 orders of four documents against their exact probabilities.
double chi_squared(std::vector<float> const& scores, std::uint64_t seed, int draws) {
  LearnerWorkspace work;
  work.scores = scores;
  fltr::PlackettLuce list(work);
  list.prepare();
  fltr::Stream stream(seed);
  std::map<std::vector<std::uint32_t>, int> seen;
  for (int i = 0; i < draws; ++i) {
    list.sample(4, stream);
    ++seen[work.order];
  }
  double sum = 0;
  std::vector<std::uint32_t> order{0, 1, 2, 3};
  do {
    double p = 1;
    double left = std::accumulate(work.masses.begin(), work.masses.end(), 0.0);
    for (auto d : order) {
      p *= work.masses[d] / left;
      left -= work.masses[d];
    }
    double const expected = p * draws;
    sum += (seen[order] - expected) * (seen[order] - expected) / expected;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum;
}

}  // namespace

TEST_CASE("PlackettLuce: the frequencies of all orders of four documents are those of the model") {
  // df 23, alpha 1e-6: 70.55. The rarest order has probability > 1e-3, an expected count > 100.
  CHECK(chi_squared({0.0F, 0.0F, 0.0F, 0.0F}, 11, 200'000) < 70.55);
  CHECK(chi_squared({0.5F, -0.3F, 1.2F, 0.1F}, 12, 200'000) < 70.55);
}

TEST_CASE("The test of frequencies detects a biased sampler") {
  LearnerWorkspace work;
  work.scores = {0.5F, -0.3F, 1.2F, 0.1F};
  fltr::PlackettLuce list(work);
  list.prepare();
  fltr::Stream stream(5);
  int first = 0;
  for (int i = 0; i < 100'000; ++i) {
    list.sample(1, stream);
    if (work.order[0] == 2) ++first;
  }
  double const total = std::accumulate(work.masses.begin(), work.masses.end(), 0.0);
  double const p = work.masses[2] / total;
  CHECK(std::abs(first - 100'000 * p) < 5 * std::sqrt(100'000 * p * (1 - p)));
}

TEST_CASE("PlackettLuce: samples are permutations, and `unplaced` is the mass of the other documents") {
  fltr::Stream stream(9);
  for (std::size_t n : {0U, 1U, 2U, 7U, 8U, 9U, 16U, 33U, 125U}) {
    LearnerWorkspace work;
    for (std::size_t i = 0; i < n; ++i) work.scores.push_back(static_cast<float>(20 * stream.normal()));
    fltr::PlackettLuce list(work);
    list.prepare();
    for (int repeat = 0; repeat < 50; ++repeat) {
      list.sample(10, stream);
      CHECK(work.order.size() == std::min<std::size_t>(10, n));
      std::vector<std::uint32_t> sorted = work.order;
      std::sort(sorted.begin(), sorted.end());
      CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
      double rest = 0;
      for (std::uint32_t d = 0; d < n; ++d)
        if (!std::binary_search(sorted.begin(), sorted.end(), d)) rest += work.masses[d];
      CHECK(list.unplaced() == Approx(rest).epsilon(1e-12));
      if (n > 0 && n <= 10) CHECK(list.unplaced() == 0.0);
    }
  }
}

TEST_CASE("PlackettLuce: with a score spread of 200 or 2000 the order is that of the scores") {
  for (float spread : {200.0F, 2000.0F}) {
    LearnerWorkspace work;
    work.scores = {0.0F, spread, spread / 4, spread / 2};
    fltr::PlackettLuce list(work);
    list.prepare();
    fltr::Stream stream(3);
    for (int i = 0; i < 1000; ++i) {
      list.sample(4, stream);
      REQUIRE(work.order[0] == 1);
      if (spread == 200.0F) REQUIRE(work.order == std::vector<std::uint32_t>{1, 3, 2, 0});
    }
  }
}
