#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/attacks/no_attack.hpp>
#include <fltr/click_models/cascade.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/click_models/per_client.hpp>
#include <fltr/click_models/position.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/execution/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/participation.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear.hpp>
#include <fltr/rankers/neural.hpp>
#include <fltr/unlearners/no_unlearning.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

// ---- the minimal models of the concepts' comments

struct ByFirstFeature {
  void score(fltr::QueryView query, std::span<float> scores) const {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = query.row(i)[0];
  }
};
struct ClicksTheFirst {
  void click(std::span<fltr::Grade const>, std::span<std::uint8_t> clicks, fltr::Stream&) const {
    for (auto& c : clicks) c = &c == clicks.data();
  }
};
struct SendsTheModelBack {
  using Message = fltr::LocalWeights;
  std::uint32_t train(fltr::ParametricRanker auto&, auto const& client, auto&) const { return client.interactions; }
};
struct Rounded {
  fltr::LocalWeights privatize(fltr::LocalWeights m, fltr::PrivacyContext const&) const {
    for (float& v : m.values) v = std::round(v * 16) / 16;
    return m;
  }
};
struct Zeros {
  struct {
    bool contains(fltr::ClientId c) const { return c == 0; }
  } malicious;
  template <fltr::FlatMessage M>
  void poison(std::span<fltr::Sent<M>> mine, auto const&, fltr::AttackContext const&) const {
    for (auto& sent : mine) std::ranges::fill(sent.message.values, 0.0F);
  }
};
struct LastOneWins {
  void aggregate(std::span<fltr::Sent<fltr::LocalWeights> const> all, fltr::ParametricRanker auto& ranker) const {
    std::ranges::copy(all.back().message.values, ranker.parameters().begin());
  }
};
struct TopIsRelevant {
  std::size_t cutoff = 1;
  double measure(fltr::RankedList list) const { return !list.grades.empty() && list.grades[0] > 0; }
};
struct KeepsEvenRounds {
  bool keeps(std::uint32_t round) const { return round % 2 == 0; }
};
struct OneClient {
  std::size_t size() const { return 1; }
  fltr::Client operator[](std::size_t) const { return {}; }
};
struct AllToOne {
  OneClient split(fltr::Dataset const&) const { return {}; }
};
struct OneAfterTheOther {
  template <class Leaf>
  auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return fltr::reduce_tree(0, blocks, leaf);
  }
};
struct GuessesTheFirst {
  void guess(auto const&, auto const&, fltr::QueryView, std::span<std::uint32_t const>, std::span<std::uint8_t> clicks,
             fltr::Stream&) const {
    for (auto& c : clicks) c = &c == clicks.data();
  }
};

// ---- which roles a type plays

enum Role : unsigned {
  ranker = 1U << 0U,
  click_model = 1U << 1U,
  learner = 1U << 2U,
  privatizer = 1U << 3U,
  attack = 1U << 4U,
  aggregator = 1U << 5U,
  unlearner = 1U << 6U,
  population = 1U << 7U,
  partitioner = 1U << 8U,
  execution = 1U << 9U,
  metric = 1U << 10U,
  click_guess = 1U << 11U,
};

template <class T>
constexpr unsigned roles = (fltr::Ranker<T> ? ranker : 0U) | (fltr::ClickModel<T> ? click_model : 0U) |
                           (fltr::Learner<T> ? learner : 0U) | (fltr::Privatizer<T> ? privatizer : 0U) |
                           (fltr::Attack<T> ? attack : 0U) | (fltr::Aggregator<T> ? aggregator : 0U) |
                           (fltr::Unlearner<T> ? unlearner : 0U) | (fltr::Population<T> ? population : 0U) |
                           (fltr::Partitioner<T> ? partitioner : 0U) | (fltr::Execution<T> ? execution : 0U) |
                           (fltr::Metric<T> ? metric : 0U) | (fltr::ClickGuess<T> ? click_guess : 0U);

template <unsigned Role, class... Ts>
constexpr bool play_only = ((roles<Ts> == Role) && ...);

using Clients = std::vector<fltr::Client>;

}  // namespace

TEST_CASE("the minimal models of the documentation play their role, and no other") {
  STATIC_REQUIRE(play_only<ranker, ByFirstFeature>);
  STATIC_REQUIRE(play_only<click_model, ClicksTheFirst>);
  STATIC_REQUIRE(play_only<learner, SendsTheModelBack>);
  STATIC_REQUIRE(play_only<privatizer, Rounded>);
  STATIC_REQUIRE(play_only<attack, Zeros>);
  STATIC_REQUIRE(play_only<aggregator, LastOneWins>);
  STATIC_REQUIRE(play_only<unlearner, KeepsEvenRounds>);
  STATIC_REQUIRE(play_only<population, OneClient>);
  STATIC_REQUIRE(play_only<partitioner, AllToOne>);
  STATIC_REQUIRE(play_only<execution, OneAfterTheOther>);
  STATIC_REQUIRE(play_only<metric, TopIsRelevant>);
  STATIC_REQUIRE(play_only<click_guess, GuessesTheFirst>);
  STATIC_REQUIRE(play_only<0, int, fltr::Dataset, fltr::LocalWeights, fltr::Stream, fltr::QueryView>);
}

