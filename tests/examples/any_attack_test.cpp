#include "support/any_attack.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/any_aggregator.hpp"
#include "support/catch.hpp"
#include "support/poisoned.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using namespace fltr::examples;
using fltr::testing::messages_of;
using fltr::testing::Models;
using fltr::testing::poisoned;
using fltr::testing::ranker_of;

namespace {

constexpr std::size_t parameters = 6;

Models models(std::size_t count, std::uint64_t seed) {
  Stream stream(seed);
  Models out(count);
  for (auto& model : out)
    for (std::size_t k = 0; k < parameters; ++k) model.push_back(static_cast<float>(stream.normal()));
  return out;
}

std::vector<float> const global{0.1F, -0.2F, 0.3F, 0.0F, 1.0F, -1.0F};

/// The weights after each of three rounds with the same state.
template <class A>
Models aggregated(A const& aggregator) {
  Models out;
  State<A> state{};
  auto ranker = ranker_of(global);
  for (std::uint64_t round = 0; round < 3; ++round) {
    auto const sent = messages_of(models(10, 100 + round));
    std::span<ClientMessage<LocalWeights> const> const messages(sent);
    if constexpr (Streaming<A>)
      fltr::aggregate(aggregator, sum_messages(aggregator, messages, std::as_const(ranker)), ranker, state);
    else
      fltr::aggregate(aggregator, messages, ranker, state);
    auto const weights = std::as_const(ranker).parameters();
    out.emplace_back(weights.begin(), weights.end());
  }
  return out;
}

AnyAggregator any(AggregatorKind kind, MixKind mix = MixKind::none) {
  return {.rule = {.kind = kind, .malicious = 2, .radius = 0.7}, .mix = mix, .bound = 0.8, .seed = 3};
}

AnyAttack attack(AttackKind kind, KnowledgeKind knowledge, AnyAggregator const& defence = {}) {
  return {.malicious = MaliciousClients::first(3), .kind = kind, .knowledge = knowledge, .defence = defence};
}

Models const mine = models(3, 1);
Models const others = models(7, 2);

Models sent_by(AnyAttack const& chosen) { return poisoned(chosen, mine, others, global); }
template <class A>
Models sent_by(A const& library) {
  return poisoned(library, mine, others, global);
}

}  // namespace

TEST_CASE("A chosen aggregator has the bits of the aggregator itself") {
  using enum AggregatorKind;
  CHECK(aggregated(any(fedavg)) == aggregated(FedAvg{}));
  CHECK(aggregated(any(krum)) == aggregated(Krum{.malicious = 2}));
  CHECK(aggregated(any(multi_krum)) == aggregated(MultiKrum{.malicious = 2}));
  CHECK(aggregated(any(trimmed_mean)) == aggregated(TrimmedMean{.malicious = 2}));
  CHECK(aggregated(any(median)) == aggregated(Median{.malicious = 2}));
  CHECK(aggregated(any(geometric_median)) == aggregated(GeometricMedian{.malicious = 2}));
  CHECK(aggregated(any(bulyan)) == aggregated(Bulyan{.malicious = 2}));
  CHECK(aggregated(any(centered_clipping)) == aggregated(CenteredClipping{.radius = 0.7}));
  CHECK(aggregated(any(mda)) == aggregated(MinimumDiameter{.malicious = 2}));
  CHECK(aggregated(any(meamed)) == aggregated(Meamed{.malicious = 2}));
  CHECK(aggregated(any(fl_detector)) == aggregated(FlDetector<>{}));
  CHECK(aggregated(any(on_alarm)) == aggregated(OnAlarm<FlDetector<>, MultiKrum>{.aggregator = {.malicious = 2}}));
}

TEST_CASE("A chosen mix has the bits of the wrapper itself") {
  using enum AggregatorKind;
  CHECK(aggregated(any(krum, MixKind::nnm)) == aggregated(NearestNeighborMixing{Krum{.malicious = 2}, 2}));
  CHECK(aggregated(any(median, MixKind::bucketing)) == aggregated(Bucketing<Median>{{.malicious = 2}, 2, 3}));
  CHECK(aggregated(any(fedavg, MixKind::norm_bound)) == aggregated(NormBound<FedAvg>{.bound = 0.8}));
  CHECK(aggregated(any(fedavg, MixKind::norm_bound)) != aggregated(FedAvg{}));
}

TEST_CASE("Minimum messages are those of the aggregator and its wrapper") {
  using enum AggregatorKind;
  CHECK(any(fedavg).minimum_messages() == 1);
  CHECK(any(krum).minimum_messages() == 5);
  CHECK(any(bulyan).minimum_messages() == 9);
  CHECK(any(bulyan, MixKind::bucketing).minimum_messages() == 17);
  CHECK(any(fedavg, MixKind::nnm).minimum_messages() == 3);
}

TEST_CASE("A chosen attack has the bits of the attack itself") {
  using enum AttackKind;
  constexpr auto full = KnowledgeKind::full;
  constexpr auto partial = KnowledgeKind::partial;
  for (AttackKind const kind : {none, click_poisoning, promote}) CHECK(sent_by(attack(kind, full)) == mine);
  CHECK(sent_by(attack(little_is_enough, full)) == sent_by(LittleIsEnough{}));
  CHECK(sent_by(attack(inversion, full)) == sent_by(Inversion{}));
  CHECK(sent_by(attack(sign_flip, full)) == sent_by(SignFlip<FullKnowledge>{}));
  CHECK(sent_by(attack(sign_flip, partial)) == sent_by(SignFlip<PartialKnowledge>{}));
  CHECK(sent_by(attack(min_max, full)) == sent_by(MinMax<FullKnowledge>{}));
  CHECK(sent_by(attack(min_sum, partial)) == sent_by(MinSum<PartialKnowledge>{}));
  CHECK(sent_by(attack(inner_product, full)) == sent_by(InnerProduct<FullKnowledge>{}));
  CHECK(sent_by(attack(mimic, partial)) == sent_by(Mimic<PartialKnowledge>{}));
}

