#include <fltr/federation/step.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/presets.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/participation.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear.hpp>

#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/toy.hpp"

namespace {

using namespace fltr;
using fltr::testing::FirstClients;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

constexpr ClientId bad_client = 33;

/// PDGD, but what one client sends is spoilt.
template <class Spoil>
struct Spoiled {
  using Message = LocalWeights;
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

/// Everybody but one.
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
bool same_online_statistics(Tally const& a, Tally const& b) {
  return a.lists == b.lists && a.ndcg_sum == b.ndcg_sum && a.objectives == b.objectives &&
         a.objective_sum == b.objective_sum;
}

auto run(auto const& federation, auto clients, int rounds = 3) {
  auto training = federation.start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

}  // namespace

TEST_CASE("a message that does not fit is dropped and counted, and the result is that of the run without its sender") {
  auto const data = toy_dataset();
  auto const check = [&](auto learner) {
    auto const federation = make_federation(LinearRanker(5), CascadeModel::informational(3), learner, FedAvg{});
    auto const with = run(federation, IidPopulation(data, 70, 3));
    auto const without = run(federation, WithoutBad(data, 70, 3));
    CHECK(with.round().tally.rejected == 1);
    CHECK(with.round().tally.reported == 69);
    CHECK(without.round().tally.reported == 69);
    CHECK(without.round().tally.rejected == 0);
    CHECK(same_bits(with.ranker(), without.ranker()));
    CHECK(same_online_statistics(with.round().tally, without.round().tally));
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

TEST_CASE("with too few reports the model stays as it is") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto training = federation.start(Dropout{split_iid(data, {.clients = 40, .interactions = 2}), 0.5},
                                   {.seed = 2, .minimum_reports = 30});
  auto const before = training.ranker();
  training.advance();
  auto const tally = training.round().tally;
  CHECK(tally.reported + tally.dropped == 40);
  REQUIRE(tally.reported < 30);  // probability 1e-3 of anything else; the seed is fixed
  CHECK(same_bits(before, training.ranker()));

  auto const none = make_federation(LinearRanker(5), CascadeModel::perfect(3), spoiled([](LocalWeights&) {}), FedAvg{});
  auto all_dropped = none.start(Dropout{split_iid(data, {.clients = 40, .interactions = 2}), 1.0});
  all_dropped.advance();
  CHECK(all_dropped.round().tally.dropped == 40);
  CHECK(all_dropped.round().tally.reported == 0);
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
  void poison(std::span<Sent<M>> mine, auto const&, AttackContext const&) const {
    for (auto& sent : mine)
      for (float& v : sent.message.values) v *= -2.0F;
  }
};

/// Sends the mean of the honest, with a marker in the first weight.
struct SeesAll {
  FirstClients malicious;
  template <FlatMessage M, class R>
  void poison(std::span<Sent<M>> mine, std::span<Sent<M> const> others, R const& global, AttackContext const&) const {
    for (auto& sent : mine) {
      std::ranges::copy(global.parameters(), sent.message.values.begin());
      sent.message.values[0] = static_cast<float>(others.size());
    }
  }
};

struct SendsNan {
  FirstClients malicious;
  template <FlatMessage M>
  void poison(std::span<Sent<M>> mine, auto const&, AttackContext const&) const {
    for (auto& sent : mine) sent.message.values[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

struct SeesAllAndSendsNan {
  FirstClients malicious;
  template <FlatMessage M>
  void poison(std::span<Sent<M>> mine, std::span<Sent<M> const>, auto const&, AttackContext const&) const {
    for (auto& sent : mine) sent.message.values[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

struct ClicksBadly {
  FirstClients malicious;
  CascadeModel clicks(CascadeModel const&) const { return CascadeModel::poison(3); }
};

/// The plain mean, gathering; and a copy of what it was given.
struct GatheredMean {
  struct State {
    std::vector<Sent<LocalWeights>> last;
    auto fields(auto&& visit) { return visit(last); }
  };
  void aggregate(std::span<Sent<LocalWeights> const> all, ParametricRanker auto& ranker, State& state) const {
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

TEST_CASE("an attack without attackers is bit-equal to no attack") {
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

TEST_CASE("attackers poison their messages, streamed and gathered alike") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const honest = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const streamed = run(honest.with_attack(Inverts{{20}}), clients, 1);
  auto const gathered = run(honest.with_aggregator(GatheredMean{}).with_attack(Inverts{{20}}), clients, 1);
  auto const clean = run(honest, clients, 1);
  CHECK_FALSE(same_bits(streamed.ranker(), clean.ranker()));
  for (std::size_t k = 0; k < 5; ++k)
    CHECK(streamed.ranker().parameters()[k] == Approx(gathered.ranker().parameters()[k]).epsilon(1e-5));
  CHECK(streamed.round().tally.reported == 50);
  CHECK(streamed.round().tally.lists == 150);
  CHECK(gathered.round().tally.lists == 150);

  auto const clicks = run(honest.with_attack(ClicksBadly{{20}}), clients, 1);
  CHECK_FALSE(same_bits(clicks.ranker(), clean.ranker()));
}

TEST_CASE("an omniscient attack sees everybody else, and gathers") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_attack(SeesAll{{10}});
  auto const training = run(federation, clients, 1);
  CHECK(training.ranker().parameters()[0] > 7.0F);  // 10 of 50 send 40: their share of the mean is 8
  CHECK(training.round().tally.reported == 50);
}

TEST_CASE("attackers are screened too") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const honest = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  // The lists of rejected attackers do not count: the statistics are those of the other clients.
  auto const without = run(honest, WithoutFirst(data, 50, 3), 1);
  for (int i = 0; i < 3; ++i) {
    auto const check = [&](auto const& federation) {
      auto const training = run(federation, clients, 1);
      CHECK(training.round().tally.rejected == 7);
      CHECK(training.round().tally.reported == 43);
      CHECK(training.round().tally.lists == 43 * 3);
      CHECK(same_online_statistics(training.round().tally, without.round().tally));
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

TEST_CASE("attackers skip the privatizer, honest clients do not") {
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

/// FedAvg behind a seal that doubles; the sum halves again.
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

/// Asks client 0, in about half of the rounds.
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

TEST_CASE("a sealing aggregator adds what was sealed, of attackers too") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 50, .interactions = 3});
  auto const plain = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  CHECK(same_bits(run(plain.with_aggregator(DoublingSeal{}), clients).ranker(), run(plain, clients).ranker()));
  CHECK(same_bits(run(plain.with_aggregator(DoublingSeal{}).with_attack(Inverts{{9}}), clients).ranker(),
                  run(plain.with_attack(Inverts{{9}}), clients).ranker()));
}

TEST_CASE("whether a client reports does not depend on whether it was drawn") {
  // Client 0 most of all: streams that belong to no client must not be its own.
  auto const data = toy_dataset(3, 3);
  auto training = fpdgd(LinearRanker(5), CascadeModel::perfect(3))
                      .start(Sampled{Dropout{split_iid(data, {.clients = 4, .interactions = 1}), 0.5}, 2});
  std::uint64_t reported = 0;
  for (int i = 0; i < 2000; ++i) {
    training.advance();
    CHECK(training.round().tally.reported + training.round().tally.dropped == 2);
    reported += training.round().tally.reported;
  }
  CHECK(std::abs(static_cast<double>(reported) - 2000.0) < 5 * std::sqrt(4000 * 0.25));

  Dropout const dropout{split_iid(data, {.clients = 4, .interactions = 1}), 0.5};
  auto only_first = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).start(OnlyFirst<Dropout<IidPopulation>>{dropout});
  std::uint64_t drawn = 0;
  std::uint64_t first = 0;
  for (int i = 0; i < 4000; ++i) {
    only_first.advance();
    drawn += only_first.round().tally.reported + only_first.round().tally.dropped;
    first += only_first.round().tally.reported;
  }
  CHECK(std::abs(static_cast<double>(first) - static_cast<double>(drawn) / 2) <
        5 * std::sqrt(static_cast<double>(drawn) / 4));
}

TEST_CASE("sampled clients leave holes: the order of the messages is that of the population") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const training = run(federation, Sampled{split_iid(data, {.clients = 1000, .interactions = 2}), 37}, 2);
  CHECK(training.round().tally.reported == 37);
  CHECK(training.round().tally.lists == 74);
}
