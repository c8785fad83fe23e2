#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/attacks/no_attack.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/mixture_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/click_models/per_client.hpp>
#include <fltr/click_models/position_model.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/execution/interruptible.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/inner_session.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/average_precision.hpp>
#include <fltr/metrics/dcg.hpp>
#include <fltr/metrics/expected_max_rr.hpp>
#include <fltr/metrics/expected_reciprocal_rank.hpp>
#include <fltr/metrics/max_rr.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/partition/by_label.hpp>
#include <fltr/partition/by_preference.hpp>
#include <fltr/partition/by_quantity.hpp>
#include <fltr/partition/by_user.hpp>
#include <fltr/partition/dirichlet_over_grades.hpp>
#include <fltr/partition/dirichlet_over_queries.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/partition/sampled_by_quantity.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/unlearners/no_unlearning.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/toy_dataset.hpp"

namespace {

// ---- the minimal models of the concepts' comments and of concepts/README.md

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
  void poison(std::span<fltr::ClientMessage<M>> mine, auto const&, fltr::AttackContext const&) const {
    for (auto& sent : mine) std::ranges::fill(sent.message.values, 0.0F);
  }
};
struct LastMessage {
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const> all,
                 fltr::ParametricRanker auto& ranker) const {
    std::ranges::copy(all.back().message.values, fltr::shared_parameters(ranker).begin());
  }
};
struct ServerMomentum {
  struct State {
    std::vector<float> velocity;
    auto fields(auto&& visit) { return visit(velocity); }
  };
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const> messages, fltr::ParametricRanker auto& ranker,
                 State& state) const {
    auto const weights = fltr::shared_parameters(ranker);
    state.velocity.resize(weights.size());
    for (std::size_t k = 0; k < weights.size(); ++k) {
      float mean = 0.0F;
      for (auto const& sent : messages) mean += sent.message.values[k] / static_cast<float>(messages.size());
      state.velocity[k] = 0.9F * state.velocity[k] + (mean - weights[k]);
      weights[k] += state.velocity[k];
    }
  }
};
struct TopIsRelevant {
  std::size_t cutoff = 1;
  double measure(fltr::RankedList list) const { return !list.grades.empty() && list.grades[0] > 0; }
};
struct KeepsEvenRounds {
  bool keeps(std::uint32_t round) const { return round % 2 == 0; }
};
struct TrainAgain {
  bool keeps(std::uint32_t) const { return false; }
  void unlearn(auto& replay) const {
    for (std::uint32_t round = 1; round <= replay.rounds(); ++round) replay.step(round, 0, [](auto const&...) {});
  }
};
struct TwoClients {
  fltr::Dataset const* data;
  std::size_t size() const { return 2; }
  fltr::Client operator[](std::size_t i) const {
    std::vector<std::uint32_t> own;
    for (auto q = static_cast<std::uint32_t>(i); q < data->size(); q += 2) own.push_back(q);
    return {.id = static_cast<fltr::ClientId>(i), .interactions = 4, .queries = fltr::QueryPool(*data, own)};
  }
};
struct OneNumber {
  float value = 0;
  bool fits(auto const&, std::uint32_t) const { return std::isfinite(value); }
  auto fields(auto&& visit) { return visit(value); }
};
static_assert(fltr::MessageFor<OneNumber, fltr::LinearRanker>);

