#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fltr/fltr.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

// A checkpoint of other options must be refused, whatever wraps them: Fingerprint sees every option of the built-in policies.
namespace {

using namespace fltr;

template <class T>
bool differ(T const& a, T const& b) {
  return Fingerprint().add(a).value() != Fingerprint().add(b).value();
}

template <class... T>
constexpr bool all_seen = (Fingerprint::sees<T>() && ...);

using Noise = Chain<Clip, LaplaceNoise>;

static_assert(all_seen<LinearRanker, NeuralRanker, SplitNeuralRanker, ClusteredRanker<LinearRanker>, Forest>);
static_assert(all_seen<CascadeModel, PositionModel, PerClient<CascadeModel>, MixtureModel<CascadeModel>, NoClicks>);
static_assert(all_seen<Pdgd, EvolutionStrategy<>, Ips<>, NaiveClicks<>, PropensityEm, LambdaRank, LambdaMart,
                       Proximal<Pdgd>, Personal<Pdgd>, Clustered<Pdgd>, Proximal<Personal<Pdgd>>>);
static_assert(all_seen<NoPrivacy, Clip, GammaNoise, LaplaceNoise, GaussianNoise, DistributedGaussian, PolyaNoise,
                       RandomizedMetric, Noise, Chain<Noise, GammaNoise>>);
static_assert(all_seen<FedAvg, FedOpt<Adam>, FedOpt<Yogi>, PerCluster<>, EsGradient<Adam>, EqualWeights, Krum,
                       MultiKrum, TrimmedMean, Median, GeometricMedian, Bulyan, CenteredClipping, MinimumDiameter,
                       Meamed, NormBound<Krum>, NearestNeighborMixing<Krum>, Bucketing<Krum>, IdealSum<FedAvg>>);
static_assert(all_seen<NoAttack, ClickPoisoning<CascadeModel>, Promote, LittleIsEnough, Fang<Krum, FullKnowledge>,
                       Inversion, SignFlip<FullKnowledge>, MinMax<FullKnowledge>, MinSum<FullKnowledge>,
                       DynOpt<Krum, FullKnowledge>, InnerProduct<FullKnowledge>, Mimic<FullKnowledge>>);
static_assert(all_seen<NoUnlearning, FedEraser, Retrain>);
static_assert(
    all_seen<std::vector<Client>, SharedClients<>, IidPopulation, PoolPopulation, PreferencePopulation,
             RegroupedPopulation, UserPopulation, LoggedPopulation, RecordedPopulation, Sampled<IidPopulation>,
             SampledByQuantity<IidPopulation>, Dropout<IidPopulation>, Stragglers<IidPopulation>,
             WithAbsences<IidPopulation>, WithInteractions<IidPopulation>, std::vector<SharingClient>>);

}  // namespace

TEST_CASE("The options of a wrapped policy change the fingerprint of the wrapper") {
  CHECK(differ(Noise{Clip{}, LaplaceNoise{.epsilon = 1}}, Noise{Clip{}, LaplaceNoise{.epsilon = 2}}));
  CHECK(differ(Noise{Clip{1.0}, LaplaceNoise{}}, Noise{Clip{2.0}, LaplaceNoise{}}));
  Pdgd const slow{.learning_rate = 0.1F};
  Pdgd const fast{.learning_rate = 0.2F};
  CHECK(differ(Proximal<Pdgd>{slow}, Proximal<Pdgd>{fast}));
  CHECK(differ(Proximal<Pdgd>{slow, 0.1F}, Proximal<Pdgd>{slow, 0.2F}));
  CHECK(differ(Personal<Pdgd>{slow}, Personal<Pdgd>{fast}));
  CHECK(differ(Clustered<Pdgd>{slow}, Clustered<Pdgd>{fast}));
  CHECK(differ(IdealSum<FedAvg>{.grid = {.step = 0x1p-10}}, IdealSum<FedAvg>{.grid = {.step = 0x1p-12}}));
  CHECK(differ(PerCluster<FedOpt<Sgd>>{{}, {Sgd{1.0F}}}, PerCluster<FedOpt<Sgd>>{{}, {Sgd{0.5F}}}));
  CHECK(differ(ClickPoisoning<CascadeModel>{MaliciousClients::first(1), CascadeModel::poison(3)},
               ClickPoisoning<CascadeModel>{MaliciousClients::first(2), CascadeModel::poison(3)}));
}

TEST_CASE("Other clients and other data change the fingerprint of a population, within any wrapper") {
  auto const data = testing::toy_dataset();
  auto parts = data.parts();
  parts.grades.back() = static_cast<Grade>(parts.grades.back() == 0 ? 1 : 0);
  Dataset const regraded(std::move(parts));
  CHECK(differ(data, regraded));
  CHECK_FALSE(differ(data, Dataset(data)));

  auto const of = [](Dataset const& d, Iid options = {.clients = 4, .interactions = 2}) { return options.split(d); };
  CHECK_FALSE(differ(of(data), of(data)));
  CHECK(differ(of(data), of(regraded)));
  CHECK(differ(of(data), of(data, {.clients = 5, .interactions = 2})));
  CHECK(differ(of(data), of(data, {.clients = 4, .interactions = 3})));
  CHECK(differ(Sampled{of(data), 2}, Sampled{of(regraded), 2}));
  CHECK(differ(Sampled{of(data), 2}, Sampled{of(data), 3}));
  CHECK(differ(Dropout{of(data), 0.1}, Dropout{of(regraded), 0.1}));
  CHECK(differ(Dropout{of(data), 0.1}, Dropout{of(data), 0.4}));
  CHECK(differ(Stragglers{of(data), 1}, Stragglers{of(data), 2}));
  CHECK(differ(WithInteractions<IidPopulation>(of(data), {1}), WithInteractions<IidPopulation>(of(data), {2})));
  CHECK(differ(WithInteractions<IidPopulation>(of(data), {1}), WithInteractions<IidPopulation>(of(regraded), {1})));

  using Clients = std::vector<Client>;
  auto const with = [](QueryPool pool) { return Clients{{0, 4, std::move(pool)}}; };
  CHECK_FALSE(differ(with(QueryPool(data, {0})), with(QueryPool(data, {0}))));
  CHECK(differ(with(QueryPool(data, {0})), with(QueryPool(data, {1}))));
  CHECK(differ(with(QueryPool(data, {0})), with(QueryPool(data))));
  CHECK(differ(with(QueryPool(data, {0})), with(QueryPool(regraded, {0}))));
  CHECK(differ(with(QueryPool(data)), with(QueryPool())));
  QueryPool const pool(data, {0});
  CHECK(differ(with(pool), with(pool.with_grades(std::vector<Grade>(pool.document_count(), 1)))));
  CHECK(differ(SharedClients<>(with(pool)), SharedClients<>(with(QueryPool(data, {1})))));
}