TEST_CASE("every built-in plays its role, and no other") {
  using namespace fltr;
  STATIC_REQUIRE(play_only<ranker, LinearRanker, NeuralRanker, archetypes::DifferentiableRanker>);
  STATIC_REQUIRE(play_only<click_model, CascadeModel, PositionModel, NoClicks, PerClient<CascadeModel>>);
  STATIC_REQUIRE(play_only<learner, Pdgd>);
  STATIC_REQUIRE(play_only<privatizer, NoPrivacy, Clip, GammaNoise, LaplaceNoise, GaussianNoise>);
  STATIC_REQUIRE(play_only<privatizer, Chain<>, Chain<Clip, GammaNoise>>);
  STATIC_REQUIRE(play_only<attack, NoAttack>);
  STATIC_REQUIRE(play_only<aggregator, FedAvg>);
  STATIC_REQUIRE(play_only<unlearner, NoUnlearning>);
  STATIC_REQUIRE(play_only<population, Clients, IidPopulation, Sampled<Clients>, Dropout<IidPopulation>>);
  STATIC_REQUIRE(play_only<partitioner, Iid>);
  STATIC_REQUIRE(play_only<execution, Serial, Threads>);
  STATIC_REQUIRE(play_only<metric, Dcg, Ndcg, Precision, AveragePrecision>);
  STATIC_REQUIRE(play_only<metric, ReciprocalRank, MaxRr, ExpectedMaxRr, ExpectedReciprocalRank>);
}

TEST_CASE("stronger rankers") {
  STATIC_REQUIRE(!fltr::ParametricRanker<ByFirstFeature>);
  STATIC_REQUIRE(fltr::DifferentiableRanker<fltr::LinearRanker>);
  STATIC_REQUIRE(fltr::DifferentiableRanker<fltr::NeuralRanker>);
  struct Parametric : ByFirstFeature {
    std::span<float> parameters() { return {}; }
    std::span<float const> parameters() const { return {}; }
  };
  STATIC_REQUIRE(fltr::ParametricRanker<Parametric>);
  STATIC_REQUIRE(!fltr::DifferentiableRanker<Parametric>);
  struct OnlyReadable : ByFirstFeature {
    std::span<float const> parameters() const { return {}; }
  };
  STATIC_REQUIRE(!fltr::ParametricRanker<OnlyReadable>);
}

TEST_CASE("a verb with another signature does not play the role") {
  struct ScoresToDouble {
    void score(fltr::QueryView, std::span<double>) const {}
  };
  struct ChangesItself {
    void click(std::span<fltr::Grade const>, std::span<std::uint8_t>, fltr::Stream&) {}
  };
  struct ReturnsNothing {
    void privatize(fltr::LocalWeights, fltr::PrivacyContext const&) const {}
  };
  struct NoCutoff {
    double measure(fltr::RankedList) const { return 0; }
  };
  struct NeverSure {
    int keeps(std::uint32_t) const { return 0; }
  };
  STATIC_REQUIRE(play_only<0, ScoresToDouble, ChangesItself, ReturnsNothing, NoCutoff, NeverSure>);
}

TEST_CASE("a learner trains what it says it trains") {
  STATIC_REQUIRE(fltr::Trains<fltr::Pdgd, fltr::LinearRanker>);
  STATIC_REQUIRE(!fltr::Trains<fltr::Pdgd, ByFirstFeature>);
  STATIC_REQUIRE(!fltr::Learner<fltr::Pdgd, ByFirstFeature>);
  STATIC_REQUIRE(fltr::Trains<SendsTheModelBack, ByFirstFeature>);  // it does not say
}

TEST_CASE("streaming and gathering") {
  STATIC_REQUIRE(fltr::Streaming<fltr::FedAvg>);
  STATIC_REQUIRE(!fltr::Streaming<LastOneWins>);
  STATIC_REQUIRE(fltr::SumAggregator<fltr::FedAvg, fltr::LocalWeights, fltr::LinearRanker>);
  STATIC_REQUIRE(fltr::GatherAggregator<LastOneWins, fltr::LocalWeights, fltr::LinearRanker>);
  STATIC_REQUIRE(!fltr::Aggregator<fltr::FedAvg, fltr::LocalWeights, ByFirstFeature>);
}

