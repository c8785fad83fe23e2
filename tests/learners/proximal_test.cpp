// FedProx: the proximal term in closed form, its limits, and the bits of the wrapped learner.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/proximal.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

static_assert(Learner<Proximal<Pdgd>> && Learner<Proximal<LambdaRank>> && Learner<Proximal<Proximal<Pdgd>>>);
static_assert(!composition::shows_lists<Proximal<LambdaRank>>());  // no hook of the inner learner is lost
// Evolution strategies take no local steps.
template <class L>
concept CanBeProximal = requires { typename Proximal<L>; };
static_assert(CanBeProximal<Pdgd> && !CanBeProximal<EvolutionStrategy<>>);

/// Takes `interactions` steps along a constant gradient.
struct ConstantGradient {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  float learning_rate = 0.1F;

  std::uint32_t train(ParametricRanker auto& local, auto const& client, auto& session) const {
    for (std::uint32_t i = 0; i < client.interactions; ++i) {
      std::vector<float> gradient(local.parameters().size());
      for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] = static_cast<float>(k) - 3.0F;
      session.step(local, std::span<float>(gradient), learning_rate);
    }
    return client.interactions;
  }
};

auto after_one_round(auto const& learner, auto ranker, std::uint32_t steps) {
  auto training = make_federation(std::move(ranker), NoClicks{}, learner, FedAvg{})
                      .start(std::vector<Client>{{.id = 0, .interactions = steps, .queries = {}}});
  training.advance();
  return training.ranker();
}

}  // namespace

TEST_CASE("T steps along a constant gradient g move the weights by g / mu * (1 - (1 - rate * mu)^T)") {
  std::vector<float> const start{0.5F,  -1.0F, 2.0F, 0.0F,  4.0F, 0.25F,
                                 -8.0F, 1.0F,  3.0F, -2.0F, 7.0F};  // 11: with a rest
  for (float const mu : {0.01F, 1.0F, 10.0F, 19.9F})
    for (std::uint32_t const steps : {1U, 2U, 7U, 50U}) {
      auto const ranker =
          after_one_round(Proximal<ConstantGradient>{{.learning_rate = 0.1F}, mu}, LinearRanker(start), steps);
      double const m = static_cast<double>(mu);
      double const distance = (1.0 - std::pow(1.0 - 0.1 * m, steps)) / m;
      for (std::size_t k = 0; k < start.size(); ++k) {
        double const moved = static_cast<double>(ranker.parameters()[k]) - static_cast<double>(start[k]);
        CHECK_THAT(moved, Catch::Matchers::WithinAbs(distance * (static_cast<double>(k) - 3.0), 2e-4));
      }
    }
}

TEST_CASE("mu * learning_rate >= 2 is an error, and so is a mu that is negative or not finite") {
  auto const run = [](float rate, float mu) {
    return after_one_round(Proximal<ConstantGradient>{{.learning_rate = rate}, mu}, LinearRanker(4), 2);
  };
  CHECK_NOTHROW(run(0.1F, 19.0F));
  CHECK_THROWS_WITH(run(0.5F, 4.0F), "Proximal: required mu * learning_rate < 2 (from 2 on the steps diverge), got 2");
  CHECK_THROWS_WITH(run(4.0F, 1.0F), "Proximal: required mu * learning_rate < 2 (from 2 on the steps diverge), got 4");
  CHECK_THROWS_WITH(run(0.1F, -0.5F), "Proximal: required a finite mu >= 0, got -0.5");
  CHECK_THROWS_AS(run(0.1F, std::numeric_limits<float>::infinity()), std::invalid_argument);
  CHECK_THROWS_AS(run(0.1F, std::numeric_limits<float>::quiet_NaN()), std::invalid_argument);
}

TEST_CASE(
    "FedProx with mu = 0 gives the bits of the wrapped learner; with mu > 0 clients stay closer to the global ranker") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 30, .interactions = 5});
  auto const plain = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const start = [&](float mu) {
    auto training = plain.with_learner(Proximal<Pdgd>{{}, mu}).start(clients);
    for (int i = 0; i < 3; ++i) training.advance();
    return training;
  };
  auto expected = plain.start(clients);
  for (int i = 0; i < 3; ++i) expected.advance();
  CHECK(same_bits(start(0.0F).ranker(), expected.ranker()));
  CHECK_FALSE(same_bits(start(1.0F).ranker(), expected.ranker()));

  // One client takes 400 steps in one round. Each step but the first is pulled back to the global ranker.
  auto const moved = [&](float mu) {
    auto training = plain.with_learner(Proximal<Pdgd>{{.learning_rate = 0.05F}, mu})
                        .start(split_iid(data, {.clients = 1, .interactions = 400}));
    training.advance();
    double squares = 0.0;
    for (float w : training.ranker().parameters()) squares += static_cast<double>(w) * static_cast<double>(w);
    return std::sqrt(squares);
  };
  CHECK(moved(5.0F) < 0.5 * moved(0.0F));
}

TEST_CASE(
    "FedProx gives the same bits on any number of threads, and mu = 0 those of the plain learner, also for a neural "
    "ranker") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 40, .interactions = 3});
  auto const run = [&](auto const& learner, auto execution) {
    auto training = make_federation(NeuralRanker(5, {.hidden = 4}), CascadeModel::informational(3), learner, FedAvg{},
                                    Clip{.bound = 2.0})
                        .with_execution(execution)
                        .start(clients, {.seed = 3});
    training.run(3);
    return training.ranker();
  };
  auto const expected = run(Proximal<Pdgd>{{}, 0.5F}, Threads{1});
  for (int threads : {2, 3}) CHECK(same_bits(run(Proximal<Pdgd>{{}, 0.5F}, Threads{threads}), expected));
  CHECK(same_bits(run(Proximal<Pdgd>{{}, 0.0F}, Threads{2}), run(Pdgd{}, Threads{1})));
  CHECK_FALSE(same_bits(run(Pdgd{}, Threads{1}), expected));
}

TEST_CASE("FedProx has no effect on a learner with one step per round, because the step starts at the global weights") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 6});
  auto const run = [&](auto const& learner) {
    auto training = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_learner(learner).start(clients);
    training.run(3);
    return training.ranker();
  };
  CHECK(same_bits(run(Proximal<Pdgd>{{.update = LocalUpdate::once}, 1.0F}), run(Pdgd{.update = LocalUpdate::once})));
}
