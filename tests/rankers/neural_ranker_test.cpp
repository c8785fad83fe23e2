#include <fltr/rankers/neural_ranker.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Activation;
using fltr::NeuralRanker;
using fltr::QueryView;
using fltr::testing::dataset_of;
using fltr::testing::random_dataset;

/// The score by the formula in double.
double exact_score(std::vector<double> const& p, std::size_t hidden, Activation activation,
                   std::span<float const> row) {
  std::size_t const features = row.size();
  double score = 0.0;
  for (std::size_t j = 0; j < hidden; ++j) {
    double in = p[hidden * features + j];
    for (std::size_t k = 0; k < features; ++k) in += p[j * features + k] * static_cast<double>(row[k]);
    double const out = activation == Activation::sigmoid ? 1.0 / (1.0 + std::exp(-in)) : std::max(in, 0.0);
    score += p[hidden * (features + 1) + j] * out;
  }
  return score;
}

NeuralRanker random_network(std::size_t features, std::size_t hidden, Activation activation, std::uint64_t seed) {
  NeuralRanker ranker(features, {.hidden = hidden, .activation = activation});
  fltr::Stream stream(seed);
  for (float& p : ranker.parameters()) p = static_cast<float>(stream.normal());
  return ranker;
}

std::vector<double> parameters(NeuralRanker const& ranker) {
  return {ranker.parameters().begin(), ranker.parameters().end()};
}

}  // namespace

TEST_CASE("A neural score by hand") {
  auto const data = dataset_of({{{0, {1, 2}}, {0, {0, 0}}}}, 2);
  std::vector<float> scores(2);
  // W = ((1, -1), (2, 0.5)), b = (1, -3), v = (4, 10).
  std::vector<float> const weights{1, -1, 2, 0.5F, 1, -3, 4, 10};

  NeuralRanker sigmoid(2, {.hidden = 2, .activation = Activation::sigmoid});
  std::ranges::copy(weights, sigmoid.parameters().begin());
  sigmoid.score(data[0], scores);
  // Inputs of the units: (1 - 2 + 1, 2 + 1 - 3) = (0, 0), and the biases alone.
  CHECK(scores[0] == Approx(4 * 0.5 + 10 * 0.5).epsilon(1e-6));
  CHECK(scores[1] == Approx(4 / (1 + std::exp(-1.0)) + 10 / (1 + std::exp(3.0))).epsilon(1e-6));

  NeuralRanker relu(2, {.hidden = 2, .activation = Activation::relu});
  std::ranges::copy(weights, relu.parameters().begin());
  relu.parameters()[4] = 2.0F;
  relu.score(data[0], scores);
  CHECK(scores[0] == 4.0F);
  CHECK(scores[1] == 8.0F);
}

TEST_CASE("Neural scores agree with the formula in double") {
  auto const data = random_dataset(91, {.queries = 12, .features = 13, .most_documents = 100});
  for (auto const activation : {Activation::sigmoid, Activation::relu}) {
    auto const ranker = random_network(13, 9, activation, 91);
    auto const p = parameters(ranker);
    for (std::size_t q = 0; q < data.size(); ++q) {
      std::vector<float> scores(data[q].document_count());
      ranker.score(data[q], scores);
      for (std::size_t i = 0; i < scores.size(); ++i)
        CHECK(static_cast<double>(scores[i]) ==
              Approx(exact_score(p, 9, activation, data[q].row(i))).epsilon(1e-5).margin(2e-5));
    }
  }
}

TEST_CASE("backward of a NeuralRanker agrees with central differences") {
  // The differences are taken of the formula in double (error ~1e-9), so that what remains is the float rounding of
  // backward itself.
  auto const data = random_dataset(92, {.queries = 6, .features = 5, .most_documents = 8});
  fltr::Stream stream(92);
  double const step = 1e-5;
  for (auto const activation : {Activation::sigmoid, Activation::relu}) {
    auto const ranker = random_network(5, 4, activation, 93);
    for (std::size_t q = 0; q < data.size(); ++q) {
      std::vector<float> score_gradient(data[q].document_count());
      for (float& c : score_gradient) c = stream.below(3) == 0 ? 0.0F : static_cast<float>(stream.normal());
      std::vector<float> gradient(ranker.parameters().size(), -1.0F);  // backward adds to the given values
      ranker.backward(data[q], score_gradient, gradient);
      auto const loss = [&](std::vector<double> const& p) {
        double sum = 0.0;
        for (std::size_t i = 0; i < score_gradient.size(); ++i)
          sum += static_cast<double>(score_gradient[i]) * exact_score(p, 4, activation, data[q].row(i));
        return sum;
      };
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        auto p = parameters(ranker);
        double const middle = p[k];
        p[k] = middle + step;
        double const above = loss(p);
        p[k] = middle - step;
        double const below = loss(p);
        INFO("parameter " << k);
        CHECK(static_cast<double>(gradient[k]) ==
              Approx(-1.0 + (above - below) / (2 * step)).epsilon(1e-5).margin(1e-5));
      }
    }
  }
}

