#include <fltr/learners/plackett_luce.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::LearnerWorkspace;

/// Chi-squared of the frequencies of all 24 orders of four documents against their exact probabilities. The lists are
/// drawn with the scores `sampled`, and the probabilities are those of `scores`.
double chi_squared(std::vector<float> const& scores, std::vector<float> const& sampled, std::uint64_t seed, int draws) {
  LearnerWorkspace model;
  model.scores = scores;
  fltr::PlackettLuce(model).prepare();
  LearnerWorkspace work;
  work.scores = sampled;
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
    double left = std::accumulate(model.masses.begin(), model.masses.end(), 0.0);
    for (auto d : order) {
      p *= model.masses[d] / left;
      left -= model.masses[d];
    }
    double const expected = p * draws;
    sum += (seen[order] - expected) * (seen[order] - expected) / expected;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum;
}
double chi_squared(std::vector<float> const& scores, std::uint64_t seed, int draws) {
  return chi_squared(scores, scores, seed, draws);
}

/// Scores of twelve documents, in two blocks of the sampler.
std::vector<std::vector<float>> four_skews() {
  std::vector<std::vector<float>> skews(4, std::vector<float>(12, 0.0F));  // [0] is uniform
  for (std::size_t i = 0; i < 12; ++i) {
    skews[1][i] = 0.3F * static_cast<float>(i * 7 % 12) - 1.0F;   // mild: the largest mass is 27 times the smallest
    skews[2][i] = -1.5F * static_cast<float>(i * 5 % 12);         // steep: 0.78 of the mass is at one document
    skews[3][i] = i == 9 ? 40.0F : 0.1F * static_cast<float>(i);  // document 9 has all but 1e-16 of the mass
  }
  return skews;
}

/// The quantile of chi-squared with df degrees of freedom at 1 - 1e-6 (Wilson and Hilferty 1931; the error is below 1 %
/// for df >= 10).
double chi_squared_bound(double df) {
  double const z = 4.7534;
  return 1.01 * df * std::pow(1.0 - 2.0 / (9.0 * df) + z * std::sqrt(2.0 / (9.0 * df)), 3.0);
}

}  // namespace

TEST_CASE("PlackettLuce: the frequencies of all ordered triples are those of the model at four skews") {
  constexpr int draws = 400'000;
  constexpr std::size_t n = 12;
  std::uint64_t seed = 100;
  for (auto const& scores : four_skews()) {
    LearnerWorkspace work;
    work.scores = scores;
    fltr::PlackettLuce list(work);
    list.prepare();
    fltr::Stream stream(++seed);
    std::vector<int> seen(n * n * n, 0);
    for (int i = 0; i < draws; ++i) {
      list.sample(3, stream);
      REQUIRE(work.order.size() == 3);
      ++seen[(work.order[0] * n + work.order[1]) * n + work.order[2]];
    }
    // Sums without some documents are formed from their parts, because a difference has no digits at the last skew.
    auto const without = [&](std::size_t a, std::size_t b) {
      double sum = 0.0;
      for (std::size_t d = 0; d < n; ++d) sum += d != a && d != b ? work.masses[d] : 0.0;
      return sum;
    };
    double chi2 = 0.0;
    double cells = 0.0;
    double rare_expected = 0.0;  // triples with an expected count below 10 are one cell
    double rare_seen = 0.0;
    double probability = 0.0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t c = 0; c < n; ++c) {
          double const count = seen[(a * n + b) * n + c];
          if (a == b || b == c || a == c) {
            REQUIRE(count == 0.0);
            continue;
          }
          double const p =
              work.masses[a] / without(n, n) * work.masses[b] / without(a, n) * work.masses[c] / without(a, b);
          probability += p;
          double const expected = p * draws;
          if (expected < 10.0) {
            rare_expected += expected;
            rare_seen += count;
            continue;
          }
          chi2 += (count - expected) * (count - expected) / expected;
          ++cells;
        }
    CHECK(probability == Approx(1.0));
    if (rare_expected >= 10.0) {
      chi2 += (rare_seen - rare_expected) * (rare_seen - rare_expected) / rare_expected;
      ++cells;
    } else {
      CHECK(rare_seen <= rare_expected + 6.0 * std::sqrt(rare_expected) + 12.0);  // a tail of Poisson below 1e-6
    }
    INFO("seed " << seed << ", " << cells << " cells");
    CHECK(cells > 20);
    CHECK(chi2 < chi_squared_bound(cells - 1.0));
  }
}

