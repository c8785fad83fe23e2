// FedPer: own parameters stay at the client; the privatizer sees only what travels.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

// Evolution strategies have no local model.
template <class L>
concept CanBePersonal = requires { typename Personal<L>; };
static_assert(CanBePersonal<Pdgd> && !CanBePersonal<EvolutionStrategy<>>);

SplitNeuralRanker ranker() { return SplitNeuralRanker(5, {.hidden = 4}); }

/// Eight clients with queries of their own.
std::vector<Client> eight(Dataset const& data) {
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 8; ++i) clients.push_back({i, 3, QueryPool(data, {i, i + 8, i + 16})});
  return clients;
}

auto run(auto const& learner, auto clients, int rounds = 4) {
  auto training = make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{}).start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

double norm(auto const& values) {
  double squares = 0.0;
  for (float w : values) squares += static_cast<double>(w) * static_cast<double>(w);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("ranker_of is the global ranker with the client's output layer, on any Execution") {
  auto const data = toy_dataset();
  auto const learner = Personal<Pdgd>{};
  auto const training = run(learner, eight(data));
  auto threads = make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{})
                     .with_execution(Threads{3})
                     .start(eight(data), {.seed = 5});
  for (int i = 0; i < 4; ++i) threads.advance();
  for (std::size_t i = 0; i < 8; ++i) {
    auto const own = training.ranker_of(i);
    CHECK(std::ranges::equal(own.shared(), training.ranker().shared()));
    CHECK(std::ranges::equal(personal_parameters(own), training.client_state(i).learner.own));
    CHECK(same_bits(own, threads.ranker_of(i)));
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(same_bits(own, training.ranker_of(j)));
  }
  // The head of the global ranker is that of the start model, because heads never travel.
  auto const start =
      make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{}).start(eight(data), {.seed = 5});
  CHECK(std::ranges::equal(personal_parameters(training.ranker()), personal_parameters(start.ranker())));

  auto const values =
      training.evaluate_personal(Ndcg{.cutoff = 10}, [&](Client const&) -> Dataset const& { return data; });
  REQUIRE(values.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    REQUIRE(values[i]);
    CHECK(*values[i] == evaluate(training.ranker_of(i), data, Ndcg{.cutoff = 10}));
  }
}

TEST_CASE("A privatizer constrains the shared parameters only") {
  auto const data = toy_dataset();
  auto training = make_federation(ranker(), CascadeModel::perfect(3), Personal<Pdgd>{{.learning_rate = 3.0F}}, FedAvg{},
                                  Clip{.bound = 0.25})
                      .start(eight(data), {.seed = 5});
  for (int i = 0; i < 4; ++i) training.advance();
  CHECK(norm(training.ranker().shared()) <= 0.25);
  CHECK(norm(training.client_state(0).learner.own) > 0.25);
}

TEST_CASE("A message has the shared parameters only, and the price of a privatizer counts only these") {
  auto const data = toy_dataset();
  auto training = make_federation(ranker(), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{},
                                  LaplaceNoise{.epsilon = 2.0, .sensitivity = 1.0})
                      .start(eight(data), {.seed = 5});
  training.advance();
  CHECK(training.round().statistics.dimension == 4 * (5 + 1));  // W and b of 4 hidden units
  REQUIRE(training.round().privacy);
  CHECK(training.round().privacy->epsilon_accounted == 2.0);
}

TEST_CASE("A ranker without own parameters, and saved own parameters of another size, are errors") {
  auto const data = toy_dataset();
  auto training =
      make_federation(LinearRanker(5), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{}).start(eight(data));
  CHECK_THROWS_WITH(
      training.advance(),
      "Personal: required a ranker that keeps parameters at the client (SplitNeuralRanker, or another one "
      "with 'shared'), got 0");
  Personal<Pdgd>::State const wrong{{}, {1.0F, 2.0F}};
  CHECK_THROWS_WITH(Personal<Pdgd>{}.personal(ranker(), wrong), "Personal: required 4 own parameters, got 2");
}
