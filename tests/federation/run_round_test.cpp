#include <fltr/federation/detail/run_round.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::FirstClients;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

constexpr ClientId bad_client = 33;

/// PDGD, but `spoil` changes the message of one client.
template <class Spoil>
struct Spoiled {
  using Message = LocalWeights;
  using Workspace = WorkspaceOf<Pdgd>;
  Pdgd learner;
  Spoil spoil;
  LocalWeights learn(auto const& ranker, auto const& client, auto& session) const {
    auto message = fltr::learn(learner, ranker, client, session);
    if (client.id == bad_client) spoil(message);
    return message;
  }
};
template <class Spoil>
Spoiled<Spoil> spoiled(Spoil spoil) {
  return {{}, spoil};
}

/// Asks all clients except bad_client.
struct WithoutBad : IidPopulation {
  using IidPopulation::IidPopulation;
  std::vector<std::uint32_t> participants(std::uint32_t, Stream&) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < size(); ++i)
      if (i != bad_client) out.push_back(i);
    return out;
  }
};

/// Compares, bit by bit, the lists that users saw and the values that the learner reported.
bool same_online_statistics(RoundStatistics const& a, RoundStatistics const& b) {
  return a.lists == b.lists && a.ndcg_sum == b.ndcg_sum && a.objectives == b.objectives &&
         a.objective_sum == b.objective_sum;
}

auto run(auto const& federation, auto clients, int rounds = 3) {
  auto training = federation.start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

}  // namespace

TEST_CASE("A message that does not fit is counted as rejected, and the result is that of the run without its sender") {
  auto const data = toy_dataset();
  auto const check = [&](auto learner) {
    auto const federation = make_federation(LinearRanker(5), CascadeModel::informational(3), learner, FedAvg{});
    auto const with = run(federation, IidPopulation(data, 70, 3));
    auto const without = run(federation, WithoutBad(data, 70, 3));
    CHECK(with.round().statistics.rejected == 1);
    CHECK(with.round().statistics.reported == 69);
    CHECK(without.round().statistics.reported == 69);
    CHECK(without.round().statistics.rejected == 0);
    CHECK(same_bits(with.ranker(), without.ranker()));
    CHECK(same_online_statistics(with.round().statistics, without.round().statistics));
    for (float w : with.ranker().parameters()) CHECK(std::isfinite(w));
  };
  check(spoiled([](LocalWeights& m) { m.values[2] = std::numeric_limits<float>::quiet_NaN(); }));
  check(spoiled([](LocalWeights& m) { m.values[0] = std::numeric_limits<float>::infinity(); }));
  check(spoiled([](LocalWeights& m) { m.values[4] = -std::numeric_limits<float>::infinity(); }));
  check(spoiled([](LocalWeights& m) { m.values.pop_back(); }));
  check(spoiled([](LocalWeights& m) { m.values.push_back(0.0F); }));
  check(spoiled([](LocalWeights& m) { m.values.clear(); }));
  check(spoiled([](LocalWeights& m) { m.interactions = 4; }));
  check(spoiled([](LocalWeights& m) { m.interactions = 0xFFFFFFFFU; }));
}

TEST_CASE("With fewer than minimum_reports messages the ranker is unchanged") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto training = federation.start(Dropout{split_iid(data, {.clients = 40, .interactions = 2}), 0.5},
                                   {.seed = 2, .minimum_reports = 30});
  auto const before = training.ranker();
  training.advance();
  auto const statistics = training.round().statistics;
  CHECK(statistics.reported + statistics.dropped == 40);
  REQUIRE(statistics.reported < 30);  // fails with probability 1e-3; the seed is fixed
  CHECK(same_bits(before, training.ranker()));

  auto const none = make_federation(LinearRanker(5), CascadeModel::perfect(3), spoiled([](LocalWeights&) {}), FedAvg{});
  auto all_dropped = none.start(Dropout{split_iid(data, {.clients = 40, .interactions = 2}), 1.0});
  all_dropped.advance();
  CHECK(all_dropped.round().statistics.dropped == 40);
  CHECK(all_dropped.round().statistics.reported == 0);
}

namespace {

/// All clients except the first seven.
struct WithoutFirst : IidPopulation {
  using IidPopulation::IidPopulation;
  std::vector<std::uint32_t> participants(std::uint32_t, Stream&) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 7; i < size(); ++i) out.push_back(i);
    return out;
  }
};

struct Inverts {
  FirstClients malicious;
  template <FlatMessage M>
  void poison(std::span<ClientMessage<M>> mine, auto const&, AttackContext const&) const {
    for (auto& sent : mine)
      for (float& v : sent.message.values) v *= -2.0F;
  }
};

