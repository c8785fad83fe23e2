// All attacks in whole federations: without malicious clients, with threads, with clients that miss rounds.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/attacks/click_poisoning.hpp>
#include <fltr/attacks/promote.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/all_attacks.hpp"
#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::for_each_attack;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;
using Mine = std::span<ClientMessage<LocalWeights>>;
using Others = std::span<ClientMessage<LocalWeights> const>;

/// Any attack with PartialKnowledge, so that all of them are one type of federation.
struct AnyPartial {
  MaliciousClients malicious{};
  std::function<void(Mine, LinearRanker const&, AttackContext const&)> change{};
  void poison(Mine mine, LinearRanker const& global, AttackContext const& context) const {
    change(mine, global, context);
  }
};

/// Any attack with FullKnowledge.
struct AnyFull {
  MaliciousClients malicious{};
  std::function<void(Mine, Others, LinearRanker const&, AttackContext const&)> change{};
  void poison(Mine mine, Others others, LinearRanker const& global, AttackContext const& context) const {
    change(mine, others, global, context);
  }
};

template <class A>
auto any(A const& attack) {
  if constexpr (composition::OmniscientAttack<A, LocalWeights, LinearRanker>)
    return AnyFull{attack.malicious,
                   [attack](Mine mine, Others others, LinearRanker const& global, AttackContext const& context) {
                     attack.poison(mine, others, global, context);
                   }};
  else
    return AnyPartial{attack.malicious, [attack](Mine mine, LinearRanker const& global, AttackContext const& context) {
                        attack.poison(mine, global, context);
                      }};
}

LinearRanker trained(auto const& federation, auto const& clients, int rounds = 3) {
  auto training = federation.start(clients, {.seed = 5});
  training.run(static_cast<std::uint32_t>(rounds));
  return training.ranker();
}

/// Calls check(name, attack) for every attack.
void with_all(MaliciousClients const& malicious, std::size_t assumed, auto const& check) {
  auto const erased = [&](char const* name, auto const& attack) { check(name, any(attack)); };
  for_each_attack<PartialKnowledge>(malicious, assumed, erased);
  for_each_attack<FullKnowledge>(malicious, assumed, erased);
  check("ClickPoisoning", ClickPoisoning<CascadeModel>{malicious, CascadeModel::poison(3)});
  check("Promote", Promote{malicious, {{{.feature = 0, .low = 0.8F}}}});
}

auto federation_of(int threads) {
  return fpdgd(LinearRanker(5), CascadeModel::navigational(3)).with_execution(Threads{threads});
}

}  // namespace

TEST_CASE("Without malicious clients every attack gives the bits of no attack, streaming and gathering") {
  auto const data = toy_dataset();
  auto const clients = Dropout{split_iid(data, {.clients = 36, .interactions = 3}), 0.2};
  auto const check = [&](auto const& federation) {
    auto const expected = trained(federation, clients);
    with_all({}, 1, [&](std::string const& name, auto const& attack) {
      CAPTURE(name);
      CHECK(same_bits(trained(federation.with_attack(attack), clients), expected));
    });
  };
  check(federation_of(2));
  check(federation_of(2).with_aggregator(Krum{4}));
}

TEST_CASE("Any number of threads gives the same bits, with attackers that miss rounds") {
  auto const data = toy_dataset();
  auto const clients = Dropout{split_iid(data, {.clients = 36, .interactions = 3}), 0.4};
  auto const honest = trained(federation_of(1), clients);
  with_all(MaliciousClients{0, 7, 16, 17, 33}, 4, [&](std::string const& name, auto const& attack) {
    CAPTURE(name);
    auto const expected = trained(federation_of(1).with_attack(attack), clients);
    CHECK(same_bits(trained(federation_of(5).with_attack(attack), clients), expected));
    // Krum selects no model of Fang's direction here, and client 0 is no honest client: these attackers send their
    // honest models.
    bool const full = std::same_as<AnyFull, std::remove_cvref_t<decltype(attack)>>;
    bool const gives_up = full && (name == "Mimic, client 0" || name.starts_with("Fang on Krum"));
    CHECK(same_bits(expected, honest) == gives_up);
    auto const krum = trained(federation_of(1).with_aggregator(Krum{5}).with_attack(attack), clients);
    CHECK(same_bits(trained(federation_of(3).with_aggregator(Krum{5}).with_attack(attack), clients), krum));
  });
}

TEST_CASE("Attackers that all miss a round change nothing, and all clients but one can be malicious") {
  auto const data = toy_dataset();
  auto const ten = split_iid(data, {.clients = 10, .interactions = 3});
  auto const gone = Dropout{ten, 1.0};
  with_all(MaliciousClients::first(9), 4, [&](std::string const& name, auto const& attack) {
    CAPTURE(name);
    auto silent = federation_of(1).with_attack(attack).start(gone, {.seed = 2});
    silent.run(2);
    CHECK(same_bits(silent.ranker(), LinearRanker(5)));
    auto training = federation_of(1).with_attack(attack).start(ten, {.seed = 2});
    training.run(3);
    CHECK(training.round().statistics.rejected == 0);
    CHECK(training.round().statistics.reported == 10);
  });
}

TEST_CASE("Krum chooses Fang's model in every round in which the attackers found one") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 10, .interactions = 4});
  Fang<Krum, FullKnowledge> const fang{MaliciousClients::first(3), Krum{3}};
  bool crafted = false;
  AnyFull const attack{fang.malicious,
                       [&](Mine mine, Others others, LinearRanker const& global, AttackContext const& context) {
                         auto const honest = mine[0].message.values;
                         fang.poison(mine, others, global, context);
                         crafted = mine[0].message.values != honest;
                       }};
  auto const krum = federation_of(1).with_aggregator(Krum{3});
  auto training = krum.with_attack(attack).start(clients, {.seed = 4});
  auto honest = krum.start(clients, {.seed = 4});
  std::size_t found = 0;
  for (int round = 0; round < 40; ++round) {
    training.advance();
    REQUIRE(training.server_state().selected.size() == 1);
    if (crafted) CHECK(training.server_state().selected[0] < 3);
    found += crafted ? 1U : 0U;
  }
  honest.run(40);
  CHECK(found > 20);
  Ndcg const metric{.cutoff = 10};
  CHECK(evaluate(training.ranker(), data, metric) < evaluate(honest.ranker(), data, metric) - 0.1);
}

TEST_CASE("ClickPoisoning harms the ranker, and malicious clients send privatized messages like honest ones") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 10, .interactions = 4});
  Ndcg const metric{.cutoff = 10};
  auto const after = [&](std::uint64_t malicious) {
    ClickPoisoning<CascadeModel> const attack{MaliciousClients::first(malicious), CascadeModel::poison(3)};
    auto training = federation_of(1).with_attack(attack).start(clients, {.seed = 4});
    training.run(40);
    CHECK(training.round().statistics.noiseless == 0);  // no message of an attacker left out the privatizer
    return evaluate(training.ranker(), data, metric);
  };
  double const none = after(0);
  CHECK(after(4) < none);
  CHECK(after(10) < none - 0.2);
}