// concepts/README.md: NamesHook_<hook> makes sure that a hook is found.
namespace hooks = fltr::composition;
static_assert(hooks::NamesHook_linear<fltr::WeightSum> && hooks::NamesHook_fields<fltr::WeightSum>);
static_assert(hooks::NamesHook_shares_memory<fltr::Threads> && !hooks::NamesHook_keeps_blocks<fltr::Threads>);
static_assert(hooks::NamesHook_keeps_blocks<fltr::Interruptible<fltr::Threads, bool (*)()>>);
static_assert(hooks::NamesHook_draw<fltr::QueryPool> && hooks::NamesHook_by_number<fltr::QueryPool>);
static_assert(hooks::NamesHook_consistent<fltr::NeuralRanker> && hooks::NamesHook_feature_count<fltr::NeuralRanker>);
static_assert(hooks::NamesHook_model_name<fltr::NeuralRanker> && !hooks::NamesHook_wire_name<fltr::NeuralRanker>);
static_assert(!hooks::NamesHook_log<fltr::Client> && !hooks::NamesHook_merge<fltr::Client>);
struct PlusOne : fltr::FedAvg {
  struct Wire {
    fltr::LocalWeights plus_one;
    auto fields(auto&& visit) { return visit(plus_one); }
  };
  struct Sum : fltr::WeightSum {
    void add(Wire const& wire) { WeightSum::add(wire.plus_one); }
  };
  Sum sum(fltr::ParametricRanker auto const& ranker) const { return {fltr::weight_sum_for(ranker)}; }
  Wire seal(fltr::LocalWeights m, fltr::SealContext const&) const {
    for (auto& v : m.values) ++v;
    return {m};
  }
  bool open(Sum& s, auto const&, auto const&) const {
    for (auto& v : s.values) v -= s.weight;
    return true;
  }
};
template <class S>
struct ClippedSession : fltr::InnerSession<S> {
  double bound;
  ClippedSession(S& session, double largest) : fltr::InnerSession<S>(session), bound(largest) {}
  void step(auto& local, std::span<float> gradient, float rate) {
    fltr::clip_norm(gradient, bound);
    fltr::InnerSession<S>::step(local, gradient, rate);
  }
};
template <fltr::InPlaceLearner L>
struct ClippedSteps : L {
  double bound = 1.0;

  template <class R, class C, class S>
  requires requires(L const& l, R& r, C const& c, ClippedSession<S>& s) { l.train(r, c, s); }
  std::uint32_t train(R& local, C const& client, S& session) const {
    ClippedSession<S> inner(session, bound);
    return L::train(local, client, inner);
  }
};
static_assert(fltr::Learner<ClippedSteps<fltr::Pdgd>>);

/// A wrapper with a State of its own, as concepts/README.md describes it.
template <class S, class L>
struct CountingSession : fltr::InnerSession<S, fltr::State<L>> {
  using Base = fltr::InnerSession<S, fltr::State<L>>;
  std::uint32_t* steps;
  explicit CountingSession(S& session) : Base(session, session.state.inner), steps(&session.state.steps) {}
  void step(auto& local, std::span<float> gradient, float rate) {
    ++*steps;
    Base::step(local, gradient, rate);
  }
};
template <fltr::InPlaceLearner L>
struct CountedSteps : L {
  struct State {
    fltr::State<L> inner;
    std::uint32_t steps = 0;
    auto fields(auto&& visit) { return visit(inner, steps); }
  };
  template <class R, class C, class S>
  requires requires(L const& l, R& r, C const& c, CountingSession<S, L>& s) { l.train(r, c, s); }
  std::uint32_t train(R& local, C const& client, S& session) const {
    CountingSession<S, L> inner(session);
    return L::train(local, client, inner);
  }
};

/// A wrapper with a Workspace of its own, as concepts/README.md describes it: FedProx.
template <class S, class L>
struct ProximalSession : fltr::InnerSession<S, fltr::State<L>, fltr::WorkspaceOf<L>> {
  using Base = fltr::InnerSession<S, fltr::State<L>, fltr::WorkspaceOf<L>>;
  std::span<float const> global;
  float mu;
  ProximalSession(S& session, float strength)
      : Base(session, session.state, session.workspace.inner), global(session.workspace.global), mu(strength) {}
  void step(auto& local, std::span<float> gradient, float rate) {
    auto const weights = local.parameters();
    for (std::size_t k = 0; k < weights.size(); ++k) gradient[k] -= mu * (weights[k] - global[k]);
    Base::step(local, gradient, rate);
  }
};
template <fltr::InPlaceLearner L>
struct ProximalSteps : L {
  float mu = 0.1F;

