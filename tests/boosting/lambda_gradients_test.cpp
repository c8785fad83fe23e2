#include <fltr/boosting/lambda_gradients.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::Dataset;
using fltr::Gain;
using fltr::LambdaGradients;
using fltr::LambdaOptions;

Dataset query_of(std::vector<int> const& grades) {
  std::vector<fltr::testing::Document> documents;
  for (int grade : grades) documents.push_back({grade, {0.0F}});
  return fltr::testing::dataset_of({documents}, 1);
}

struct Result {
  std::vector<double> gradients;
  std::vector<double> hessians;
  double size = 0;
};

Result gradients_of(LambdaOptions const& options, std::vector<int> const& grades, std::vector<float> const& scores) {
  Dataset const data = query_of(grades);
  Result result{std::vector<double>(grades.size(), 7.0), std::vector<double>(grades.size(), 7.0)};
  LambdaGradients lambda(options);
  result.size = lambda(data[0], scores, std::span(result.gradients), std::span(result.hessians));
  return result;
}

/// A pair of the loss as the paper defines it, with its weight.
struct Pair {
  std::size_t better, worse;
  double weight;
};

/// By definition: a stable sort and all pairs.
std::vector<Pair> pairs_of(LambdaOptions const& o, std::vector<int> const& grades, std::vector<float> const& scores) {
  std::size_t const n = grades.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return scores[a] > scores[b]; });
  auto const gain = [&](int grade) { return o.gain == Gain::linear ? grade : std::exp2(grade) - 1; };
  auto const discount = [](std::size_t rank) { return 1 / std::log2(static_cast<double>(rank) + 2); };
  auto ideal = grades;
  std::ranges::sort(ideal, std::greater<>{});
  std::size_t const depth = o.truncation == 0 ? n : std::min(n, o.truncation);
  double best = 0;
  for (std::size_t r = 0; r < depth; ++r) best += gain(ideal[r]) * discount(r);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < depth; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      auto const a = order[i];
      auto const b = order[j];
      if (grades[a] == grades[b]) continue;
      double weight = std::abs(gain(grades[a]) - gain(grades[b])) * (discount(i) - discount(j)) / best;
      if (o.normalize && scores[order[0]] != scores[order[n - 1]])
        weight /= 0.01 + std::abs(static_cast<double>(scores[a]) - static_cast<double>(scores[b]));
      pairs.push_back(grades[a] > grades[b] ? Pair{a, b, weight} : Pair{b, a, weight});
    }
  return pairs;
}

double loss(LambdaOptions const& o, std::vector<Pair> const& pairs, std::vector<double> const& scores) {
  double sum = 0;
  for (auto const& p : pairs) sum += p.weight * std::log1p(std::exp(-o.sigmoid * (scores[p.better] - scores[p.worse])));
  return sum;
}

struct Case {
  std::vector<int> grades;
  std::vector<float> scores;
};
Case random_case(fltr::Stream& stream, std::size_t n) {
  Case c;
  for (std::size_t i = 0; i < n; ++i) {
    c.grades.push_back(static_cast<int>(stream.below(5)));
    // Multiples of 1/4, so that some scores are equal.
    c.scores.push_back(static_cast<float>(stream.below(20)) / 4.0F);
  }
  return c;
}

}  // namespace

TEST_CASE("LambdaGradients: two documents by hand") {
  // Ranked 1, 2 with gains 0 and 1: ΔnDCG = 1 · (1 − 1/log2 3) / 1; score difference of the better one −1.
  double const delta = 1 - 1 / std::log2(3.0);
  double const rho = 1 / (1 + std::exp(-1.0 * 2.0));
  auto const plain = gradients_of({.sigmoid = 2.0, .normalize = false}, {0, 1}, {1.5F, 0.5F});
  CHECK(plain.gradients[1] == Approx(-2.0 * delta * rho).epsilon(1e-14));
  CHECK(plain.gradients[0] == Approx(2.0 * delta * rho).epsilon(1e-14));
  CHECK(plain.hessians[0] == Approx(4.0 * delta * rho * (1 - rho)).epsilon(1e-14));
  CHECK(plain.hessians[1] == plain.hessians[0]);
  CHECK(plain.size == Approx(4.0 * delta * rho).epsilon(1e-14));

  // Normalised: the weight over 0.01 + 1, then log2(1 + S) / S.
  double const size = plain.size / 1.01;
  auto const normal = gradients_of({.sigmoid = 2.0}, {0, 1}, {1.5F, 0.5F});
  CHECK(normal.size == Approx(size).epsilon(1e-14));
  CHECK(normal.gradients[0] == Approx(std::log2(1 + size) / 2).epsilon(1e-14));
  CHECK(normal.hessians[0] == Approx(2.0 * (1 - rho) * std::log2(1 + size) / 2).epsilon(1e-14));
}

TEST_CASE("LambdaGradients: pairs are not divided by the distance if all scores are equal") {
  double const delta = 1 - 1 / std::log2(3.0);
  double const size = delta;  // 2 · σ · Δ · ½
  auto const r = gradients_of({}, {1, 0}, {3.0F, 3.0F});
  CHECK(r.size == Approx(size).epsilon(1e-14));
  CHECK(r.gradients[0] == Approx(-std::log2(1 + size) / 2).epsilon(1e-14));
}