TEST_CASE("A score_gradient of 0 does not change the gradient") {
  auto const data = dataset_of({{{0, {1, 2}}, {0, {3, 4}}}}, 2);
  auto const ranker = random_network(2, 3, Activation::sigmoid, 94);
  std::vector<float> gradient(ranker.parameters().size(), 0.0F);
  ranker.backward(data[0], std::vector<float>{0.0F, 0.0F}, gradient);
  CHECK(std::ranges::all_of(gradient, [](float g) { return g == 0.0F; }));
}

TEST_CASE("Large inputs saturate the activation, and no score is NaN") {
  auto const data = dataset_of({{{0, {1e30F}}, {0, {-1e30F}}}}, 1);
  NeuralRanker ranker(1, {.hidden = 1});
  std::ranges::fill(ranker.parameters(), 1.0F);
  std::vector<float> scores(2);
  ranker.score(data[0], scores);
  CHECK(scores == std::vector<float>{1.0F, 0.0F});
  std::vector<float> gradient(3, 0.0F);
  ranker.backward(data[0], std::vector<float>{1.0F, 1.0F}, gradient);
  for (float const g : gradient) CHECK(std::isfinite(g));
}

TEST_CASE("A NeuralRanker starts with normal weights of standard deviation 1 / fan-in") {
  NeuralRanker ranker(40, {.hidden = 2000});
  fltr::initialize(ranker, fltr::Stream(95));
  auto const all = parameters(ranker);
  std::vector<double> inner(all.begin(), all.begin() + 2000 * 41);
  std::vector<double> outer(all.begin() + 2000 * 41, all.end());
  REQUIRE(outer.size() == 2000);
  for (double& w : inner) w *= 40.0;
  for (double& w : outer) w *= 2000.0;
  using namespace fltr::testing;
  CHECK(ks_distance(inner, normal_cdf) < ks_critical(inner.size()));
  CHECK(ks_distance(outer, normal_cdf) < ks_critical(outer.size()));
}

TEST_CASE("The order of the hidden units does not change the scores") {
  std::size_t const features = 6;
  std::size_t const hidden = 5;
  auto const data = random_dataset(96, {.queries = 8, .features = features});
  auto const ranker = random_network(features, hidden, Activation::sigmoid, 96);
  NeuralRanker turned(features, {.hidden = hidden});
  for (std::size_t j = 0; j < hidden; ++j) {
    std::size_t const to = (j + 2) % hidden;
    std::ranges::copy(ranker.parameters().subspan(j * features, features),
                      turned.parameters().begin() + static_cast<std::ptrdiff_t>(to * features));
    for (std::size_t const part : {hidden * features, hidden * (features + 1)})
      turned.parameters()[part + to] = ranker.parameters()[part + j];
  }
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::vector<float> a(data[q].document_count());
    std::vector<float> b(a.size());
    ranker.score(data[q], a);
    turned.score(data[q], b);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-5).margin(1e-6));
  }
}

TEST_CASE("A query with another number of features and a network without hidden units are errors") {
  auto const data = dataset_of({{{0, {1, 2, 3}}}}, 3);
  std::vector<float> scores(1);
  CHECK_THROWS_WITH(NeuralRanker(4).score(data[0], scores), "NeuralRanker: required 4 features, got 3");
  CHECK_THROWS_AS(NeuralRanker(4, {.hidden = 0}), std::invalid_argument);
  CHECK(NeuralRanker(46).parameters().size() == 64 * 48);
  CHECK(NeuralRanker(46).hidden_count() == 64);
  CHECK(NeuralRanker(46).feature_count() == 46);
}

TEST_CASE("A NeuralRanker is restored from its fields, and sizes that do not agree are not consistent") {
  auto const ranker = random_network(3, 2, Activation::relu, 97);
  NeuralRanker copy;
  CHECK(!copy.consistent());
  auto const bytes = fltr::field_bytes(ranker);
  fltr::FieldReader(bytes).read(copy);
  CHECK(copy.consistent());
  CHECK(parameters(copy) == parameters(ranker));

  struct Fields {
    std::uint64_t features;
    std::uint64_t hidden;
    std::uint8_t activation;
    std::vector<float> parameters;
  };
  auto const consistent = [](Fields const& f) {
    fltr::FieldWriter writer;
    writer.write(f.features);
    writer.write(f.hidden);
    writer.write(f.activation);
    writer.write(f.parameters);
    NeuralRanker read;
    fltr::FieldReader(writer.bytes()).read(read);
    return read.consistent();
  };
  std::vector<float> const ten(10);
  std::uint64_t const most = std::numeric_limits<std::uint64_t>::max();
  CHECK(consistent({3, 2, 1, ten}));
  CHECK(!consistent({3, 2, 2, ten}));
  CHECK(!consistent({4, 2, 1, ten}));
  CHECK(!consistent({3, 3, 1, ten}));
  CHECK(!consistent({3, 0, 1, ten}));
  CHECK(!consistent({3, 2, 1, std::vector<float>(11)}));
  CHECK(!consistent({most - 1, 1, 1, {}}));                 // features + 2 wraps around to 0
  CHECK(!consistent({most, 1, 1, std::vector<float>(1)}));  // and to 1
  CHECK(!consistent({most / 2 + 4, 2, 1, ten}));
}