  struct Workspace {
    fltr::WorkspaceOf<L> inner;
    std::vector<float> global;
  };
  template <class R, class C, class S>
  requires requires(L const& l, R& r, C const& c, ProximalSession<S, L>& s) { l.train(r, c, s); }
  std::uint32_t train(R& local, C const& client, S& session) const {
    auto const weights = local.parameters();
    session.workspace.global.assign(weights.begin(), weights.end());
    ProximalSession<S, L> inner(session, mu);
    return L::train(local, client, inner);
  }
};
struct NeedsALog {
  using Message = fltr::LocalWeights;
  template <class C>
  requires requires(C const& client, fltr::Streams streams, fltr::ClickLog& buffer) { client.log(streams, buffer); }
  std::uint32_t train(auto&, C const& client, auto&) const {
    return client.interactions;
  }
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
  void guess(auto const& observed, std::span<std::uint8_t> clicks, fltr::Stream&) const {
    std::size_t i = 0;
    for (auto const& list : observed.lists)
      for (std::size_t rank = 0; rank < list.size(); ++rank) clicks[i++] = rank == 0;
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
constexpr unsigned roles =
    (fltr::Ranker<T> ? ranker : 0U) | (fltr::ClickModel<T> ? click_model : 0U) | (fltr::Learner<T> ? learner : 0U) |
    (fltr::Privatizer<T> ? privatizer : 0U) | (fltr::Attack<T> ? attack : 0U) |
    (fltr::Aggregator<T> ? aggregator : 0U) | (fltr::Unlearner<T> ? unlearner : 0U) |
    (fltr::Population<T> ? population : 0U) | (fltr::Partitioner<T> ? partitioner : 0U) |
    (fltr::Execution<T> ? execution : 0U) | (fltr::Metric<T> ? metric : 0U) | (fltr::ClickGuess<T> ? click_guess : 0U);

template <unsigned Role, class... Ts>
constexpr bool play_only = ((roles<Ts> == Role) && ...);

using Clients = std::vector<fltr::Client>;

}  // namespace

TEST_CASE("The minimal models of the documentation satisfy the concept of their role and no other") {
  STATIC_REQUIRE(play_only<ranker, ByFirstFeature>);
  STATIC_REQUIRE(play_only<click_model, ClicksTheFirst>);
  STATIC_REQUIRE(play_only<learner, SendsTheModelBack>);
  STATIC_REQUIRE(play_only<privatizer, Rounded>);
  STATIC_REQUIRE(play_only<attack, Zeros>);
  STATIC_REQUIRE(play_only<aggregator, LastMessage, ServerMomentum>);
  STATIC_REQUIRE(play_only<unlearner, KeepsEvenRounds, TrainAgain>);
  STATIC_REQUIRE(play_only<population, OneClient, TwoClients>);
  STATIC_REQUIRE(play_only<partitioner, AllToOne>);
  STATIC_REQUIRE(play_only<execution, OneAfterTheOther>);
  STATIC_REQUIRE(play_only<metric, TopIsRelevant>);
  STATIC_REQUIRE(play_only<click_guess, GuessesTheFirst>);
  STATIC_REQUIRE(play_only<0, int, fltr::Dataset, fltr::LocalWeights, fltr::Stream, fltr::QueryView>);
}

TEST_CASE("Every built-in policy satisfies the concept of its role and no other") {
  using namespace fltr;
  STATIC_REQUIRE(play_only<ranker, LinearRanker, NeuralRanker, archetypes::DifferentiableRanker>);
  STATIC_REQUIRE(play_only<click_model, CascadeModel, PositionModel, NoClicks, PerClient<CascadeModel>>);
  STATIC_REQUIRE(play_only<click_model, MixtureModel<CascadeModel>>);
  STATIC_REQUIRE(play_only<learner, Pdgd>);
  STATIC_REQUIRE(play_only<privatizer, NoPrivacy, Clip, GammaNoise, LaplaceNoise, GaussianNoise>);
  STATIC_REQUIRE(play_only<privatizer, Chain<>, Chain<Clip, GammaNoise>>);
  STATIC_REQUIRE(play_only<attack, NoAttack>);
  STATIC_REQUIRE(play_only<aggregator, FedAvg>);
  STATIC_REQUIRE(play_only<unlearner, NoUnlearning>);
  STATIC_REQUIRE(play_only<population, Clients, IidPopulation, Sampled<Clients>, Dropout<IidPopulation>>);
  STATIC_REQUIRE(play_only<population, SharedClients<>, PoolPopulation, PreferencePopulation, RegroupedPopulation>);
  STATIC_REQUIRE(play_only<population, UserPopulation, WithInteractions<Clients>, SampledByQuantity<Clients>>);
  STATIC_REQUIRE(play_only<partitioner, Iid, ByPreference, ByLabel, ByQuantity, ByUser>);
  STATIC_REQUIRE(play_only<partitioner, DirichletOverGrades, DirichletOverQueries>);
  STATIC_REQUIRE(play_only<execution, Serial, Threads>);
  STATIC_REQUIRE(play_only<metric, Dcg, Ndcg, Precision, AveragePrecision>);
  STATIC_REQUIRE(play_only<metric, ReciprocalRank, MaxRr, ExpectedMaxRr, ExpectedReciprocalRank>);
}

TEST_CASE("A ParametricRanker needs both versions of parameters(); a DifferentiableRanker also needs backward") {
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

TEST_CASE("A policy with a wrong signature does not satisfy its concept") {
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

TEST_CASE("A Learner trains the rankers for which its 'trains' is true") {
  STATIC_REQUIRE(fltr::composition::Trains<fltr::Pdgd, fltr::LinearRanker>);
  STATIC_REQUIRE(!fltr::composition::Trains<fltr::Pdgd, ByFirstFeature>);
  STATIC_REQUIRE(!fltr::Learner<fltr::Pdgd, ByFirstFeature>);
  STATIC_REQUIRE(fltr::composition::Trains<SendsTheModelBack, ByFirstFeature>);  // it does not say
}

TEST_CASE("A learner wrapper has the requirements of its inner learner") {
  STATIC_REQUIRE(fltr::Learner<ClippedSteps<fltr::Pdgd>>);
  STATIC_REQUIRE(fltr::Learner<CountedSteps<fltr::Pdgd>>);
  STATIC_REQUIRE(fltr::Learner<ClippedSteps<CountedSteps<fltr::Pdgd>>>);
  STATIC_REQUIRE(fltr::Learner<ProximalSteps<CountedSteps<fltr::Pdgd>>>);
  STATIC_REQUIRE(fltr::Learner<CountedSteps<ProximalSteps<fltr::Pdgd>>>);
  STATIC_REQUIRE(!fltr::Learner<NeedsALog>);
  STATIC_REQUIRE(!fltr::Learner<ClippedSteps<NeedsALog>>);
  STATIC_REQUIRE(!fltr::Learner<ClippedSteps<fltr::Pdgd>, ByFirstFeature>);
}

TEST_CASE("An Aggregator with a Sum is streaming, one without gathers") {
  STATIC_REQUIRE(fltr::Streaming<fltr::FedAvg>);
  STATIC_REQUIRE(!fltr::Streaming<LastMessage>);
  STATIC_REQUIRE(fltr::composition::SumAggregator<fltr::FedAvg, fltr::LocalWeights, fltr::LinearRanker>);
  STATIC_REQUIRE(fltr::composition::GatherAggregator<LastMessage, fltr::LocalWeights, fltr::LinearRanker>);
  STATIC_REQUIRE(!fltr::Aggregator<fltr::FedAvg, fltr::LocalWeights, ByFirstFeature>);
}

TEST_CASE("The parameters of 'poison' decide what an Attack knows") {
  using fltr::LinearRanker;
  using fltr::LocalWeights;
  STATIC_REQUIRE(fltr::composition::ColludingAttack<Zeros, LocalWeights, LinearRanker>);
  STATIC_REQUIRE(!fltr::composition::OmniscientAttack<Zeros, LocalWeights, LinearRanker>);
  STATIC_REQUIRE(!fltr::composition::ClickAttack<Zeros, fltr::CascadeModel>);
  STATIC_REQUIRE(!fltr::composition::ColludingAttack<fltr::NoAttack, LocalWeights, LinearRanker>);
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
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const>, auto&, State& state) const {
    ++state.rounds;
  }
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

TEST_CASE("aggregate passes the state to an Aggregator that has a State") {
  STATIC_REQUIRE(fltr::Aggregator<Stateful>);
  std::vector<fltr::ClientMessage<fltr::LocalWeights>> const all{{0, {{1.0F}, 1}}, {1, {{2.0F}, 1}}};
  std::span<fltr::ClientMessage<fltr::LocalWeights> const> const messages(all);
  fltr::LinearRanker model(1);
  Stateful::State state;
  fltr::aggregate(Stateful{}, messages, model, state);
  CHECK(state.rounds == 1);
  fltr::NoState none;
  fltr::aggregate(LastMessage{}, messages, model, none);
  CHECK(model.parameters()[0] == 2.0F);
}

TEST_CASE("seal, constrain, loss, initialize and of are called if a policy has them, and have a default otherwise") {
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

TEST_CASE("The minimal models of the documentation compute what their comments say") {
  auto const data = fltr::testing::dataset_of({{{1, {0.5F}}, {0, {2.0F}}}}, 1);
  std::vector<float> scores(2);
  ByFirstFeature{}.score(data[0], scores);
  CHECK(scores == std::vector<float>{0.5F, 2.0F});
  CHECK(Rounded{}.privatize({{0.3F}, 1}, {}).values[0] == 0.3125F);
  CHECK(TopIsRelevant{}.measure({data[0].grades(), data[0].ideal()}) == 1.0);
  std::vector<fltr::ClientMessage<fltr::LocalWeights>> mine{{0, {{3.0F}, 1}}};
  fltr::Stream stream(1);
  Zeros{}.poison(std::span(mine), ByFirstFeature{}, {1, 1, stream});
  CHECK(mine[0].message.values[0] == 0.0F);

  std::vector<fltr::ClientMessage<fltr::LocalWeights>> const all{{0, {{1.0F}, 0}}, {1, {{3.0F}, 0}}};
  fltr::LinearRanker model(1);
  ServerMomentum::State state;
  ServerMomentum{}.aggregate(std::span(all), model, state);
  CHECK(model.parameters()[0] == 2.0F);  // velocity 2
  ServerMomentum{}.aggregate(std::span(all), model, state);
  CHECK(model.parameters()[0] == Approx(3.8));  // velocity 0.9 * 2 + (2 - 2)
}

TEST_CASE("The minimal models of the documentation compose to federations that run") {
  using namespace fltr;
  auto const data = testing::toy_dataset();
  TwoClients const clients{&data};
  auto const federation = make_federation(LinearRanker(data.feature_count()), ClicksTheFirst{}, Pdgd{}, FedAvg{});

  auto plain = federation.start(clients);
  CHECK(plain.run(3) == 3);
  auto sealed = federation.with_aggregator(PlusOne{}).start(clients);
  CHECK(sealed.run(3) == 3);
  for (std::size_t k = 0; k < data.feature_count(); ++k)
    CHECK(sealed.ranker().parameters()[k] == Approx(plain.ranker().parameters()[k]).margin(1e-5));

  auto forgetting = federation.with_unlearner(TrainAgain{}).start(clients);
  forgetting.run(2);
  forgetting.forget({0});
  CHECK(forgetting.forgotten_clients() == std::vector<ClientId>{0});

  CHECK(federation.with_aggregator(LastMessage{}).with_attack(Zeros{}).start(clients).run(1) == 1);

  auto momentum = federation.with_aggregator(ServerMomentum{}).start(clients);
  CHECK(momentum.server_state().velocity.empty());
  CHECK(momentum.run(2) == 2);
  CHECK(momentum.server_state().velocity.size() == data.feature_count());
}

TEST_CASE("The learner wrappers of the documentation change the steps of the inner learner") {
  using namespace fltr;
  auto const data = testing::toy_dataset();
  TwoClients const clients{&data};
  auto const federation = make_federation(LinearRanker(data.feature_count()), ClicksTheFirst{}, Pdgd{}, FedAvg{});
  auto plain = federation.start(clients);
  plain.run(2);

  auto unbounded = federation.with_learner(ClippedSteps<Pdgd>{{}, 1e9}).start(clients);
  unbounded.run(2);
  CHECK(std::ranges::equal(unbounded.ranker().parameters(), plain.ranker().parameters()));

  // Four steps of one round: norm <= 4 * learning_rate * bound.
  auto clipped = federation.with_learner(ClippedSteps<Pdgd>{{.learning_rate = 0.1F}, 0.01}).start(clients);
  clipped.run(1);
  double squares = 0.0;
  for (float const w : clipped.ranker().parameters()) squares += static_cast<double>(w) * static_cast<double>(w);
  CHECK(squares > 0.0);
  CHECK(std::sqrt(squares) <= 4 * 0.1 * 0.01 * (1 + 1e-6));

  auto counted = federation.with_learner(CountedSteps<Pdgd>{}).start(clients);
  counted.run(2);
  CHECK(counted.client_state(0).learner.steps == 8);
  CHECK(std::ranges::equal(counted.ranker().parameters(), plain.ranker().parameters()));

  auto unconstrained = federation.with_learner(ProximalSteps<Pdgd>{{}, 0.0F}).start(clients);
  unconstrained.run(2);
  CHECK(std::ranges::equal(unconstrained.ranker().parameters(), plain.ranker().parameters()));

  // With mu = 1 / learning_rate a step starts at the broadcast ranker again: norm <= learning_rate * bound.
  auto proximal =
      federation.with_learner(ProximalSteps<ClippedSteps<Pdgd>>{{{.learning_rate = 0.1F}, 0.01}, 10.0F}).start(clients);
  proximal.run(1);
  squares = 0.0;
  for (float const w : proximal.ranker().parameters()) squares += static_cast<double>(w) * static_cast<double>(w);
  CHECK(squares > 0.0);
  CHECK(std::sqrt(squares) <= 0.1 * 0.01 * (1 + 1e-5));
}

TEST_CASE("An aggregator that writes the shared parameters leaves the others unchanged") {
  struct HalfShared {
    std::array<float, 4> weights{1.0F, 1.0F, 1.0F, 1.0F};
    void score(fltr::QueryView, std::span<float>) const {}
    std::span<float> parameters() { return weights; }
    std::span<float const> parameters() const { return weights; }
    std::span<float> shared() { return std::span(weights).last(2); }
    std::span<float const> shared() const { return std::span(weights).last(2); }
  };
  std::vector<fltr::ClientMessage<fltr::LocalWeights>> const all{{0, {{2.0F, 3.0F}, 1}}};
  HalfShared ranker;
  LastMessage{}.aggregate(std::span(all), ranker);
  CHECK(ranker.weights == std::array{1.0F, 1.0F, 2.0F, 3.0F});
}
