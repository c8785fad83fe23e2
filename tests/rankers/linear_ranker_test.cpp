#include <fltr/rankers/linear_ranker.hpp>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::Initialization;
using fltr::LinearRanker;
using fltr::testing::dataset_of;
using fltr::testing::random_dataset;

double norm(LinearRanker const& ranker) {
  double squares = 0.0;
  for (float const w : ranker.parameters()) squares += static_cast<double>(w) * static_cast<double>(w);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("A linear score by hand") {
  auto const data = dataset_of({{{0, {1, 2, 3}}, {0, {0, 0, 0}}, {0, {-1, 0.5F, 4}}}}, 3);
  LinearRanker const ranker({2.0F, -1.0F, 0.5F});
  std::vector<float> scores(3);
  ranker.score(data[0], scores);
  CHECK(scores == std::vector<float>{1.5F, 0.0F, -0.5F});
}

TEST_CASE("A linear score for every number of features") {
  for (std::size_t features = 0; features < 40; ++features) {
    auto const data = random_dataset(81, {.queries = 3, .features = features, .most_documents = 20});
    std::vector<float> weights(features);
    for (std::size_t k = 0; k < features; ++k) weights[k] = static_cast<float>(k) - 3.0F;
    LinearRanker const ranker(weights);
    for (std::size_t q = 0; q < data.size(); ++q) {
      std::vector<float> scores(data[q].document_count());
      ranker.score(data[q], scores);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        double exact = 0.0;
        for (std::size_t k = 0; k < features; ++k)
          exact += static_cast<double>(weights[k]) * static_cast<double>(data[q].row(i)[k]);
        CHECK(static_cast<double>(scores[i]) == Approx(exact).epsilon(1e-5).margin(1e-4));
      }
    }
  }
}

TEST_CASE("A query with another number of features is an error") {
  auto const data = dataset_of({{{0, {1, 2, 3}}}}, 3);
  std::vector<float> scores(1);
  CHECK_THROWS_WITH(LinearRanker(4).score(data[0], scores), "LinearRanker: required 4 features, got 3");
  CHECK_THROWS_AS(LinearRanker().score(data[0], scores), std::invalid_argument);
}

TEST_CASE("backward of a LinearRanker agrees with finite differences") {
  // Scores are linear in the weights, so that a difference of any width is exact up to rounding.
  auto const data = random_dataset(82, {.queries = 10, .features = 11, .most_documents = 80});
  fltr::Stream stream(82);
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::size_t const n = data[q].document_count();
    std::vector<float> score_gradient(n);
    for (float& c : score_gradient) c = stream.below(2) == 0 ? 0.0F : static_cast<float>(stream.normal());
    std::vector<float> gradient(11, 0.5F);  // backward adds to the given values
    LinearRanker const ranker(11);
    ranker.backward(data[q], score_gradient, gradient);
    for (std::size_t k = 0; k < 11; ++k) {
      LinearRanker moved(11);
      moved.parameters()[k] = 1.0F;
      std::vector<float> scores(n);
      moved.score(data[q], scores);
      double expected = 0.5;
      for (std::size_t i = 0; i < n; ++i)
        expected += static_cast<double>(score_gradient[i]) * static_cast<double>(scores[i]);
      CHECK(static_cast<double>(gradient[k]) == Approx(expected).epsilon(1e-5).margin(5e-5));
    }
  }
}

TEST_CASE("A LinearRanker starts at zero or in a random direction of norm 0.01") {
  LinearRanker zero(46);
  fltr::initialize(zero, fltr::Stream(1));
  CHECK(norm(zero) == 0.0);

  LinearRanker random(46, Initialization::random);
  CHECK(norm(random) == 0.0);  // nothing is drawn before initialize
  fltr::initialize(random, fltr::Stream(1));
  CHECK(norm(random) == Approx(0.01).epsilon(1e-6));
  LinearRanker other(46, Initialization::random);
  fltr::initialize(other, fltr::Stream(2));
  CHECK(norm(other) == Approx(0.01).epsilon(1e-6));
  double cosine = 0.0;
  for (std::size_t k = 0; k < 46; ++k)
    cosine += static_cast<double>(random.parameters()[k]) * static_cast<double>(other.parameters()[k]) / 1e-4;
  CHECK(std::abs(cosine) < 5.0 / std::sqrt(46.0));  // standard deviation of the cosine of two random directions

  LinearRanker none(0, Initialization::random);
  CHECK_NOTHROW(fltr::initialize(none, fltr::Stream(1)));
}

TEST_CASE("A LinearRanker is restored from its fields") {
  LinearRanker const ranker({1.0F, 2.0F});
  LinearRanker copy;
  auto const bytes = fltr::field_bytes(ranker);
  fltr::FieldReader(bytes).read(copy);
  CHECK(std::vector<float>(copy.parameters().begin(), copy.parameters().end()) == std::vector<float>{1.0F, 2.0F});
}
