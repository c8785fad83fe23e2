#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/train_alone.hpp>
#include <fltr/learners/clustered.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/opposite_clients.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::OppositeClients;
using fltr::testing::same_bits;

TEST_CASE("A client alone has the bits of a federation in which it is the only client, on any number of threads") {
  OppositeClients const two;
  auto const clients = two.clients(20);
  auto const federation = make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{}, FedAvg{});
  for (int threads : {1, 2, 3}) {
    auto const alone = train_alone(federation.with_execution(Threads{threads}), clients, {.rounds = 4, .seed = 8});
    REQUIRE(alone.size() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
      auto one = federation.start(std::vector<Client>{clients[i]}, {.seed = 8});
      one.run(4);
      CHECK(same_bits(alone.ranker_of(i), one.ranker()));
    }
  }
}

TEST_CASE("Clients alone learn their own preference, without noise and without a privacy budget") {
  OppositeClients const two;
  auto const federation =
      make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{}, LaplaceNoise{.epsilon = 0.001});
  auto const alone = train_alone(federation, two.clients(4), {.rounds = 50});
  for (auto const& value : alone.evaluate_personal(
           Ndcg{.cutoff = 10}, [&](Client const& client) -> QueryPool const& { return two.queries_of(client.id); }))
    CHECK(value.value() > 0.9);
}

TEST_CASE("Evolution strategies train alone; a ranker that needs several clients is an error, as are no rounds") {
  OppositeClients const two;
  auto const es = foltr_es(LinearRanker(5), CascadeModel::perfect(3));
  CHECK_FALSE(same_bits(train_alone(es, two.clients(2), {.rounds = 3}).ranker_of(0), LinearRanker(5)));
  auto const clustered =
      make_federation(ClusteredRanker(LinearRanker(5), 2), CascadeModel::perfect(3), Clustered<Pdgd>{}, PerCluster<>{});
  CHECK_THROWS_WITH(train_alone(clustered, two.clients(4)),
                    "Training: required at least 2 clients for this ranker, got 1");
  CHECK_THROWS_WITH(train_alone(es, two.clients(2), {.rounds = 0}), "train_alone: required rounds >= 1, got 0");
}
