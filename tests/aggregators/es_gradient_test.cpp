#include <fltr/aggregators/es_gradient.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

/// A server optimiser that stores the gradient and moves nothing.
struct StoresGradient {
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

/// The gradient of `objective`, computed with `backward`.
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
  EsGradient<StoresGradient> const server{{}, 0.05, antithetic};
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
  StoresGradient::State state;
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

TEST_CASE("EsGradient estimates the gradient that backward computes for a smooth objective") {
  // An antithetic estimate of d parameters from n samples has a relative error of about sqrt(d / n): 0.02 and 0.05
  // here.
  LinearRanker const linear(std::vector<float>{0.3F, -0.2F, 0.5F, 0.1F, -0.4F});
  check_against_backward(linear, true, 20'000);
  NeuralRanker neural(5, {.hidden = 6});
  Stream stream(4);
  neural.initialize(stream);
  check_against_backward(neural, true, 20'000);
  // Without antithetic pairs the value f of the objective adds (f / (σ ‖∇f‖))² to the variance, so that more samples
  // are needed.
  check_against_backward(linear, false, 400'000);
}

TEST_CASE("Messages with equal or missing measurements do not move the ranker") {
  LinearRanker ranker(3);
  EsGradient<> const server;
  EsGradient<>::State state;
  auto sum = server.sum(ranker);
  sum.add({1, {0.5F, 0.5F}});
  sum.add({2, {}});
  sum.add({3, {0.7F}});  // no measurement of the negative perturbation
  CHECK(sum.count == 3);
  for (double v : sum.values) CHECK(v == 0.0);
  server.aggregate(sum, ranker, state);
  for (float w : ranker.parameters()) CHECK(w == 0.0F);
}
