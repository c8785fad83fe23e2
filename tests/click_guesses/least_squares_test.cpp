// LeastSquares and LeastAbsoluteDeviations. Their guesses are signs of coefficients that come from a BLAS, so every case
// here has coefficients far from the threshold.
#include <fltr/click_guesses/least_squares.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/click_guesses/least_absolute_deviations.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/observed.hpp"

namespace {

using fltr::DisplayedDocuments;
using fltr::LeastAbsoluteDeviations;
using fltr::LeastSquares;
using fltr::LinearRanker;
using fltr::Stream;
using fltr::testing::displayed;
using fltr::testing::guessed;
using Bits = std::vector<int>;
using Rows = std::vector<std::vector<float>>;

Rows random_rows(std::size_t documents, std::size_t features, Stream& stream) {
  Rows rows(documents, std::vector<float>(features));
  for (auto& row : rows)
    for (float& v : row) v = static_cast<float>(stream.normal());
  return rows;
}

/// Random clicks, of which at least one is 1 and one is 0.
Bits random_clicks(std::size_t documents, Stream& stream) {
  Bits clicks(documents);
  for (int& c : clicks) c = stream.bernoulli(0.3) ? 1 : 0;
  clicks[0] = 1;
  clicks[documents - 1] = 0;
  return clicks;
}

/// Σ λ_d d with λ = 0.02 for clicked documents and −0.01 for the others.
std::vector<double> update_for(Rows const& rows, Bits const& clicks) {
  std::vector<double> update(rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < update.size(); ++k)
      update[k] += (clicks[i] != 0 ? 0.02 : -0.01) * static_cast<double>(rows[i][k]);
  return update;
}

/// The weights of a linear ranker for tests with a clip.
std::vector<float> some_weights(std::size_t features, Stream& stream) {
  std::vector<float> weights(features);
  for (float& w : weights) w = static_cast<float>(stream.normal());
  return weights;
}

}  // namespace

TEST_CASE("Least squares of a matrix, computed by hand") {
  fltr::ColumnMatrix a({3, 2});
  // Columns (1, 1, 1) and (0, 1, 2), values (1, 2, 6): the line with intercept 0.5 and slope 2.5.
  for (std::size_t i = 0; i < 3; ++i) {
    a(i, 0) = 1.0;
    a(i, 1) = static_cast<double>(i);
  }
  auto const x = fltr::least_squares(a, std::vector{1.0, 2.0, 6.0});
  CHECK(x[0] == Approx(0.5));
  CHECK(x[1] == Approx(2.5));
}

TEST_CASE("Least squares share the coefficient of equal columns and take the shortest solution of a wide matrix") {
  fltr::ColumnMatrix equal({2, 2});
  equal(0, 0) = equal(0, 1) = 3.0;
  equal(1, 0) = equal(1, 1) = 4.0;
  auto const shared = fltr::least_squares(equal, std::vector{6.0, 8.0});  // 2 · (3, 4)
  CHECK(shared[0] == Approx(1.0));
  CHECK(shared[1] == Approx(1.0));
  fltr::ColumnMatrix wide({1, 3});
  wide(0, 0) = 1.0;
  wide(0, 1) = 2.0;
  wide(0, 2) = 2.0;
  auto const shortest = fltr::least_squares(wide, std::vector{9.0});  // 9 · (1, 2, 2) / 9
  CHECK(shortest[0] == Approx(1.0));
  CHECK(shortest[1] == Approx(2.0));
  CHECK(shortest[2] == Approx(2.0));
}

TEST_CASE("Least squares refuse values that are not finite, and a matrix without rows or columns has the solution 0") {
  fltr::ColumnMatrix a({1, 1});
  a(0, 0) = 1.0;
  CHECK_THROWS_WITH(fltr::least_squares(a, std::vector{std::nan("")}), ContainsSubstring("required finite values"));
  CHECK_THROWS_WITH(fltr::least_squares(a, std::vector{1.0, 2.0}), ContainsSubstring("required 1 values"));
  a(0, 0) = INFINITY;
  CHECK_THROWS_WITH(fltr::least_squares(a, std::vector{1.0}), ContainsSubstring("required a finite matrix"));
  CHECK(fltr::least_squares(fltr::ColumnMatrix({0, 2}), {}) == std::vector<double>{0, 0});
  CHECK(fltr::least_squares(fltr::ColumnMatrix({2, 0}), std::vector{1.0, 1.0}).empty());
}

