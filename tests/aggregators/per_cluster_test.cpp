#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::same_bits;

namespace {

using Models = ClusteredRanker<LinearRanker>;

Models three() {
  Models ranker(LinearRanker(2), 3);
  for (std::size_t c = 0; c < 3; ++c)
    for (float& w : ranker.model(c).parameters()) w = 10.0F * static_cast<float>(c + 1);
  return ranker;
}

ClusterWeights message(std::uint32_t cluster, std::vector<float> values, std::uint32_t interactions) {
  return {{std::move(values), interactions}, cluster};
}

std::vector<float> weights_of(LinearRanker const& ranker) {
  auto const all = ranker.parameters();
  return {all.begin(), all.end()};
}

/// Needs two messages.
struct OfTwo : FedAvg {
  [[nodiscard]] std::size_t minimum_messages() const { return 2; }
};

}  // namespace

static_assert(PerCluster<>::Sum::linear);
static_assert(std::same_as<State<PerCluster<>>, NoState> && !std::same_as<State<PerCluster<FedOpt<>>>, NoState>);

TEST_CASE("Messages are averaged within their cluster; a cluster without messages keeps its model") {
  Models ranker = three();
  PerCluster<> const server;
  auto sum = server.sum(ranker);
  sum.add(message(0, {1, 2}, 1));
  sum.add(message(2, {8, 8}, 4));
  auto other = server.sum(ranker);
  other.add(message(0, {5, 6}, 3));
  sum.merge(std::move(other));
  server.aggregate(std::move(sum), ranker);
  CHECK(weights_of(ranker.model(0)) == std::vector<float>{4, 5});  // (1 + 3 * 5) / 4, (2 + 3 * 6) / 4
  CHECK(weights_of(ranker.model(1)) == std::vector<float>{20, 20});
  CHECK(weights_of(ranker.model(2)) == std::vector<float>{8, 8});
}

TEST_CASE("A cluster with fewer messages than the inner aggregator needs keeps its model") {
  Models ranker = three();
  PerCluster<OfTwo> const server;
  auto sum = server.sum(ranker);
  for (int i = 0; i < 2; ++i) sum.add(message(1, {1, 1}, 1));
  sum.add(message(2, {1, 1}, 1));
  server.aggregate(std::move(sum), ranker);
  CHECK(weights_of(ranker.model(1)) == std::vector<float>{1, 1});
  CHECK(weights_of(ranker.model(2)) == std::vector<float>{30, 30});
}

TEST_CASE("Each cluster has its own state of the inner aggregator, with the bits of that aggregator alone") {
  Models ranker = three();
  LinearRanker alone = ranker.model(1);
  PerCluster<FedOpt<>> const server{{}, {}};
  State<PerCluster<FedOpt<>>> states;
  State<FedOpt<>> state;
  for (int round = 0; round < 3; ++round) {
    auto sum = server.sum(ranker);
    sum.add(message(1, {3, -1}, 2));
    server.aggregate(std::move(sum), ranker, states);
    auto plain = FedOpt<>{}.sum(alone);
    plain.add({{3, -1}, 2});
    FedOpt<>{}.aggregate(std::move(plain), alone, state);
  }
  REQUIRE(states.clusters.size() == 3);
  CHECK(same_bits(ranker.model(1), alone));
  CHECK(same_bits(states.clusters[1], state));
  CHECK(same_bits(states.clusters[0], State<FedOpt<>>{}));
}
