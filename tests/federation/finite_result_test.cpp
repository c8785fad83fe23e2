#include <fltr/federation/detail/finite_result.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/bulyan.hpp>
#include <fltr/aggregators/centered_clipping.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/fl_detector.hpp>
#include <fltr/aggregators/geometric_median.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/meamed.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/minimum_diameter.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/aggregators/on_alarm.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/sealed_client.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/federation/server_round.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/merged_forest.hpp>
#include <fltr/unlearners/retrain.hpp>

#include "support/catch.hpp"
#include "support/client_limits.hpp"
#include "support/forests.hpp"
#include "support/policies.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::SealedFedAvg;
using fltr::testing::stump;
using fltr::testing::toy_dataset;

constexpr float huge = 3e38F;  // the largest float is 3.403e38
constexpr double inf = std::numeric_limits<double>::infinity();

/// Clients whose id is at most `last` send huge weights (in every second place with another sign, if `mixed`), the others
/// the broadcast weights.
struct Sends {
  using Message = LocalWeights;
  ClientId last = 0;
  bool mixed = false;
  template <class R, class C>
  std::uint32_t train(R& local, C const& client, auto&) const {
    std::size_t place = client.id;
    if (client.id <= last)
      for (float& w : local.parameters()) w = mixed && place++ % 2 == 0 ? -huge : huge;
    return client.interactions;
  }
};

/// A federation of 10 clients with this aggregator, of which the first `last` + 1 send huge weights.
auto federation_of(auto aggregator, ClientId last, bool mixed = false) {
  return make_federation(LinearRanker(5), CascadeModel::perfect(3), Sends{last, mixed}, aggregator);
}

/// FedAvg that remembers in its State how far it went.
struct Remembers {
  struct Inner {
    std::map<std::uint32_t, std::optional<std::pair<int, double>>> lengths;
    auto fields(auto&& visit) { return visit(lengths); }
  };
  struct State {
    std::string name = "lengths";
    std::vector<Inner> all;
    auto fields(auto&& visit) { return visit(name, all); }
  };
  void aggregate(std::span<ClientMessage<LocalWeights> const> messages, ParametricRanker auto& ranker,
                 State& state) const {
    float squares = 0.0F;
    for (float const w : messages[0].message.values) squares += w * w;
    state.all.resize(1);
    state.all[0].lengths[7] = std::pair(1, static_cast<double>(squares));
    std::ranges::copy(messages.back().message.values, shared_parameters(ranker).begin());
  }
};

/// A sealed FedAvg that doubles the mean.
struct Doubles : SealedFedAvg {
  void aggregate(Sum const& all, ParametricRanker auto& to) const {
    SealedFedAvg::aggregate(all, to);
    for (float& w : to.parameters()) w *= 2.0F;
  }
};

/// Gives client 4 a ranker of NaN.
struct SpoilsOne {
  void aggregate(std::span<ClientMessage<LocalWeights> const>, ParametricRanker auto&) const {}
  LinearRanker personalize(std::span<ClientMessage<LocalWeights> const>, Client const& client) const {
    LinearRanker ranker(5);
    if (client.id == 4) ranker.parameters()[2] = std::numeric_limits<float>::quiet_NaN();
    return ranker;
  }
};

/// Every client sends one stump; the global ranker is the sum of all.
struct SendsStump {
  using Message = Forest;
  template <class R>
  static constexpr bool trains = std::same_as<R, Forest>;
  Forest learn(Forest const& global, auto const&, auto&) const {
    return Forest({stump(0, -1.0, static_cast<double>(huge))}, global.feature_count());
  }
};
struct AddsForests {
  void aggregate(std::span<ClientMessage<Forest> const> messages, Forest& ranker) const {
    std::vector<Forest> all;
    for (auto const& sent : messages) all.push_back(sent.message);
    ranker = combine(all, std::vector<double>(all.size(), 1.0));
  }
};

}  // namespace

TEST_CASE("A round whose result is not finite is an error, and leaves the training as it was") {
  auto const data = toy_dataset();
  auto training = federation_of(FedOpt<Sgd>{{.learning_rate = 2.0}}, 7).start(split_iid(data, {.clients = 10}));
  auto const before = field_bytes(training);
  for (int attempt = 0; attempt < 2; ++attempt) {
    // The weighted mean is .8 * 3e38; twice that is more than the largest float.
    CHECK_THROWS_AS(training.advance(), NotFiniteError);
    CHECK_THROWS_WITH(training.advance(),
                      "round 1: required finite parameters of the ranker, got inf at place 0 of 5; the round has no "
                      "effect");
    CHECK(field_bytes(training) == before);
  }
  auto average = federation_of(FedAvg{}, 7).start(split_iid(data, {.clients = 10}));
  average.advance();  // the mean of finite weights is finite
  CHECK(average.ranker().parameters()[0] == Approx(2.4e38));
}

TEST_CASE("Numbers deep inside the state of the server must be finite") {
  auto const data = toy_dataset();
  auto training = federation_of(Remembers{}, 0).start(split_iid(data, {.clients = 10}));
  auto const before = field_bytes(training);
  CHECK_THROWS_WITH(training.advance(),
                    "round 1: required finite numbers in the Aggregator's State, got inf; the round has no effect");
  CHECK(field_bytes(training) == before);
  auto honest = federation_of(Remembers{}, 0).start(std::vector<Client>{{.id = 1, .queries = QueryPool(data)}});
  honest.advance();
  CHECK(honest.number() == 1);
}