/// Sends the global weights, with the number of messages that it sees of other clients in the first weight.
struct SeesAll {
  FirstClients malicious;
  template <FlatMessage M, class R>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const&) const {
    for (auto& sent : mine) {
      std::ranges::copy(global.parameters(), sent.message.values.begin());
      sent.message.values[0] = static_cast<float>(others.size());
    }
  }
};

struct SendsNan {
  FirstClients malicious;
  template <FlatMessage M>
  void poison(std::span<ClientMessage<M>> mine, auto const&, AttackContext const&) const {
    for (auto& sent : mine) sent.message.values[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

struct SeesAllAndSendsNan {
  FirstClients malicious;
  template <FlatMessage M>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const>, auto const&,
              AttackContext const&) const {
    for (auto& sent : mine) sent.message.values[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

struct ClicksBadly {
  FirstClients malicious;
  CascadeModel clicks(CascadeModel const&) const { return CascadeModel::poison(3); }
};

/// Gathers, averages without weights, and keeps a copy of the messages.
struct GatheredMean {
  struct State {
    std::vector<ClientMessage<LocalWeights>> last;
    auto fields(auto&& visit) { return visit(last); }
  };
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, ParametricRanker auto& ranker, State& state) const {
    state.last.assign(all.begin(), all.end());
    auto const w = ranker.parameters();
    for (std::size_t k = 0; k < w.size(); ++k) {
      double sum = 0;
      for (auto const& sent : all) sum += static_cast<double>(sent.message.values[k]);
      w[k] = static_cast<float>(sum / static_cast<double>(all.size()));
    }
  }
};

}  // namespace

TEST_CASE(
    "An attack without malicious clients gives bit-identical results, for a streaming and a gathering aggregator") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const honest = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const expected = run(honest, clients);
  CHECK(same_bits(run(honest.with_attack(Inverts{}), clients).ranker(), expected.ranker()));
  CHECK(same_bits(run(honest.with_attack(ClicksBadly{}), clients).ranker(), expected.ranker()));
  CHECK(same_bits(run(honest.with_attack(SeesAll{}), clients).ranker(), expected.ranker()));
  auto const gathered = honest.with_aggregator(GatheredMean{});
  auto const expected_gathered = run(gathered, clients);
  CHECK(same_bits(run(gathered.with_attack(SeesAll{}), clients).ranker(), expected_gathered.ranker()));
  CHECK(same_bits(run(gathered.with_attack(Inverts{}), clients).ranker(), expected_gathered.ranker()));
}

TEST_CASE("Streamed and gathered rounds poison the same messages") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const honest = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const streamed = run(honest.with_attack(Inverts{{20}}), clients, 1);
  auto const gathered = run(honest.with_aggregator(GatheredMean{}).with_attack(Inverts{{20}}), clients, 1);
  auto const clean = run(honest, clients, 1);
  CHECK_FALSE(same_bits(streamed.ranker(), clean.ranker()));
  for (std::size_t k = 0; k < 5; ++k)
    CHECK(streamed.ranker().parameters()[k] == Approx(gathered.ranker().parameters()[k]).epsilon(1e-5));
  CHECK(streamed.round().statistics.reported == 50);
  CHECK(streamed.round().statistics.lists == 150);
  CHECK(gathered.round().statistics.lists == 150);

  auto const clicks = run(honest.with_attack(ClicksBadly{{20}}), clients, 1);
  CHECK_FALSE(same_bits(clicks.ranker(), clean.ranker()));
}

TEST_CASE("An omniscient attack sees the messages of all honest clients") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_attack(SeesAll{{10}});
  auto const training = run(federation, clients, 1);
  CHECK(training.ranker().parameters()[0] > 7.0F);  // 10 of 50 send 40: their share of the mean is 8
  CHECK(training.round().statistics.reported == 50);
}

TEST_CASE("Attackers' messages are screened") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const honest = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  // The lists of rejected attackers do not count: the statistics equal those of a round without these clients.
  auto const without = run(honest, WithoutFirst(data, 50, 3), 1);
  for (int i = 0; i < 3; ++i) {
    auto const check = [&](auto const& federation) {
      auto const training = run(federation, clients, 1);
      CHECK(training.round().statistics.rejected == 7);
      CHECK(training.round().statistics.reported == 43);
      CHECK(training.round().statistics.lists == 43 * 3);
      CHECK(same_online_statistics(training.round().statistics, without.round().statistics));
      for (float w : training.ranker().parameters()) CHECK(std::isfinite(w));
    };
    if (i == 0)
      check(honest.with_attack(SendsNan{{7}}));
    else if (i == 1)
      check(honest.with_attack(SeesAllAndSendsNan{{7}}));
    else
      check(honest.with_aggregator(GatheredMean{}).with_attack(SendsNan{{7}}));
  }
}