TEST_CASE("attacks by what they know") {
  using fltr::LinearRanker;
  using fltr::LocalWeights;
  STATIC_REQUIRE(fltr::ColludingAttack<Zeros, LocalWeights, LinearRanker>);
  STATIC_REQUIRE(!fltr::OmniscientAttack<Zeros, LocalWeights, LinearRanker>);
  STATIC_REQUIRE(!fltr::ClickAttack<Zeros, fltr::CascadeModel>);
  STATIC_REQUIRE(!fltr::ColludingAttack<fltr::NoAttack, LocalWeights, LinearRanker>);
  STATIC_REQUIRE(!fltr::NoAttack{}.malicious.contains(0));
  STATIC_REQUIRE(!fltr::NoUnlearning{}.keeps(0));
}

// ---- the functions that call optional hooks

namespace {

struct Stateful {
  struct State {
    int rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };
  void aggregate(std::span<fltr::Sent<fltr::LocalWeights> const>, auto&, State& state) const { ++state.rounds; }
};
struct Sealing {
  using Sum = fltr::WeightSum;
  double seal(fltr::LocalWeights m, fltr::SealContext const&) const { return m.interactions; }
};
struct HalvingPrice : Rounded {
  void constrain(std::span<float> weights) const {
    for (float& w : weights) w /= 2;
  }
  fltr::PrivacyLoss loss(fltr::RoundRelease const& release) const {
    return {.epsilon_nominal = 1.0, .epsilon_accounted = static_cast<double>(release.dimension), .delta = 0.25};
  }
};
struct StartsAtSeven : ByFirstFeature {
  int value = 0;
  void initialize(fltr::Stream&) { value = 7; }
};

}  // namespace

TEST_CASE("aggregate hands the state to those who have one") {
  STATIC_REQUIRE(fltr::Aggregator<Stateful>);
  std::vector<fltr::Sent<fltr::LocalWeights>> const all{{0, {{1.0F}, 1}}, {1, {{2.0F}, 1}}};
  std::span<fltr::Sent<fltr::LocalWeights> const> const messages(all);
  fltr::LinearRanker model(1);
  Stateful::State state;
  fltr::aggregate(Stateful{}, messages, model, state);
  CHECK(state.rounds == 1);
  fltr::NoState none;
  fltr::aggregate(LastOneWins{}, messages, model, none);
  CHECK(model.parameters()[0] == 2.0F);
}

TEST_CASE("seal, constrain, loss, initialize and of are called where they are, and left out where they are not") {
  fltr::LocalWeights const message{{1.0F}, 3};
  fltr::NoState secret;
  CHECK(fltr::seal(Sealing{}, message, secret, {}, {}) == 3.0);
  CHECK(fltr::seal(fltr::FedAvg{}, message, secret, {}, {}).values == message.values);

  std::vector<float> weights{4.0F};
  fltr::constrain(HalvingPrice{}, weights);
  CHECK(weights[0] == 2.0F);
  fltr::constrain(Rounded{}, weights);
  CHECK(weights[0] == 2.0F);

  CHECK(fltr::loss(HalvingPrice{}, {.asked = 1, .dimension = 9, .interactions = 1}).epsilon_accounted == 9.0);
  CHECK(fltr::loss(Rounded{}, {.asked = 1, .dimension = 9, .interactions = 1}).epsilon_accounted == 0.0);
  fltr::PrivacyLoss total;
  for (int i = 0; i < 3; ++i) total += fltr::loss(HalvingPrice{}, {.asked = 1, .dimension = 9, .interactions = 1});
  CHECK(total.epsilon_nominal == 3.0);
  CHECK(total.epsilon_accounted == 27.0);
  CHECK(total.delta == 0.75);

  StartsAtSeven starting;
  fltr::initialize(starting, fltr::Stream(1));
  CHECK(starting.value == 7);
  ByFirstFeature plain;
  fltr::initialize(plain, fltr::Stream(1));

  ClicksTheFirst const same;
  CHECK(&fltr::clicks_of(same, 5) == &same);
}

TEST_CASE("the minimal models do what they say") {
  auto const data = fltr::testing::dataset_of({{{1, {0.5F}}, {0, {2.0F}}}}, 1);
  std::vector<float> scores(2);
  ByFirstFeature{}.score(data[0], scores);
  CHECK(scores == std::vector<float>{0.5F, 2.0F});
  CHECK(Rounded{}.privatize({{0.3F}, 1}, {}).values[0] == 0.3125F);
  CHECK(TopIsRelevant{}.measure({data[0].labels(), data[0].ideal()}) == 1.0);
  std::vector<fltr::Sent<fltr::LocalWeights>> mine{{0, {{3.0F}, 1}}};
  fltr::Stream stream(1);
  Zeros{}.poison(std::span(mine), ByFirstFeature{}, {1, 1, stream});
  CHECK(mine[0].message.values[0] == 0.0F);
}
