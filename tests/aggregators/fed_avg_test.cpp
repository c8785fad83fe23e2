#include <fltr/aggregators/fed_avg.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

namespace {

using fltr::FedAvg;
using fltr::LinearRanker;
using fltr::LocalWeights;

std::vector<float> average(std::vector<LocalWeights> const& messages, LinearRanker ranker) {
  FedAvg const server;
  auto sum = server.sum(ranker);
  for (auto const& message : messages) sum.add(message);
  server.aggregate(sum, ranker);
  return {ranker.parameters().begin(), ranker.parameters().end()};
}

/// Keeps its first parameter at the client.
struct Personal {
  std::vector<float> weights{1, 2, 3};
  void score(fltr::QueryView, std::span<float>) const {}
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
  std::span<float> shared() { return parameters().subspan(1); }
  std::span<float const> shared() const { return parameters().subspan(1); }
};

}  // namespace

TEST_CASE("FedAvg computes the mean of the weights, weighted by interactions") {
  LinearRanker const start({9.0F, 9.0F});
  CHECK(average({{{1, 2}, 1}, {{4, -2}, 3}}, start) == std::vector<float>{3.25F, -1.0F});
  CHECK(average({{{1, 2}, 5}}, start) == std::vector<float>{1.0F, 2.0F});
  CHECK(average({{{1, 2}, 4}, {{100, 100}, 0}}, start) == std::vector<float>{1.0F, 2.0F});
}

TEST_CASE("FedAvg of identical weights returns these weights exactly") {
  std::vector<float> const weights{0.1F, -1.0F / 3.0F, 1e-30F, 3e30F};
  LinearRanker const start(4);
  std::vector<LocalWeights> messages;
  for (std::uint32_t i = 1; i <= 50; ++i) {
    messages.push_back({weights, i});
    CHECK(average(messages, start) == weights);
  }
}

TEST_CASE("FedAvg does not depend on the order of the messages, up to rounding") {
  fltr::Stream stream(141);
  std::vector<LocalWeights> messages(100);
  for (auto& m : messages) {
    m.interactions = stream.below(10);
    for (int k = 0; k < 7; ++k)  // values from e^-10 to e^10
      m.values.push_back(static_cast<float>(stream.normal() * std::exp(20.0 * stream.uniform() - 10.0)));
  }
  LinearRanker const start(7);
  auto const expected = average(messages, start);
  double size = 0.0;
  for (float const e : expected) size = std::max(size, std::abs(static_cast<double>(e)));
  for (int trial = 0; trial < 20; ++trial) {
    stream.shuffle(std::span(messages));
    auto const result = average(messages, start);
    // A sum of 100 floats in double has a relative error of at most 1e-14, so that results differ by at most one unit
    // in the last place of a float.
    for (std::size_t k = 0; k < 7; ++k) CHECK(result[k] == Approx(expected[k]).epsilon(2e-7).margin(1e-10 * size));
  }
}

TEST_CASE("FedAvg commutes with shifting and scaling all messages") {
  LinearRanker const start(2);
  auto const base = average({{{1, 2}, 1}, {{3, 8}, 3}}, start);
  auto const shifted = average({{{11, 12}, 1}, {{13, 18}, 3}}, start);
  auto const scaled = average({{{-2, -4}, 1}, {{-6, -16}, 3}}, start);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(shifted[k] == base[k] + 10.0F);
    CHECK(scaled[k] == -2.0F * base[k]);
  }
}

TEST_CASE("FedAvg keeps the ranker if no client had an interaction") {
  LinearRanker const start({1.0F, 2.0F});
  CHECK(average({}, start) == std::vector<float>{1.0F, 2.0F});
  CHECK(average({{{5, 5}, 0}, {{7, 7}, 0}}, start) == std::vector<float>{1.0F, 2.0F});
}

TEST_CASE("FedAvg changes only the shared parameters") {
  Personal ranker;
  FedAvg const server;
  auto sum = server.sum(ranker);
  sum.add({{5.0F, 6.0F}, 1});
  server.aggregate(sum, ranker);
  CHECK(ranker.weights == std::vector<float>{1, 5, 6});
}
