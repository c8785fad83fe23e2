// same bits: c4366ebd8d30d802
// flags: -ffp-contract=off
// optimisations: -O2
//
// Wrappers around aggregators: clipped and mixed messages, and a detector with its Hessian, scores and clusters.
#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fl_detector.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "probe.hpp"

int main() {
  constexpr std::size_t parameters = 21;
  Probe probe;
  fltr::archetypes::DifferentiableRanker ranker{std::vector<float>(parameters)};
  using Server = fltr::FlDetector<fltr::NormBound<fltr::NearestNeighborMixing<fltr::Bucketing<fltr::FedAvg>>>>;
  Server const server{.aggregator = {.aggregator = {.malicious = 2}, .bound = 0.4}};
  fltr::State<Server> state;
  for (std::uint32_t round = 1; round <= 60; ++round) {
    std::vector<fltr::ClientMessage<fltr::LocalWeights>> messages;
    for (std::uint32_t client = 0; client < 12; ++client) {
      fltr::Stream stream = fltr::Streams{.seed = 3, .round = round, .client = client}.of(fltr::Purpose::user);
      fltr::LocalWeights message{ranker.weights, 1 + client};
      for (std::size_t k = 0; k < parameters; ++k) {
        double const noise = stream.normal() * (client == 5 ? 4.0 : 1.0);
        double const off = static_cast<double>(k) - static_cast<double>(ranker.weights[k]);
        message.values[k] += static_cast<float>(0.1 * (off + noise));
      }
      messages.push_back({client, message, client});
    }
    server.aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const>(messages), ranker, state);
    for (float const weight : ranker.weights) probe.add(weight);
    for (auto const& [client, score] : state.scores) probe.add(score);
    for (auto const& [client, when] : state.flagged) probe.add(std::uint64_t{100} * when + client);
  }
  probe.part("wrappers");
  probe.print();
}