TEST_CASE("A sealed round and a replay have the same check") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 10});
  FedOpt<Sgd> const twice{{.learning_rate = 2.0}};
  CHECK_THROWS_AS(federation_of(IdealSum<FedOpt<Sgd>>{twice, {.step = 0x1p90}}, 7).start(clients).advance(),
                  NotFiniteError);

  // Without client 9, which pulls in the other direction, the replay fails.
  std::vector<Client> few{{.id = 0, .queries = QueryPool(data)}, {.id = 9, .queries = QueryPool(data)}};
  auto training = federation_of(twice, 0).with_unlearner(Retrain{}).start(few);
  training.advance();
  CHECK(training.ranker().parameters()[0] == Approx(huge));
  auto const before = training.ranker();
  CHECK_THROWS_AS(training.forget({9}), NotFiniteError);
  CHECK(std::ranges::equal(training.ranker().parameters(), before.parameters()));
  CHECK(training.forgotten_clients().empty());
}

TEST_CASE("The rankers of single clients must be finite") {
  auto const data = toy_dataset();
  auto training = federation_of(SpoilsOne{}, 0).start(split_iid(data, {.clients = 10}));
  CHECK_THROWS_WITH(
      training.advance(),
      "round 1: required finite numbers in the ranker of client 4, got nan at place 2 of 5; the round has "
      "no effect");
  CHECK(training.number() == 0);
}

TEST_CASE("The scores of a forest must be floats") {
  auto const data = toy_dataset();
  auto const run = [&](std::size_t clients) {
    auto training = make_federation(Forest(5), NoClicks{}, SendsStump{}, AddsForests{})
                        .start(split_iid(data, {.clients = clients}));
    training.advance();
    return training.ranker().score_bound();
  };
  CHECK(run(1) == static_cast<double>(huge));
  CHECK_THROWS_AS(run(2), NotFiniteError);

  MergedForest merged{{Forest({stump(0, 1.0, 2.0)}, 5)}, {1.0}};
  CHECK(!detail::not_finite_in(merged));
  merged.weights[0] = inf;
  CHECK(detail::not_finite_in(merged)->value == inf);
}

TEST_CASE("serve_round and SealedRound leave ranker and state as they were") {
  FedOpt<Sgd> const twice{{.learning_rate = 2.0}};
  LinearRanker ranker(2);
  ranker.parameters()[1] = 0.5F;
  State<FedOpt<Sgd>> state;
  std::vector<ClientMessage<LocalWeights>> const arrived{{0, {{huge, 0.0F}, 4}}};
  CHECK_THROWS_WITH(serve_round(twice, {1, 4}, arrived, ranker, state),
                    "serve_round: required finite parameters of the ranker, got inf at place 0 of 2; the round has no "
                    "effect");
  CHECK(ranker.parameters()[0] == 0.0F);
  CHECK(ranker.parameters()[1] == 0.5F);

  std::vector<ClientId> const asked{3};
  SealedRound<Doubles, LocalWeights> server({}, {5, asked, ranker.parameters(), 1});
  auto account = fltr::testing::generous_account();
  SealedClient<Doubles> client({}, {{5, asked, ranker.parameters(), 1}, 3, 4, Streams{1}}, account);
  server.receive(3, client.seal(LocalWeights{{huge, 0.0F}, 4}, server.question(3)));
  server.next_phase();
  NoState none;
  CHECK_THROWS_WITH(server.aggregate(ranker, none),
                    "round 5: required finite parameters of the ranker, got inf at place 0 of 2; the round has no "
                    "effect");
  CHECK(ranker.parameters()[0] == 0.0F);
  CHECK(ranker.parameters()[1] == 0.5F);
}

TEST_CASE("With huge messages every aggregator gives a finite ranker or an error, and never NaN") {
  auto const data = toy_dataset();
  auto const check = [&](auto const& aggregator, std::string const& name) {
    for (ClientId const last : {0U, 2U, 7U, 9U})
      for (bool const mixed : {false, true}) {
        INFO(name << ", clients with huge weights: " << last + 1 << ", mixed signs: " << mixed);
        auto training = federation_of(aggregator, last, mixed).start(split_iid(data, {.clients = 10}));
        std::uint32_t number = 0;
        for (int round = 0; round < 3; ++round) {
          auto const before = field_bytes(training);
          try {
            training.advance();
            ++number;
          } catch (NotFiniteError const&) {
            CHECK(field_bytes(training) == before);
          }
          CHECK(training.number() == number);
          CHECK(std::ranges::all_of(training.ranker().parameters(), [](float w) { return std::isfinite(w); }));
        }
      }
  };
  check(FedAvg{}, "FedAvg");
  check(FedOpt<Sgd>{{.learning_rate = 1.5}}, "Sgd");
  check(FedOpt<Adam>{{.learning_rate = 1e38}}, "Adam");
  check(FedOpt<Yogi>{}, "Yogi");
  check(FedOpt<Adagrad>{}, "Adagrad");
  check(Krum{}, "Krum");
  check(MultiKrum{}, "MultiKrum");
  check(TrimmedMean{}, "TrimmedMean");
  check(Median{}, "Median");
  check(GeometricMedian{}, "GeometricMedian");
  check(Bulyan{}, "Bulyan");
  check(CenteredClipping{}, "CenteredClipping");
  check(MinimumDiameter{}, "MinimumDiameter");
  check(Meamed{}, "Meamed");
  check(NormBound<FedAvg>{}, "NormBound");
  check(NearestNeighborMixing<FedAvg>{}, "NearestNeighborMixing");
  check(Bucketing<FedAvg>{}, "Bucketing");
  check(FlDetector<FedAvg>{}, "FlDetector");
  check(OnAlarm<FlDetector<FedAvg>, Median>{}, "OnAlarm");
  check(IdealSum<FedAvg>{}, "IdealSum");
}