TEST_CASE("Honest messages are privatized, attackers' messages are not") {
  auto const data = toy_dataset();
  struct Zero {
    LocalWeights privatize(LocalWeights m, PrivacyContext const&) const {
      std::ranges::fill(m.values, 0.0F);
      return m;
    }
  };
  auto const clients = split_iid(data, {.clients = 10, .interactions = 3});
  auto const all_zero = run(fpdgd(LinearRanker(5), CascadeModel::perfect(3), {}, Zero{}), clients, 1);
  for (float w : all_zero.ranker().parameters()) CHECK(w == 0.0F);
  auto const attacked =
      run(fpdgd(LinearRanker(5), CascadeModel::perfect(3), {}, Zero{}).with_attack(Inverts{{10}}), clients, 1);
  CHECK(std::ranges::any_of(attacked.ranker().parameters(), [](float w) { return w != 0.0F; }));
}

namespace {

/// FedAvg with a seal that doubles the values. The sum halves them again.
struct DoublingSeal {
  struct Wire {
    LocalWeights inner;
    auto fields(auto&& visit) { return visit(inner); }
  };
  struct Sum {
    static constexpr bool linear = true;
    WeightSum total;
    void add(Wire const& wire) {
      auto half = wire.inner;
      for (float& v : half.values) v *= 0.5F;
      total.add(half);
    }
    void merge(Sum const& other) { total.merge(other.total); }
    auto fields(auto&& visit) { return visit(total); }
  };
  Sum sum(ParametricRanker auto const& ranker) const { return {weight_sum_for(ranker)}; }
  void aggregate(Sum const& s, ParametricRanker auto& ranker) const { FedAvg{}.aggregate(s.total, ranker); }
  Wire seal(LocalWeights m, SealContext const&) const {
    for (float& v : m.values) v *= 2.0F;
    return {std::move(m)};
  }
};

/// Asks only client 0, and in about half of the rounds nobody.
template <class P>
struct OnlyFirst {
  P population;
  std::size_t size() const { return population.size(); }
  auto operator[](std::size_t i) const { return population[i]; }
  std::vector<std::uint32_t> participants(std::uint32_t, Stream& stream) const {
    return stream.uniform() < 0.5 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{};
  }
  bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const { return population.reports(at, i, stream); }
};

}  // namespace

TEST_CASE("A sealing aggregator adds sealed messages, attackers' messages included") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const plain = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  CHECK(same_bits(run(plain.with_aggregator(DoublingSeal{}), clients).ranker(), run(plain, clients).ranker()));
  CHECK(same_bits(run(plain.with_aggregator(DoublingSeal{}).with_attack(Inverts{{9}}), clients).ranker(),
                  run(plain.with_attack(Inverts{{9}}), clients).ranker()));
}

TEST_CASE("Whether a client reports does not depend on the sampling of participants") {
  // Streams without a client must differ from the streams of client 0.
  auto const data = toy_dataset(3, 3);
  auto training = fpdgd(LinearRanker(5), CascadeModel::perfect(3))
                      .start(Sampled{Dropout{split_iid(data, {.clients = 4, .interactions = 1}), 0.5}, 2});
  std::uint64_t reported = 0;
  for (int i = 0; i < 2000; ++i) {
    training.advance();
    CHECK(training.round().statistics.reported + training.round().statistics.dropped == 2);
    reported += training.round().statistics.reported;
  }
  CHECK(std::abs(static_cast<double>(reported) - 2000.0) < 5 * std::sqrt(4000 * 0.25));

  Dropout const dropout{split_iid(data, {.clients = 4, .interactions = 1}), 0.5};
  auto only_first = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).start(OnlyFirst<Dropout<IidPopulation>>{dropout});
  std::uint64_t drawn = 0;
  std::uint64_t first = 0;
  for (int i = 0; i < 4000; ++i) {
    only_first.advance();
    drawn += only_first.round().statistics.reported + only_first.round().statistics.dropped;
    first += only_first.round().statistics.reported;
  }
  CHECK(std::abs(static_cast<double>(first) - static_cast<double>(drawn) / 2) <
        5 * std::sqrt(static_cast<double>(drawn) / 4));
}

TEST_CASE("Messages of sampled clients are in the order of the population") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const training = run(federation, Sampled{split_iid(data, {.clients = 1000, .interactions = 2}), 37}, 2);
  CHECK(training.round().statistics.reported == 37);
  CHECK(training.round().statistics.lists == 74);
}
