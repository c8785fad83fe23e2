// HigherScore, HigherProbability and HigherDistance, and the guesses without a message: FirstPosition and RandomGuess.
#include <fltr/click_guesses/higher_score.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fltr/click_guesses/first_position.hpp>
#include <fltr/click_guesses/higher_distance.hpp>
#include <fltr/click_guesses/higher_probability.hpp>
#include <fltr/click_guesses/random_guess.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/observed.hpp"

namespace {

using fltr::LinearRanker;
using fltr::testing::displayed;
using fltr::testing::guessed;
using Bits = std::vector<int>;

/// Document i has feature i, so that the update is the change of the scores.
std::vector<std::vector<float>> unit_rows(std::size_t n) {
  std::vector<std::vector<float>> rows(n, std::vector<float>(n));
  for (std::size_t i = 0; i < n; ++i) rows[i][i] = 1.0F;
  return rows;
}

}  // namespace

TEST_CASE("Guesses from scores, computed by hand") {
  LinearRanker const global(std::vector<float>{0, 0, 0});
  // Scores change by +1, +0.1 and −1. All start with probability 1/3; e^0.1 / (e + e^0.1 + 1/e) = 0.26 is below it.
  std::vector const lists{displayed(unit_rows(3))};
  std::vector const update{1.0, 0.1, -1.0};
  CHECK(guessed(fltr::HigherScore{}, global, update, lists) == Bits{1, 1, 0});
  CHECK(guessed(fltr::HigherProbability{}, global, update, lists) == Bits{1, 0, 0});
  CHECK(guessed(fltr::HigherDistance{.others = 0}, global, update, lists) == Bits{1, 1, 0});
  CHECK(guessed(fltr::HigherDistance{.others = 1}, global, update, lists) == Bits{1, 0, 0});
}

TEST_CASE("A document is compared with itself, not with the document that takes its rank") {
  LinearRanker const global(std::vector<float>{2, 1, 0.5F});
  std::vector const lists{displayed(unit_rows(3))};
  // Sorted scores: 2, 1, 0.5 before and 2.2, 1.9, 0 after, which would read as a rise of the first two.
  CHECK(guessed(fltr::HigherScore{}, global, {-0.1, -1.0, 1.7}, lists) == Bits{0, 0, 1});
}

TEST_CASE("HigherDistance guesses documents that pass more than 5 of 10") {
  LinearRanker const global(10);
  std::vector<double> update(10);
  std::iota(update.begin(), update.end(), 0.0);
  CHECK(guessed(fltr::HigherDistance{}, global, update, {displayed(unit_rows(10))}) ==
        Bits{0, 0, 0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("A constant added to all scores changes higher scores, but neither probabilities nor distances") {
  LinearRanker const global(std::vector<float>{0.5F, -1, 2, 0.25F});
  std::vector const lists{displayed(unit_rows(4))};
  std::vector const update{0.5, -0.25, 0.125, -0.5};
  std::vector<double> shifted = update;
  for (double& u : shifted) u += 4.0;
  CHECK(guessed(fltr::HigherScore{}, global, shifted, lists) == Bits{1, 1, 1, 1});
  CHECK(guessed(fltr::HigherProbability{}, global, shifted, lists) ==
        guessed(fltr::HigherProbability{}, global, update, lists));
  CHECK(guessed(fltr::HigherDistance{.others = 1}, global, shifted, lists) ==
        guessed(fltr::HigherDistance{.others = 1}, global, update, lists));
}

TEST_CASE("A message equal to the broadcast weights gives no guess from scores") {
  LinearRanker const global(std::vector<float>{0.3F, -0.7F, 1e30F});
  std::vector const lists{displayed(unit_rows(3)), displayed(unit_rows(3))};
  std::vector const update{0.0, 0.0, 0.0};
  CHECK(guessed(fltr::HigherScore{}, global, update, lists) == Bits(6, 0));
  CHECK(guessed(fltr::HigherProbability{}, global, update, lists) == Bits(6, 0));
  CHECK(guessed(fltr::HigherDistance{}, global, update, lists) == Bits(6, 0));
}

TEST_CASE("Each list of several local steps is guessed by itself") {
  LinearRanker const global(3);
  std::vector const update{1.0, 0.5, -1.0};
  std::vector<std::vector<float>> const first_two{{1, 0, 0}, {0, 1, 0}};
  std::vector<std::vector<float>> const last_two{{0, 1, 0}, {0, 0, 1}};
  std::vector const lists{displayed(first_two), displayed(last_two)};
  // The second document loses probability in the first list and gains it in the second one.
  CHECK(guessed(fltr::HigherProbability{}, global, update, lists) == Bits{1, 0, 1, 0});
  CHECK(guessed(fltr::FirstPosition{}, global, update, lists) == Bits{1, 0, 1, 0});
}

TEST_CASE("RandomGuess chooses every subset of its size equally often") {
  LinearRanker const global(4);
  std::vector const lists{displayed(unit_rows(4))};
  std::vector<double> const update(4);
  std::vector<int> counts(16);
  int const draws = 6000;
  for (int s = 0; s < draws; ++s) {
    auto const clicks = guessed(fltr::RandomGuess{2}, global, update, lists, {}, static_cast<std::uint64_t>(s));
    REQUIRE(std::accumulate(clicks.begin(), clicks.end(), 0) == 2);
    ++counts[static_cast<std::size_t>(clicks[0] + 2 * clicks[1] + 4 * clicks[2] + 8 * clicks[3])];
  }
  // 6 subsets: chi-square with 5 degrees of freedom is above 35.9 with probability 1e-6.
  double chi_square = 0.0;
  for (int const subset : {3, 5, 6, 9, 10, 12}) {
    double const difference = counts[static_cast<std::size_t>(subset)] - draws / 6.0;
    chi_square += difference * difference / (draws / 6.0);
  }
  CHECK(chi_square < 35.9);
}

TEST_CASE("RandomGuess takes all documents of a shorter list") {
  LinearRanker const global(2);
  CHECK(guessed(fltr::RandomGuess{3}, global, {0, 0}, {displayed(unit_rows(2))}) == Bits{1, 1});
}

TEST_CASE("An update of another size is refused") {
  LinearRanker const global(3);
  CHECK_THROWS_WITH(
      guessed(fltr::HigherScore{}, global, {0, 0}, {displayed(unit_rows(3))}),
      ContainsSubstring("HigherScore: required an update of 3 values, one for each shared parameter, got 2"));
}
