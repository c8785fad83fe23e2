#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/messages/cluster_weights.hpp>
#include <fltr/messages/wire.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;

static_assert(MessageFor<ClusterWeights, ClusteredRanker<LinearRanker>> && FlatMessage<ClusterWeights>);
static_assert(!MessageFor<ClusterWeights, LinearRanker>);

TEST_CASE("A message fits if its cluster exists and its weights fit the model of the cluster") {
  ClusteredRanker const ranker(LinearRanker(3), 2);
  auto const fits = [&](std::vector<float> values, std::uint32_t interactions, std::uint32_t cluster) {
    return ClusterWeights{{std::move(values), interactions}, cluster}.fits(ranker, 4);
  };
  CHECK(fits({1, 2, 3}, 4, 0));
  CHECK(fits({1, 2, 3}, 0, 1));
  CHECK_FALSE(fits({1, 2, 3}, 4, 2));  // no such cluster
  CHECK_FALSE(fits({1, 2}, 4, 0));
  CHECK_FALSE(fits({1, 2, 3}, 5, 0));
  CHECK_FALSE(fits({1, 2, std::numeric_limits<float>::quiet_NaN()}, 4, 0));
  CHECK(ClusterWeights::dimension(ranker) == 3);
}

TEST_CASE(
    "A message with the number of one of several clusters discloses it; with one cluster there is nothing to tell") {
  CHECK(composition::disclosure<ClusterWeights>(ClusteredRanker(LinearRanker(3), 2)) ==
        "the message names the client's cluster, which the client chose by its clicks");
  CHECK(composition::disclosure<ClusterWeights>(ClusteredRanker(LinearRanker(3), 1)).empty());
  CHECK(composition::disclosure<LocalWeights>(LinearRanker(3)).empty());
}

TEST_CASE("A message keeps its cluster on the wire") {
  ClusterWeights const sent{{{1.0F, -2.5F}, 3}, 7};
  auto const received = from_bytes<ClusterWeights>(to_bytes(sent));
  CHECK(fltr::testing::same_bits(sent, received));
  CHECK(received.cluster == 7);
  CHECK(received.weight() == 3.0);
}
