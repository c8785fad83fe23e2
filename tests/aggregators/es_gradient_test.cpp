#include <fltr/aggregators/es_gradient.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/rankers/linear.hpp>
#include <fltr/rankers/neural.hpp>

#include "support/catch.hpp"
#include "support/toy.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

/// Keeps the gradient that it is asked to follow.
struct Keeps {
  struct State {
    std::vector<double> gradient;
    auto fields(auto&& visit) { return visit(gradient); }
  };
  void step(std::span<float>, std::span<double const> gradient, State& state) const {
    state.gradient.assign(gradient.begin(), gradient.end());
  }
};

/// A smooth function of a ranker's parameters: the mean over some documents of the sigmoid of their scores.
template <class R>
double objective(R const& ranker, QueryView query) {
  std::vector<float> scores(query.document_count());
  ranker.score(query, scores);
  double sum = 0;
  for (float s : scores) sum += 1.0 / (1.0 + std::exp(-static_cast<double>(s)));
  return sum / static_cast<double>(scores.size());
}

/// Its gradient by `backward`.
template <class R>
std::vector<float> gradient_of(R const& ranker, QueryView query) {
  std::vector<float> scores(query.document_count());
  ranker.score(query, scores);
  for (float& s : scores) {
    float const value = 1.0F / (1.0F + std::exp(-s));
    s = value * (1.0F - value) / static_cast<float>(scores.size());
  }
  std::vector<float> gradient(ranker.parameters().size());
  ranker.backward(query, scores, gradient);
  return gradient;
}

template <class R>
void check_against_backward(R const& ranker, bool antithetic, std::uint64_t samples) {
  auto const data = toy_dataset(1, 30);
  EsGradient<Keeps> const server{{}, 0.05, antithetic};
  auto sum = server.sum(ranker);
  std::vector<float> noise(ranker.parameters().size());
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    NormalNoise(seed).fill(noise);
    EvolutionMessage message{seed, {}};
    for (float sign : {1.0F, -1.0F}) {
      if (sign < 0 && !antithetic) continue;
      R perturbed = ranker;
      simd::axpy(sign * 0.05F, noise, perturbed.parameters());
      message.metrics.push_back(static_cast<float>(objective(perturbed, data[0])));
    }
    sum.add(message);
  }
  R moved = ranker;
  Keeps::State state;
  server.aggregate(sum, moved, state);
  auto const exact = gradient_of(ranker, data[0]);
  double dot = 0;
  double a = 0;
  double b = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    dot += state.gradient[i] * static_cast<double>(exact[i]);
    a += state.gradient[i] * state.gradient[i];
    b += static_cast<double>(exact[i]) * static_cast<double>(exact[i]);
  }
  CHECK(dot / std::sqrt(a * b) > 0.95);
  CHECK(std::sqrt(a / b) > 0.9);
  CHECK(std::sqrt(a / b) < 1.1);
}

}  // namespace

TEST_CASE("the gradient of evolution strategies is that of backward on a smooth objective") {
  // An antithetic estimate of d parameters from n samples has a relative error of about sqrt(d / n): 0.02 and 0.05
  // here.
  LinearRanker const linear(std::vector<float>{0.3F, -0.2F, 0.5F, 0.1F, -0.4F});
  check_against_backward(linear, true, 20'000);
  NeuralRanker neural(5, {.hidden = 6});
  Stream stream(4);
  neural.initialize(stream);
  check_against_backward(neural, true, 20'000);
  // Without antithetic pairs the objective's own height adds (f / (σ ‖∇f‖))² to the variance: many more samples.
  check_against_backward(linear, false, 400'000);
}

TEST_CASE("messages without a difference move nothing") {
  LinearRanker ranker(3);
  EsGradient<> const server;
  Moments state;
  auto sum = server.sum(ranker);
  sum.add({1, {0.5F, 0.5F}});
  sum.add({2, {}});
  sum.add({3, {0.7F}});  // one half is missing
  CHECK(sum.count == 3);
  for (double v : sum.values) CHECK(v == 0.0);
  server.aggregate(sum, ranker, state);
  for (float w : ranker.parameters()) CHECK(w == 0.0F);
}

TEST_CASE("sums of parts are the sum") {
  LinearRanker const ranker(40);
  EsGradient<> const server;
  auto whole = server.sum(ranker);
  auto left = server.sum(ranker);
  auto right = server.sum(ranker);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EvolutionMessage const m{i, {static_cast<float>(i) / 10.0F, 0.3F}};
    whole.add(m);
    (i < 5 ? left : right).add(m);
  }
  left.merge(right);
  CHECK(left.count == whole.count);
  for (std::size_t i = 0; i < 40; ++i) CHECK(left.values[i] == Approx(whole.values[i]).margin(1e-12));
}

TEST_CASE("a sum that was read from bytes continues as before") {
  for (bool const antithetic : {true, false}) {
    NoiseSum sum = EsGradient<Keeps>{.antithetic = antithetic}.sum(LinearRanker(4));
    sum.add({7, {0.5F, 0.25F, 1.0F}});
    auto const bytes = field_bytes(sum);
    NoiseSum again;
    again.antithetic = !antithetic;
    FieldReader reader(bytes);
    reader.read(again);
    reader.expect_end();
    CHECK(again.antithetic == antithetic);
    sum.add({8, {1.0F, 0.0F, 0.5F, 0.75F}});
    again.add({8, {1.0F, 0.0F, 0.5F, 0.75F}});
    CHECK(again.values == sum.values);
    CHECK(again.count == sum.count);
  }
}