TEST_CASE(
    "PlackettLuce: at every rank of a list each document has its probability among the documents not yet placed") {
  // For each rank and document, the sum of (drawn - p) over the lists is a martingale with variance sum p (1 - p). With
  // 4 x 10 x 12 sums, a standard score above 6 has a probability below 1e-6. Sums of small variance are not normal.
  constexpr std::size_t n = 12;
  constexpr std::size_t ranks = 10;
  std::uint64_t seed = 200;
  for (auto const& scores : four_skews()) {
    LearnerWorkspace work;
    work.scores = scores;
    fltr::PlackettLuce list(work);
    list.prepare();
    fltr::Stream stream(++seed);
    std::vector<double> excess(ranks * n, 0.0);
    std::vector<double> variance(ranks * n, 0.0);
    for (int i = 0; i < 50'000; ++i) {
      list.sample(ranks, stream);
      std::vector<double> left = work.masses;
      for (std::size_t r = 0; r < ranks; ++r) {
        double const total = std::accumulate(left.begin(), left.end(), 0.0);
        for (std::size_t d = 0; d < n; ++d) {
          double const p = left[d] / total;
          excess[r * n + d] += (work.order[r] == d ? 1.0 : 0.0) - p;
          variance[r * n + d] += p * (1.0 - p);
        }
        REQUIRE(left[work.order[r]] > 0.0);
        left[work.order[r]] = 0.0;
      }
    }
    for (std::size_t j = 0; j < excess.size(); ++j) {
      INFO("seed " << seed << ", rank " << j / n << ", document " << j % n);
      if (variance[j] > 50.0) CHECK(std::abs(excess[j]) < 6.0 * std::sqrt(variance[j]));
    }
  }
}

TEST_CASE("PlackettLuce: the frequencies of all orders of four documents are those of the model") {
  // df 23, alpha 1e-6: 70.55. The rarest order has probability > 1e-3, an expected count > 100.
  CHECK(chi_squared({0.0F, 0.0F, 0.0F, 0.0F}, 11, 200'000) < 70.55);
  CHECK(chi_squared({0.5F, -0.3F, 1.2F, 0.1F}, 12, 200'000) < 70.55);
}

TEST_CASE("The test of frequencies detects a sampler of other scores") {
  std::vector<float> const scores{0.5F, -0.3F, 1.2F, 0.1F};
  auto other = scores;
  other[2] += 0.05F;  // its probability of rank 1 is 0.500 instead of 0.487
  CHECK(chi_squared(scores, other, 5, 200'000) > 2 * 70.55);
  CHECK(chi_squared(other, scores, 6, 200'000) > 2 * 70.55);
}

TEST_CASE("PlackettLuce: with NaN and infinite scores, samples are permutations with the documented masses") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const inf = std::numeric_limits<float>::infinity();
  double const smallest = fltr::simd::exponential(-700.0);
  struct Case {
    std::vector<float> scores;
    std::vector<double> masses;
  };
  for (auto const& [scores, masses] :
       {Case{{0.0F, nan, -inf, 0.0F}, {1.0, smallest, smallest, 1.0}},
        Case{{nan, nan, nan}, std::vector<double>(3, smallest)}, Case{{-inf, -inf}, std::vector<double>(2, smallest)},
        Case{{nan, -inf, nan}, std::vector<double>(3, smallest)},
        Case{{inf, 0.0F, nan, -inf, inf, 3.0F, 1.0F, 2.0F, -9.0F}, std::vector<double>(9, smallest)}}) {
    LearnerWorkspace work;
    work.scores = scores;
    fltr::PlackettLuce list(work);
    list.prepare();
    CHECK(work.masses == masses);
    fltr::Stream stream(21);
    int first = 0;
    for (int i = 0; i < 10'000; ++i) {
      list.sample(scores.size(), stream);
      auto sorted = work.order;
      std::sort(sorted.begin(), sorted.end());
      std::vector<std::uint32_t> all(scores.size());
      std::iota(all.begin(), all.end(), 0U);
      REQUIRE(sorted == all);
      if (work.order[0] == 0) ++first;
    }
    double const p = masses[0] / std::accumulate(masses.begin(), masses.end(), 0.0);
    CHECK(std::abs(first - 10'000 * p) < 6 * std::sqrt(10'000 * p * (1 - p)));
  }
}

TEST_CASE("PlackettLuce: samples are permutations, and `unplaced` is the mass of the other documents") {
  fltr::Stream stream(9);
  for (std::size_t n : {0U, 1U, 2U, 7U, 8U, 9U, 16U, 33U, 64U, 65U, 125U, 1300U}) {
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
