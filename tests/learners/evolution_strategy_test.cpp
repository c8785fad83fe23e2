#include <fltr/learners/evolution_strategy.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/metrics/dcg.hpp>
#include <fltr/metrics/max_rr.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// A ranker that records its weights each time it scores.
struct Witness {
  LinearRanker inner;
  std::vector<std::vector<float>>* seen = nullptr;
  void score(QueryView query, std::span<float> scores) const {
    seen->emplace_back(inner.parameters().begin(), inner.parameters().end());
    inner.score(query, scores);
  }
  std::span<float> parameters() { return inner.parameters(); }
  std::span<float const> parameters() const { return inner.parameters(); }
};

template <class R, class M>
EvolutionMessage message_of(EvolutionStrategy<M> const& learner, R const& ranker, Client const& client,
                            std::uint32_t round = 1) {
  NoState state;
  return simulated_message(learner, CascadeModel::informational(3), NoPrivacy{}, ranker, client, RoundInfo{3, round, 1},
                           state);
}

}  // namespace

TEST_CASE("Antithetic perturbations are exact negatives, and the server rebuilds them bit for bit") {
  auto const data = toy_dataset();
  std::vector<std::vector<float>> seen;
  Witness const ranker{LinearRanker(5), &seen};  // starts at zero: the weights are the perturbation
  Client const client{0, 4, QueryPool(data)};
  EvolutionStrategy<> const learner{.noise_std = 0.5};
  auto const message = message_of(learner, ranker, client);
  REQUIRE(seen.size() == 4);
  CHECK(seen[0] == seen[1]);
  CHECK(seen[2] == seen[3]);
  for (std::size_t k = 0; k < 5; ++k) CHECK(seen[0][k] == -seen[2][k]);
  std::vector<float> rebuilt(5);
  NormalNoise(message.seed).fill(rebuilt);
  for (std::size_t k = 0; k < 5; ++k) CHECK(seen[0][k] == 0.5F * rebuilt[k]);

  seen.clear();
  message_of(EvolutionStrategy<>{.antithetic = false}, ranker, client);
  CHECK(seen[0] == seen[3]);
  seen.clear();
  CHECK(message_of(learner, ranker, Client{0, 5, QueryPool(data)}).metrics.size() == 5);
  CHECK(seen[2] == seen[0]);  // three with +noise, two with −noise
  CHECK(seen[3] == seen[4]);
  CHECK(seen[3] != seen[0]);
}

TEST_CASE("The seed of a perturbation depends on round and client, not on queries or clicks") {
  auto const data = toy_dataset();
  auto const other = toy_dataset(7, 9, 5, 77);
  LinearRanker const ranker(5);
  auto const one = message_of(EvolutionStrategy<>{}, ranker, Client{0, 4, QueryPool(data)});
  CHECK(one.seed == message_of(EvolutionStrategy<>{}, ranker, Client{0, 4, QueryPool(other)}).seed);
  CHECK(one.seed != message_of(EvolutionStrategy<>{}, ranker, Client{1, 4, QueryPool(data)}).seed);
  CHECK(one.seed != message_of(EvolutionStrategy<>{}, ranker, Client{0, 4, QueryPool(data)}, 2).seed);
}

TEST_CASE("Antithetic perturbations require two interactions") {
  auto const data = toy_dataset();
  Client const client{0, 1, QueryPool(data)};
  CHECK_THROWS_AS(message_of(EvolutionStrategy<>{}, LinearRanker(5), client), std::invalid_argument);
  CHECK(message_of(EvolutionStrategy<>{.antithetic = false}, LinearRanker(5), client).metrics.size() == 1);
}

TEST_CASE("Measurements are fractions of the largest value of the metric") {
  fltr::LearnerWorkspace work;
  CHECK(EvolutionStrategy<MaxRr>{}.largest(work) == 1.0);
  CHECK(EvolutionStrategy<Ndcg>{}.largest(work) == Approx(1.0));
  double all = 0;
  for (int r = 1; r <= 10; ++r) all += 1.0 / std::log2(r + 1.0);
  CHECK(EvolutionStrategy<Dcg>{}.largest(work) == Approx(all));
  auto const data = toy_dataset();
  for (std::uint32_t round = 1; round < 50; ++round)
    for (float m :
         message_of(EvolutionStrategy<Dcg>{}, LinearRanker(5), Client{0, 4, QueryPool(data)}, round).metrics) {
      CHECK(m >= 0.0F);
      CHECK(m <= 1.0F);
    }
}

TEST_CASE("A client without queries sends an empty message; invalid parameters are errors") {
  LinearRanker const ranker(5);
  CHECK(message_of(EvolutionStrategy<>{}, ranker, Client{}).metrics.empty());
  auto const data = toy_dataset();
  Client const client{0, 4, QueryPool(data)};
  CHECK_THROWS_AS(message_of(EvolutionStrategy<>{.noise_std = 0.0}, ranker, client), std::invalid_argument);
  CHECK_THROWS_AS(message_of(EvolutionStrategy<>{.noise_std = std::nan("")}, ranker, client), std::invalid_argument);
  CHECK_THROWS_AS(message_of(EvolutionStrategy<>{.shown = 0}, ranker, client), std::invalid_argument);
}