TEST_CASE("Fang and dyn-opt simulate the deployed defence") {
  using enum AggregatorKind;
  constexpr auto full = KnowledgeKind::full;
  constexpr auto partial = KnowledgeKind::partial;
  auto const fang_on = [](AggregatorKind kind, KnowledgeKind knowledge, MixKind mix = MixKind::none) {
    return sent_by(attack(AttackKind::fang, knowledge, any(kind, mix)));
  };
  auto const dyn_opt_on = [](AggregatorKind kind, KnowledgeKind knowledge, MixKind mix = MixKind::none) {
    return sent_by(attack(AttackKind::dyn_opt, knowledge, any(kind, mix)));
  };
  CHECK(fang_on(krum, full) == sent_by(Fang<Krum, FullKnowledge>{.rule = {.malicious = 2}}));
  CHECK(fang_on(multi_krum, partial) == sent_by(Fang<MultiKrum, PartialKnowledge>{.rule = {.malicious = 2}}));
  CHECK(fang_on(on_alarm, full) == fang_on(multi_krum, full));
  CHECK(fang_on(median, full) == sent_by(Fang<Median, FullKnowledge>{.rule = {.malicious = 2}}));
  CHECK(fang_on(fedavg, full) == fang_on(trimmed_mean, full));
  CHECK(fang_on(krum, full, MixKind::nnm) ==
        sent_by(Fang<NearestNeighborMixing<Krum>, FullKnowledge>{.rule = {{.malicious = 2}, 2}}));
  CHECK(dyn_opt_on(mda, full) == sent_by(DynOpt<MinimumDiameter, FullKnowledge>{.rule = {.malicious = 2}}));
  CHECK(dyn_opt_on(trimmed_mean, partial) == sent_by(DynOpt<TrimmedMean, PartialKnowledge>{.rule = {.malicious = 2}}));
  CHECK(dyn_opt_on(fedavg, full) == dyn_opt_on(fl_detector, full));
  CHECK(dyn_opt_on(krum, full, MixKind::bucketing) == dyn_opt_on(krum, full));
}

TEST_CASE("Attackers with partial knowledge do not see the messages of the others") {
  Models const elsewhere = models(7, 99);
  for (auto const& [name, kind] : attack_names()) {
    INFO(name);
    auto const blind = attack(kind, KnowledgeKind::partial, any(AggregatorKind::krum));
    CHECK(poisoned(blind, mine, others, global) == poisoned(blind, mine, elsewhere, global));
    if (!has_knowledge(kind)) continue;
    auto const seeing = attack(kind, KnowledgeKind::full, any(AggregatorKind::median));
    CHECK(poisoned(seeing, mine, others, global) != poisoned(seeing, mine, elsewhere, global));
  }
}

TEST_CASE("Malicious users click by the poison table or by the pattern of features, the others as usual") {
  AnyAttack chosen{.users = {CascadeModel::poison(3)}};
  AnyClicks const honest{CascadeModel::perfect(3)};
  for (auto const& [name, kind] : attack_names()) {
    chosen.kind = kind;
    bool const by_clicks = kind == AttackKind::click_poisoning || kind == AttackKind::promote;
    CHECK(&chosen.clicks(honest) == (by_clicks ? &chosen.users : &honest));
  }
  Dataset const data = fltr::testing::toy_dataset(1, 6, 2);
  std::vector<std::uint32_t> const order{3, 0, 5};
  std::vector<Grade> grades;
  for (auto const document : order) grades.push_back(data[0].grades()[document]);
  DisplayedList const list(data[0], order, grades);
  float const limit = data[0].row(0)[1];
  AnyClicks const promoting{CascadeModel::perfect(3), {{{.feature = 1, .low = limit}}}};
  std::vector<std::uint8_t> clicks(3);
  Stream stream(1);
  promoting.click(list, clicks, stream);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(clicks[i] == (data[0].row(order[i])[1] >= limit ? 1 : 0));
}

TEST_CASE("Trainings with FedAvg and without malicious clients have the bits of FPDGD") {
  Dataset const data = fltr::testing::toy_dataset();
  auto const clients = split_iid(data, {.clients = 37, .interactions = 2});  // three blocks of the reduction tree
  auto plain = fpdgd(LinearRanker(5), CascadeModel::informational(3)).start(clients, {.seed = 7});
  plain.run(5);
  auto const weights = std::as_const(plain.ranker()).parameters();
  auto const federation =
      make_federation(LinearRanker(5), AnyClicks{CascadeModel::informational(3)}, Pdgd{}, AnyAggregator{})
          .with_attack(AnyAttack{});
  for (auto const& [name, kind] : attack_names()) {
    INFO(name);
    AnyAttack none = attack(kind, KnowledgeKind::full);
    none.malicious = {};
    none.users = {CascadeModel::poison(3)};
    auto training = federation.with_attack(none).start(clients, {.seed = 7});
    training.run(5);
    CHECK(std::ranges::equal(std::as_const(training.ranker()).parameters(), weights));
    AnyAttack some = none;
    some.malicious = MaliciousClients::first(9);
    auto attacked = federation.with_attack(some).start(clients, {.seed = 7});
    attacked.run(5);
    CHECK(std::ranges::equal(std::as_const(attacked.ranker()).parameters(), weights) == (kind == AttackKind::none));
  }
}
