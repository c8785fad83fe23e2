// Wrappers around aggregators, in whole federations: attacks, privacy, checkpoints and threads.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <vector>

#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fl_detector.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/aggregators/on_alarm.hpp>
#include <fltr/attacks/inversion.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// Attackers send the broadcast weights minus z times their honest update.
struct Scaled {
  MaliciousClients malicious{};
  float z = 5.0F;
  template <FlatMessage M, class R>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const&) const {
    auto const weights = shared_parameters(global);
    for (ClientMessage<M>& sent : mine)
      for (std::size_t k = 0; k < weights.size(); ++k)
        sent.message.values[k] = weights[k] - z * (sent.message.values[k] - weights[k]);
  }
};

std::set<ClientId> ids(std::map<ClientId, std::uint32_t> const& flagged) {
  std::set<ClientId> out;
  for (auto const& [client, round] : flagged) out.insert(client);
  return out;
}

auto toy_federation() { return fpdgd(LinearRanker(5), CascadeModel::informational(3)); }

auto ten_clients(Dataset const& data) { return split_iid(data, {.clients = 10, .interactions = 5}); }

auto run(auto const& federation, auto const& clients, std::uint32_t rounds, std::uint64_t seed = 5) {
  auto training = federation.start(clients, {.seed = seed});
  training.run(rounds);
  return training;
}

double norm_of_difference(auto const& a, auto const& b) {
  double squares = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double const off = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    squares += off * off;
  }
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("NormBound limits what huge messages can do to the model") {
  auto const data = toy_dataset();
  auto const clients = ten_clients(data);
  auto const attacked = toy_federation().with_attack(Scaled{{3, 8}, 1e30F});
  auto training = attacked.with_aggregator(NormBound{FedAvg{}, 0.5}).start(clients, {.seed = 5});
  for (int round = 0; round < 20; ++round) {
    LinearRanker const before = training.ranker();
    training.advance();
    CHECK(training.server_state().clipped.size() >= 2);
    CHECK(norm_of_difference(training.ranker().parameters(), before.parameters()) <= 0.5 * (1.0 + 1e-6));
  }
  CHECK(norm_of_difference(run(attacked, clients, 1).ranker().parameters(), std::vector<float>(5)) > 1e25);
}

TEST_CASE("Wrappers with nothing to do give the bits of FedAvg in a federation") {
  auto const data = toy_dataset();
  auto const clients = ten_clients(data);
  auto const federation = toy_federation();
  auto const plain = run(federation, clients, 30);
  double const unbounded = std::numeric_limits<double>::infinity();
  CHECK(
      same_bits(run(federation.with_aggregator(NormBound{FedAvg{}, unbounded}), clients, 30).ranker(), plain.ranker()));
  CHECK(same_bits(run(federation.with_aggregator(Bucketing{FedAvg{}, 1}), clients, 30).ranker(), plain.ranker()));
  CHECK(same_bits(run(federation.with_aggregator(FlDetector<>{}), clients, 30).ranker(), plain.ranker()));
  CHECK(same_bits(run(federation.with_aggregator(OnAlarm{FlDetector<>{}, Median{}}), clients, 30).ranker(),
                  plain.ranker()));
}

TEST_CASE("The noise of GammaNoise protects only sums: behind a wrapper the accounted epsilon is infinite") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3), {}, GammaNoise{});
  auto const loss = [&](auto const& aggregator, std::uint32_t clients) {
    auto training = federation.with_aggregator(aggregator)
                        .start(split_iid(data, {.clients = clients, .interactions = 3}), {.seed = 5, .delta = 0.0});
    training.run(1);
    return *training.round().privacy;
  };
  CHECK(std::isfinite(loss(FedAvg{}, 10).epsilon_accounted));
  auto const check = [&](auto const& aggregator) {
    PrivacyLoss const accounted = loss(aggregator, 10);
    CHECK(accounted.epsilon_accounted == std::numeric_limits<double>::infinity());
    CHECK_THAT(accounted.reason, ContainsSubstring("see single messages"));
    CHECK(accounted.epsilon_nominal == 4.5);
    // A single client's message has all the noise, and what a wrapper does with it costs nothing more. With delta 0 only
    // the pure bound counts: the square root of d times epsilon.
    CHECK(loss(aggregator, 1).epsilon_accounted == Approx(4.5 * std::sqrt(5.0)).epsilon(1e-12));
  };
  check(NormBound{FedAvg{}, 1.0});
  check(NearestNeighborMixing{FedAvg{}, 0});
  check(Bucketing{FedAvg{}});
  check(FlDetector<>{});
  check(OnAlarm{FlDetector<>{}, Median{.malicious = 0}});
}