TEST_CASE("LambdaGradients agree with finite differences of the pairwise loss with constant weights") {
  fltr::Stream stream(3);
  for (std::size_t n : {2U, 3U, 8U, 9U, 17U, 40U}) {
    for (std::size_t truncation : {0U, 1U, 5U, 30U}) {
      for (bool normalize : {false, true}) {
        for (Gain gain : {Gain::exponential, Gain::linear}) {
          Case const c = random_case(stream, n);
          LambdaOptions const options{truncation, 0.7, normalize, gain};
          auto const result = gradients_of(options, c.grades, c.scores);
          auto const pairs = pairs_of(options, c.grades, c.scores);
          std::vector<double> const scores(c.scores.begin(), c.scores.end());
          double const scale = normalize && result.size > 0 ? std::log2(1 + result.size) / result.size : 1.0;
          auto const at = [&](std::size_t i, double shift) {
            auto moved = scores;
            moved[i] += shift;
            return scale * loss(options, pairs, moved);
          };
          for (std::size_t i = 0; i < n; ++i) {
            CAPTURE(n, truncation, normalize, i);
            constexpr double h = 1e-4;
            double const slope = (at(i, h) - at(i, -h)) / (2 * h);
            double const hessian = (at(i, h) - 2 * at(i, 0) + at(i, -h)) / (h * h);
            CHECK(result.gradients[i] == Approx(slope).epsilon(1e-6).margin(1e-7));
            CHECK(result.hessians[i] == Approx(hessian).epsilon(1e-4).margin(1e-5));
          }
          CHECK(std::accumulate(result.gradients.begin(), result.gradients.end(), 0.0) == Approx(0).margin(1e-12));
        }
      }
    }
  }
}

TEST_CASE("LambdaGradients: the hessians are optional; float results are the rounded double results") {
  fltr::Stream stream(4);
  Case const c = random_case(stream, 25);
  Dataset const data = query_of(c.grades);
  auto const expected = gradients_of({}, c.grades, c.scores);
  LambdaGradients lambda;
  std::vector<float> gradients(25);
  lambda(data[0], c.scores, std::span(gradients), std::span<float>{});
  for (std::size_t i = 0; i < 25; ++i) CHECK(gradients[i] == static_cast<float>(expected.gradients[i]));
}

TEST_CASE("LambdaGradients: the result of a query does not depend on earlier queries") {
  fltr::Stream stream(5);
  LambdaGradients used;
  for (std::size_t n : {60U, 7U, 1U, 33U, 2U}) {
    Case const c = random_case(stream, n);
    Dataset const data = query_of(c.grades);
    Result fresh = gradients_of({}, c.grades, c.scores);
    std::vector<double> gradients(n);
    std::vector<double> hessians(n);
    used(data[0], c.scores, std::span(gradients), std::span(hessians));
    CHECK(gradients == fresh.gradients);
    CHECK(hessians == fresh.hessians);
  }
}

TEST_CASE("LambdaGradients: without pairs all gradients are 0") {
  auto const zero = [](Result const& r) {
    auto const is_zero = [](double x) { return x == 0.0; };
    return r.size == 0.0 && std::ranges::all_of(r.gradients, is_zero) && std::ranges::all_of(r.hessians, is_zero);
  };
  CHECK(zero(gradients_of({}, {}, {})));
  CHECK(zero(gradients_of({}, {3}, {1.0F})));
  CHECK(zero(gradients_of({}, {0, 0, 0}, {1.0F, 2.0F, 3.0F})));
  CHECK(zero(gradients_of({}, {2, 2, 2}, {1.0F, 2.0F, 3.0F})));
  CHECK(zero(gradients_of({.truncation = 1}, {1, 1, 0}, {1.0F, 2.0F, 3.0F})) == false);
}

TEST_CASE("LambdaGradients: scores that differ by thousands give finite, correct values") {
  // The reversed order: the sigmoid is 1 for every pair, so the gradient is the weight and the hessian is 0.
  auto const wrong = gradients_of({.normalize = false}, {0, 1}, {3e4F, -3e4F});
  CHECK(wrong.gradients[1] == Approx(-(1 - 1 / std::log2(3.0))).epsilon(1e-12));
  CHECK(wrong.hessians[1] == Approx(0).margin(1e-300));
  auto const right = gradients_of({.normalize = false}, {1, 0}, {3e4F, -3e4F});
  CHECK(right.gradients[0] == Approx(0).margin(1e-300));
  auto const extreme = gradients_of({.sigmoid = 50.0}, {0, 1, 2}, {std::numeric_limits<float>::max(), 0.0F, -1e30F});
  for (double g : extreme.gradients) CHECK(std::isfinite(g));
  for (double h : extreme.hessians) CHECK((std::isfinite(h) && h >= 0.0));
}

TEST_CASE("LambdaGradients: a sigmoid that is not finite or not positive is an error") {
  for (double sigmoid : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(LambdaGradients({.sigmoid = sigmoid}), std::invalid_argument);
}