TEST_CASE("Without noise, regressions recover every click of linearly independent documents") {
  Stream stream(5);
  for (std::size_t const features : {10U, 46U, 136U}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      auto const rows = random_rows(10, features, stream);
      auto const clicks = random_clicks(10, stream);
      LinearRanker const global(some_weights(features, stream));
      auto const update = update_for(rows, clicks);
      std::vector const lists{displayed(rows)};
      CHECK(guessed(LeastSquares{}, global, update, lists) == clicks);
      if (features > 10) CHECK(guessed(LeastSquares{.absorbs_clip = true}, global, update, lists) == clicks);
      if (features > 10) CHECK(guessed(LeastAbsoluteDeviations{}, global, update, lists) == clicks);
    }
  }
}

TEST_CASE("A regression does not depend on the scale of the update, and follows a permutation of the documents") {
  Stream stream(6);
  auto rows = random_rows(10, 46, stream);
  auto clicks = random_clicks(10, stream);
  LinearRanker const global(some_weights(46, stream));
  auto update = update_for(rows, clicks);
  for (double& u : update) u *= 1e-6;
  CHECK(guessed(LeastSquares{}, global, update, {displayed(rows)}) == clicks);
  CHECK(guessed(LeastAbsoluteDeviations{}, global, update, {displayed(rows)}) == clicks);
  std::ranges::reverse(rows);
  std::ranges::reverse(clicks);
  CHECK(guessed(LeastSquares{}, global, update, {displayed(rows)}) == clicks);
  CHECK(guessed(LeastAbsoluteDeviations{}, global, update, {displayed(rows)}) == clicks);
}

TEST_CASE("Documents of several local steps are one regression") {
  Stream stream(7);
  auto const first = random_rows(10, 46, stream);
  auto const second = random_rows(10, 46, stream);
  auto const clicks_first = random_clicks(10, stream);
  auto const clicks_second = random_clicks(10, stream);
  auto update = update_for(first, clicks_first);
  auto const more = update_for(second, clicks_second);
  for (std::size_t i = 0; i < update.size(); ++i) update[i] += more[i];
  Bits both = clicks_first;
  both.insert(both.end(), clicks_second.begin(), clicks_second.end());
  LinearRanker const global(some_weights(46, stream));
  std::vector const lists{displayed(first), displayed(second)};
  CHECK(guessed(LeastSquares{}, global, update, lists) == both);
  CHECK(guessed(LeastAbsoluteDeviations{}, global, update, lists) == both);
  // The second client of a sum: its lists are known, but not asked about.
  CHECK(guessed(LeastSquares{}, global, update, {displayed(first)}, {displayed(second)}) == clicks_first);
}

TEST_CASE("Least absolute deviations ignore a few large errors and a clip, least squares do not") {
  Stream stream(8);
  int right_squares = 0;
  int right_deviations = 0;
  int const repeats = 50;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto const rows = random_rows(10, 136, stream);
    auto const clicks = random_clicks(10, stream);
    auto const weights = some_weights(136, stream);
    auto update = update_for(rows, clicks);
    // A clip by 0.9: the update is 0.9 (θ + u) − θ. Then 4 of 136 coordinates get noise of 100 times the update.
    for (std::size_t i = 0; i < update.size(); ++i) update[i] = 0.9 * update[i] - 0.1 * static_cast<double>(weights[i]);
    for (int spike = 0; spike < 4; ++spike) update[stream.below(136)] += 5.0 * stream.normal();
    LinearRanker const global(weights);
    std::vector const lists{displayed(rows)};
    right_squares += guessed(LeastSquares{}, global, update, lists) == clicks ? 1 : 0;
    right_deviations += guessed(LeastAbsoluteDeviations{}, global, update, lists) == clicks ? 1 : 0;
  }
  // 132 of 136 equations are exact and there are 11 unknowns: the least absolute deviations are the exact solution
  // unless an outlier has a large leverage. Least squares have errors of 5 · √4 / √136 ≈ 0.9 in coefficients of 0.02.
  CHECK(right_deviations >= repeats - 2);
  CHECK(right_squares <= 5);
}

TEST_CASE("Least absolute deviations of one column are the weighted median") {
  // min Σ |b_j − x| over (1, 2, 3, 10, 100) is the median 3; the mean would be 23.2.
  fltr::ColumnMatrix a({5, 1});
  for (std::size_t i = 0; i < 5; ++i) a(i, 0) = 1.0;
  auto const x = LeastAbsoluteDeviations{}.solve(a, std::vector{1.0, 2.0, 3.0, 10.0, 100.0});
  CHECK(x[0] == Approx(3.0).margin(0.01));
}