TEST_CASE("FlDetector flags exactly the attackers of a federation, who stay dropped") {
  auto const data = toy_dataset();
  auto const clients = ten_clients(data);
  auto const federation = toy_federation().with_aggregator(FlDetector<>{});
  auto const check = [&](auto const& attack, std::set<ClientId> const& attackers) {
    auto training = run(federation.with_attack(attack), clients, 150);
    CHECK(ids(training.server_state().flagged) == attackers);
    CHECK(training.server_state().round == 150);
    auto const flagged = training.server_state().flagged;
    // From now on the federation is one without these clients.
    for (int round = 0; round < 3; ++round) {
      training.advance();
      CHECK(training.server_state().flagged == flagged);
      CHECK(training.server_state().history.clients.size() == 10 - attackers.size());
    }
  };
  check(Scaled{{2}, 5.0F}, {2});
  check(Scaled{{0, 4, 7}, 5.0F}, {0, 4, 7});
  check(Inversion{{2}, 2.0F}, {2});
  check(Inversion{{0, 4, 7}, 2.0F}, {0, 4, 7});
}

TEST_CASE("FlDetector is silent about honest clients of a federation in at least 19 of 20 runs") {
  auto const data = toy_dataset();
  auto const clients = ten_clients(data);
  auto const federation = toy_federation().with_aggregator(FlDetector<>{});
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    alarms += run(federation, clients, 150, seed).server_state().flagged.empty() ? 0 : 1;
  CHECK(alarms <= 1);
}

TEST_CASE("OnAlarm defends from the alarm on") {
  auto const data = toy_dataset();
  auto const clients = ten_clients(data);
  auto const attacked = toy_federation().with_attack(Scaled{{0, 4, 7}, 20.0F});
  auto const defended = run(attacked.with_aggregator(OnAlarm{FlDetector<>{}, Median{.malicious = 3}}), clients, 150);
  auto const alarm = defended.server_state().alarm;
  CHECK(alarm > 0);
  CHECK(ids(defended.server_state().detector.flagged) == std::set<ClientId>{0, 4, 7});
  CHECK(defended.server_state().inner.guaranteed);
  auto const before = [&](auto const& federation) { return run(federation, clients, alarm - 1); };
  CHECK(same_bits(before(attacked.with_aggregator(OnAlarm{FlDetector<>{}, Median{.malicious = 3}})).ranker(),
                  before(attacked).ranker()));
}

TEST_CASE("A restored training with wrappers continues with the same bits, on any number of threads") {
  auto const data = toy_dataset();
  auto const clients = ten_clients(data);
  auto const check = [&](auto const& aggregator) {
    auto const federation = toy_federation().with_attack(Scaled{{2, 5}, 5.0F}).with_aggregator(aggregator);
    RunOptions const options{.seed = 9};
    auto whole = federation.start(clients, options);
    whole.run(33);
    auto const saved = field_bytes(whole);
    whole.run(27);

    auto resumed = federation.start(clients, options);
    restore(resumed, saved);
    resumed.run(27);
    CHECK(field_bytes(resumed) == field_bytes(whole));

    auto threaded = federation.with_execution(Threads(3)).start(clients, options);
    threaded.run(60);
    CHECK(same_bits(threaded.ranker(), whole.ranker()));
    CHECK(same_bits(threaded.server_state(), whole.server_state()));
  };
  check(FlDetector{NormBound{Bucketing{NearestNeighborMixing{Krum{}, 1}}, 2.0}});
  check(OnAlarm{FlDetector<>{}, Median{}});
}