TEST_CASE("Degenerate lists give guesses, and no error") {
  Stream stream(9);
  LinearRanker const global(some_weights(46, stream));
  auto rows = random_rows(10, 46, stream);
  Bits const clicks{1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  SECTION("a zero update: no click") {
    CHECK(guessed(LeastSquares{}, global, std::vector<double>(46), {displayed(rows)}) == Bits(10, 0));
    CHECK(guessed(LeastAbsoluteDeviations{}, global, std::vector<double>(46), {displayed(rows)}) == Bits(10, 0));
  }
  SECTION("equal documents share one guess") {
    rows[1] = rows[0];
    auto const update = update_for(rows, clicks);  // 0.02 − 0.01 > 0: both look clicked
    CHECK(guessed(LeastSquares{}, global, update, {displayed(rows)}) == Bits{1, 1, 0, 1, 0, 0, 0, 0, 0, 0});
    CHECK(guessed(LeastAbsoluteDeviations{}, global, update, {displayed(rows)}) == Bits{1, 1, 0, 1, 0, 0, 0, 0, 0, 0});
  }
  SECTION("all documents equal, or all zero") {
    rows.assign(10, rows[0]);
    auto const update = update_for(rows, clicks);  // −0.04 times the document
    CHECK(guessed(LeastSquares{}, global, update, {displayed(rows)}) == Bits(10, 0));
    rows.assign(10, std::vector<float>(46));
    CHECK(guessed(LeastSquares{}, global, update, {displayed(rows)}) == Bits(10, 0));
    CHECK(guessed(LeastAbsoluteDeviations{}, global, update, {displayed(rows)}) == Bits(10, 0));
  }
  SECTION("more documents than features, and an empty list") {
    LinearRanker const small(3);
    auto const few = random_rows(10, 3, stream);
    auto const update = update_for(few, clicks);
    for (int const guess : guessed(LeastSquares{}, small, update, {displayed(few)})) CHECK((guess == 0 || guess == 1));
    for (int const guess : guessed(LeastAbsoluteDeviations{}, small, update, {displayed(few)}))
      CHECK((guess == 0 || guess == 1));
    CHECK(guessed(LeastSquares{}, small, update, {}).empty());
    CHECK(guessed(LeastAbsoluteDeviations{}, small, update, {}).empty());
  }
  SECTION("a global ranker of zeros: the column of the clip is zero") {
    auto const update = update_for(rows, clicks);
    CHECK(guessed(LeastAbsoluteDeviations{}, LinearRanker(46), update, {displayed(rows)}) == clicks);
  }
}

TEST_CASE("The update of a neural ranker is regressed on the gradients of the scores") {
  Stream stream(10);
  fltr::NeuralRanker global(46, {.hidden = 16});
  global.initialize(stream);
  for (float& p : global.parameters()) p *= 10.0F;  // beyond the linear part of the sigmoid
  auto const rows = random_rows(10, 46, stream);
  auto const clicks = random_clicks(10, stream);
  std::vector const lists{displayed(rows)};
  std::vector<float> score_gradient(10);
  for (std::size_t i = 0; i < 10; ++i) score_gradient[i] = clicks[i] != 0 ? 0.02F : -0.01F;
  std::vector<float> gradient(global.parameters().size());
  global.backward(lists[0].documents(), score_gradient, gradient);
  std::vector<double> const update(gradient.begin(), gradient.end());
  CHECK(guessed(LeastSquares{}, global, update, lists) == clicks);
  CHECK(guessed(LeastAbsoluteDeviations{}, global, update, lists) == clicks);
}

TEST_CASE("Regressions refuse wrong parameters") {
  Stream stream(11);
  auto const rows = random_rows(2, 3, stream);
  LinearRanker const global(3);
  CHECK_THROWS_WITH(guessed(LeastSquares{.threshold = 1.0}, global, {0, 0, 0}, {displayed(rows)}),
                    ContainsSubstring("LeastSquares: required a threshold in [0, 1), got 1"));
  CHECK_THROWS_WITH(guessed(LeastSquares{.rank_tolerance = -1.0}, global, {0, 0, 0}, {displayed(rows)}),
                    ContainsSubstring("required a rank_tolerance in [0, 1), got -1"));
  CHECK_THROWS_WITH(guessed(LeastAbsoluteDeviations{.threshold = -1.0}, global, {0, 0, 0}, {displayed(rows)}),
                    ContainsSubstring("LeastAbsoluteDeviations: required a threshold in [0, 1), got -1"));
}
