// Properties of all attacks that change messages, and of single ones, without a federation.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/aggregators/bulyan.hpp>
#include <fltr/aggregators/minimum_diameter.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/norm_bound.hpp>

#include "support/all_attacks.hpp"
#include "support/catch.hpp"
#include "support/poisoned.hpp"

namespace {

using namespace fltr;
using fltr::testing::for_each_attack;
using fltr::testing::Models;
using fltr::testing::poisoned;

constexpr float largest = std::numeric_limits<float>::max();

Models random_models(std::size_t n, std::size_t d, Stream& stream, double scale = 1.0, double centre = 0.0) {
  Models out(n, std::vector<float>(d));
  for (auto& model : out)
    for (float& v : model) v = static_cast<float>(centre + scale * stream.normal());
  return out;
}

bool all_finite(Models const& models) {
  return std::ranges::all_of(
      models, [](auto const& m) { return std::ranges::all_of(m, [](float v) { return std::isfinite(v); }); });
}

double squared_distance(std::vector<float> const& a, std::vector<float> const& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::pow(static_cast<double>(a[k]) - static_cast<double>(b[k]), 2);
  return sum;
}

/// Calls check(name, attack, partial) for every attack, with both kinds of knowledge.
void with_all(std::size_t attackers, auto const& check) {
  auto const malicious = MaliciousClients::first(attackers);
  for_each_attack<PartialKnowledge>(malicious, attackers, check);
  for_each_attack<FullKnowledge>(malicious, attackers, check);
}

}  // namespace

TEST_CASE("An attack takes the honest messages if and only if it has FullKnowledge") {
  auto const check = [](bool full) {
    return [full](char const*, auto const& attack) {
      using A = std::remove_cvref_t<decltype(attack)>;
      CHECK(composition::OmniscientAttack<A, LocalWeights, LinearRanker> == full);
      CHECK(composition::ColludingAttack<A, LocalWeights, LinearRanker> == !full);
    };
  };
  for_each_attack<PartialKnowledge>({}, 1, check(false));
  for_each_attack<FullKnowledge>({}, 1, check(true));
}

TEST_CASE("Models are finite: few and many attackers, equal models, one parameter, huge values") {
  Stream stream(7);
  for (std::size_t const d : {1U, 3U, 46U})
    for (std::size_t const n : {2U, 3U, 4U, 10U})
      for (std::size_t m = 1; m <= n; ++m) {
        if (m != 1 && m != n / 2 && m + 1 < n) continue;
        auto const global = random_models(1, d, stream)[0];
        Models const same(n, std::vector<float>(d, 0.25F));
        Models const huge(n, std::vector<float>(d, largest));
        Models mixed = random_models(n, d, stream, 1e38);
        for (auto& model : mixed)
          for (float& v : model)
            if (!std::isfinite(v)) v = -largest;
        for (Models const& all : {random_models(n, d, stream), same, huge, mixed}) {
          Models const mine(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m));
          Models const others(all.begin() + static_cast<std::ptrdiff_t>(m), all.end());
          with_all(m, [&](std::string const& name, auto const& attack) {
            CAPTURE(name, n, m, d);
            auto const sent = poisoned(attack, mine, others, global, n);
            CHECK(all_finite(sent));
            for (auto const& model : sent) CHECK(model.size() == d);
          });
        }
      }
}

TEST_CASE("A model that is not finite is no part of what attackers know") {
  Stream stream(9);
  auto const others = random_models(6, 5, stream);
  auto mine = random_models(3, 5, stream);
  auto const without = Models{mine[0], mine[1]};
  mine.push_back(std::vector<float>(5, std::numeric_limits<float>::quiet_NaN()));
  mine[2][3] = std::numeric_limits<float>::infinity();
  std::vector<float> const global(5, 0.1F);
  MinMax<PartialKnowledge> const attack{};
  CHECK(poisoned(attack, mine, {}, global)[3] == poisoned(attack, without, {}, global)[1]);
  with_all(4, [&](std::string const& name, auto const& one) {
    CAPTURE(name);
    // These attackers can send values of their own model.
    if (name == "Inversion" || name == "SignFlip, own" || name == "Mimic, client 0" || name.starts_with("Fang")) return;
    CHECK(all_finite(poisoned(one, mine, others, global)));
  });
  // Without any finite model there is nothing to craft from: the messages stay as they are and the server rejects them.
  Models const broken(2, std::vector<float>(5, std::numeric_limits<float>::quiet_NaN()));
  for_each_attack<PartialKnowledge>(
      {}, 2, [&](std::string const&, auto const& one) { CHECK_FALSE(all_finite(poisoned(one, broken, {}, global))); });
}

TEST_CASE("Messages of another size than the ranker are an error") {
  with_all(1, [&](std::string const& name, auto const& attack) {
    if (name == "Inversion") return;
    CHECK_THROWS_WITH(
        poisoned(attack, {{1.0F, 2.0F}}, {{1.0F, 2.0F}}, {0.0F, 0.0F, 0.0F}),
        ContainsSubstring("required messages of 3 values, one per shared parameter of the ranker, got 2"));
  });
}

TEST_CASE("One attacker alone with PartialKnowledge has no spread to use") {
  Models const mine{{0.5F, -1.0F, 2.0F}};
  std::vector<float> const global{0.25F, 0.25F, 0.25F};
  for (Perturbation const p : {Perturbation::unit_vector, Perturbation::sign, Perturbation::standard_deviation}) {
    CHECK(poisoned(MinMax<PartialKnowledge>{{}, p}, mine, {}, global, 10) == mine);
    CHECK(poisoned(MinSum<PartialKnowledge>{{}, p, GammaSearch::exact}, mine, {}, global, 10) == mine);
  }
  CHECK(poisoned(LittleIsEnough{{}, 5.0}, mine, {}, global, 10) == mine);
  CHECK(poisoned(Mimic<PartialKnowledge>{}, mine, {}, global, 10) == mine);
  CHECK(poisoned(Fang<Median, PartialKnowledge>{}, mine, {}, global, 10) == mine);
  CHECK(poisoned(SignFlip<PartialKnowledge>{}, mine, {}, global, 10) == Models{{0.0F, 1.5F, -1.5F}});
  // Krum with one neighbour selects one of two crafted copies, which have the distance 0, so the first λ is accepted.
  // D = ‖(0.25, −1.25, 1.75)‖ and S = 0: the bound is D / √3.
  auto const lambda = static_cast<float>(std::sqrt((0.0625 + 1.5625 + 3.0625) / 3.0));
  auto const sent = poisoned(Fang<Krum, PartialKnowledge>{}, mine, {}, global, 10)[0];
  CHECK(sent == std::vector<float>{0.25F - lambda, 0.25F + lambda, 0.25F - lambda});
}

TEST_CASE("Equal honest models: attacks that hide among them send the same model, and Fang gives up") {
  Models const mine(3, {1.0F, 2.0F});
  Models const others(7, {1.0F, 2.0F});
  std::vector<float> const global{0.0F, 0.0F};
  for (Perturbation const p : {Perturbation::unit_vector, Perturbation::sign, Perturbation::standard_deviation}) {
    CHECK(poisoned(MinMax<FullKnowledge>{{}, p}, mine, others, global) == mine);
    CHECK(poisoned(MinSum<FullKnowledge>{{}, p}, mine, others, global) == mine);
    CHECK(poisoned(DynOpt<Krum, FullKnowledge>{{}, {3}, p}, mine, others, global) == mine);
  }
  CHECK(poisoned(LittleIsEnough{}, mine, {}, global) == mine);
  CHECK(poisoned(Mimic<FullKnowledge>{}, mine, others, global) == mine);
  CHECK(poisoned(Fang<Krum, FullKnowledge>{{}, {3}}, mine, others, global) == mine);
  CHECK(poisoned(Fang<Krum, PartialKnowledge>{{}, {3}}, mine, {}, global) == mine);
}

TEST_CASE("MinMax stays within the largest honest distance and MinSum within its sum, and a larger gamma does not") {
  Stream stream(11);
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::size_t const n = 2 + stream.below(9);
    std::size_t const d = 1 + stream.below(20);
    auto const others = random_models(n, d, stream, 0.3, 1.0);
    auto const global = random_models(1, d, stream)[0];
    double diameter = 0.0;
    std::vector<double> sums(n);
    for (std::size_t i = 0; i < n; ++i)
      for (auto const& other : others) {
        sums[i] += squared_distance(others[i], other);
        diameter = std::max(diameter, squared_distance(others[i], other));
      }
    auto const furthest = [&](std::vector<float> const& model) {
      double out = 0.0;
      for (auto const& other : others) out = std::max(out, squared_distance(model, other));
      return out;
    };
    auto const total = [&](std::vector<float> const& model) {
      double out = 0.0;
      for (auto const& other : others) out += squared_distance(model, other);
      return out;
    };
    for (Perturbation const p : {Perturbation::unit_vector, Perturbation::sign, Perturbation::standard_deviation}) {
      for (GammaSearch const search : {GammaSearch::stepwise, GammaSearch::exact}) {
        double const reach = search == GammaSearch::exact ? 1e-4 : 1e-3;  // the search ends 2e-5 below the largest γ
        auto const max_sent = poisoned(MinMax<FullKnowledge>{{}, p, search}, others, others, global)[0];
        CHECK(furthest(max_sent) <= diameter * (1.0 + 1e-5));
        CHECK(furthest(max_sent) >= diameter * (1.0 - reach));
        auto sum = MinSum<FullKnowledge>{{}, p, search};
        CHECK_THAT(total(poisoned(sum, others, others, global)[0]),
                   Catch::Matchers::WithinRel(*std::ranges::min_element(sums), reach));
        sum.bound = SumBound::largest;
        CHECK_THAT(total(poisoned(sum, others, others, global)[0]),
                   Catch::Matchers::WithinRel(*std::ranges::max_element(sums), reach));
      }
    }
  }
}

TEST_CASE("Attacks that reverse the update move with the models; those that reverse the model do not") {
  Stream stream(12);
  auto const others = random_models(5, 4, stream);
  auto const mine = random_models(2, 4, stream);
  auto const global = random_models(1, 4, stream)[0];
  auto const shifted = [](Models models) {
    for (auto& model : models)
      for (float& v : model) v += 4.0F;
    return models;
  };
  auto const moves = [&](auto const& attack) {
    auto const here = shifted(poisoned(attack, mine, others, global));
    auto const there = poisoned(attack, shifted(mine), shifted(others), shifted({global})[0]);
    double difference = 0.0;
    for (std::size_t k = 0; k < 4; ++k)
      difference = std::max(difference, std::abs(static_cast<double>(here[0][k]) - static_cast<double>(there[0][k])));
    return difference < 1e-4;
  };
  CHECK(moves(SignFlip<FullKnowledge>{}));
  CHECK(moves(InnerProduct<FullKnowledge>{.tau = 0.5}));
  CHECK(moves(LittleIsEnough{{}, 1.5}));
  CHECK(moves(MinMax<FullKnowledge>{}));
  CHECK(moves(MinSum<FullKnowledge>{{}, Perturbation::sign}));
  CHECK(moves(Fang<Krum, FullKnowledge>{{}, {2}}));
  CHECK(moves(DynOpt<Krum, FullKnowledge>{{}, {2}}));
  CHECK(moves(Mimic<FullKnowledge>{}));
  CHECK_FALSE(moves(SignFlip<FullKnowledge>{.reversed = Reversed::model}));
  CHECK_FALSE(moves(InnerProduct<FullKnowledge>{.reversed = Reversed::model}));
}

TEST_CASE("Mimic: a client without a message leaves honest models; the direction is that of most variance") {
  Models const mine{{0.0F, 0.0F}, {1.0F, 1.0F}};
  // Feature 0 has the larger variance; the third honest model is furthest in it, the last one in feature 1.
  Models const others{{-1.0F, 0.0F}, {-2.0F, 0.0F}, {5.0F, 0.1F}, {-1.0F, 0.2F}, {-1.0F, -2.5F}};
  std::vector<float> const global{0.0F, 0.0F};
  CHECK(poisoned(Mimic<FullKnowledge>{}, mine, others, global) == Models(2, others[2]));
  CHECK(poisoned(Mimic<FullKnowledge>{.client = 6}, mine, others, global) == Models(2, others[4]));
  CHECK(poisoned(Mimic<FullKnowledge>{.client = 99}, mine, others, global) == mine);
  CHECK(poisoned(Mimic<PartialKnowledge>{.client = 1}, mine, {}, global) == Models(2, mine[1]));
  CHECK(poisoned(Mimic<PartialKnowledge>{.client = 6}, mine, {}, global) == mine);
  // The longest difference (0, 3) is orthogonal to the direction of most variance.
  Models const cross{{2.0F, 0.0F}, {-2.0F, 0.0F}, {2.0F, 0.0F}, {-2.0F, 0.0F},
                     {2.5F, 0.0F}, {-2.5F, 0.0F}, {0.0F, 3.0F}, {0.0F, -3.0F}};
  CHECK(poisoned(Mimic<FullKnowledge>{}, mine, cross, global) == Models(2, cross[4]));
}

TEST_CASE("Fang with FullKnowledge is selected by Krum and MultiKrum, with the largest lambda of the halvings") {
  Stream stream(13);
  std::size_t selected = 0;
  std::size_t halved = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::size_t const m = 1 + stream.below(4);
    auto const all = random_models(10, 8, stream, 0.1);
    Models const mine(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m));
    Models const others(all.begin() + static_cast<std::ptrdiff_t>(m), all.end());
    std::vector<float> const global(8, 0.0F);
    auto const check = [&](auto const& rule, auto const& attack) {
      auto const sent = poisoned(attack, mine, others, global);
      if (sent == mine) return;
      MessageRows rows(10, 8);
      for (std::size_t i = 0; i < 10; ++i) std::ranges::copy(i < m ? sent[i] : others[i - m], rows.row(i).begin());
      auto const chosen = rule.select(rows, global);
      CHECK(std::ranges::any_of(chosen, [&](std::size_t i) { return i < m; }));
      ++selected;
      // With twice this lambda no crafted model is selected, or it is above the first lambda, the bound.
      MessageRows honest(10 - m, 8);
      for (std::size_t i = m; i < 10; ++i) std::ranges::copy(rows.row(i), honest.row(i - m).begin());
      double const first = detail::fang_bound(honest, m, global);
      if (2.0 * static_cast<double>(std::abs(sent[0][0])) > first * (1.0 + 1e-6)) return;
      for (std::size_t i = 0; i < m; ++i)
        for (float& v : rows.row(i)) v *= 2.0F;
      CHECK(std::ranges::none_of(rule.select(rows, global), [&](std::size_t i) { return i < m; }));
      ++halved;
    };
    check(Krum{m}, Fang<Krum, FullKnowledge>{{}, {m}});
    check(MultiKrum{m}, Fang<MultiKrum, FullKnowledge>{{}, {m}});
    // The attackers simulate the bound, too: updates of honest clients have a length of about 0.28.
    check(NormBound{Krum{m}, 0.3}, Fang<NormBound<Krum>, FullKnowledge>{{}, {{m}, 0.3}});
  }
  CHECK(selected > 135);  // of 150
  CHECK(halved > 20);
}

TEST_CASE("DynOpt: Krum selects crafted models, and a trimmed mean moves further than by sign flipping") {
  Stream stream(14);
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::size_t const m = 2 + stream.below(3);
    auto const all = random_models(12, 6, stream, 0.2, 0.5);
    Models const mine(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m));
    Models const others(all.begin() + static_cast<std::ptrdiff_t>(m), all.end());
    std::vector<float> const global(6, 0.0F);
    auto const rows_with = [&](Models const& sent) {
      MessageRows rows(12, 6);
      for (std::size_t i = 0; i < 12; ++i) std::ranges::copy(i < m ? sent[i] : others[i - m], rows.row(i).begin());
      return rows;
    };
    for (Perturbation const p : {Perturbation::unit_vector, Perturbation::sign, Perturbation::standard_deviation}) {
      auto const sent = poisoned(DynOpt<Krum, FullKnowledge>{{}, {m}, p}, mine, others, global);
      CHECK(Krum{m}.select(rows_with(sent))[0] < m);
      std::vector<float> mean(6);
      for (auto const& model : others)
        for (std::size_t k = 0; k < 6; ++k) mean[k] += model[k] / static_cast<float>(others.size());
      auto const moved = [&](Models const& crafted) {
        return squared_distance(TrimmedMean{m}.combine(rows_with(crafted), global), mean);
      };
      auto const crafted = poisoned(DynOpt<TrimmedMean, FullKnowledge>{{}, {m}, p}, mine, others, global);
      CHECK(moved(crafted) > 0.0);
      if (p == Perturbation::unit_vector)
        CHECK(moved(crafted) >= 0.999 * moved(poisoned(SignFlip<FullKnowledge>{}, mine, others, global)));
    }
  }
}

TEST_CASE("DynOpt: MultiKrum averages all crafted models, and they are not the mean") {
  Stream stream(15);
  auto const all = random_models(10, 6, stream, 0.2, 0.5);
  Models const mine(all.begin(), all.begin() + 2);
  Models const others(all.begin() + 2, all.end());
  std::vector<float> const global(6, 0.0F);
  auto const sent = poisoned(DynOpt<MultiKrum, FullKnowledge>{{}, {2}}, mine, others, global);
  MessageRows rows(10, 6);
  for (std::size_t i = 0; i < 10; ++i) std::ranges::copy(i < 2 ? sent[i] : others[i - 2], rows.row(i).begin());
  auto const chosen = MultiKrum{2}.select(rows);
  CHECK((chosen[0] == 0 && chosen[1] == 1 && chosen.size() == 8));
  CHECK(sent != poisoned(DynOpt<MultiKrum, FullKnowledge>{{}, {2}, {}, 1e-5, 1e-5}, mine, others, global));
}

namespace {

/// The mean of the models with the weights max(0, 1 − x² / 9). It records how far it is from 1.
struct FadingMean {
  std::vector<double>* moved = nullptr;
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    double sum = 0.0;
    double weights = 0.0;
    for (std::size_t i = 0; i < rows.clients(); ++i) {
      auto const x = static_cast<double>(rows.row(i)[0]);
      double const weight = std::max(0.0, 1.0 - x * x / 9.0);
      sum += weight * x;
      weights += weight;
    }
    moved->push_back(std::abs(sum / weights - 1.0));
    return {static_cast<float>(sum / weights)};
  }
  [[nodiscard]] std::size_t minimum_messages() const { return 1; }
  [[nodiscard]] bool guaranteed(std::size_t) const { return false; }
};
static_assert(RobustRule<FadingMean> && !SelectingRule<FadingMean>);

}  // namespace

TEST_CASE("DynOpt sends the model of its search that moves a rule without selection furthest") {
  std::vector<double> moved;
  Models const others(4, {1.0F});
  // Crafted models below −3 have the weight 0, so the first steps, 1 − 10 and 1 − 5, move nothing.
  auto const sent = poisoned(DynOpt<FadingMean, FullKnowledge>{{}, {&moved}}, {{0.5F}}, others, {0.0F});
  double const best = *std::ranges::max_element(moved);
  MessageRows rows(5, 1);
  for (std::size_t i = 0; i < 5; ++i) rows.row(i)[0] = i == 0 ? sent[0][0] : 1.0F;
  static_cast<void>(FadingMean{&moved}.combine(rows, {}));
  CHECK(moved.back() == best);
  // With w = 1 − x² / 9, a crafted x moves the mean by (1 − x) w / (4 · 8 / 9 + w): at most 0.4359, at x = −1.55.
  CHECK_THAT(best, Catch::Matchers::WithinAbs(0.4359, 1e-3));
}

TEST_CASE("Attackers simulate other rules and wrapped rules, also with fewer models than the server's rule needs") {
  Stream stream(16);
  auto const mine = random_models(3, 5, stream);
  auto const others = random_models(12, 5, stream);
  std::vector<float> const global(5, 0.0F);
  auto const changes = [&](auto const& attack) { return poisoned(attack, mine, others, global, 15) != mine; };
  NearestNeighborMixing<Krum> const mixed{Krum{3, {}, {}, true}, 3};
  CHECK(mixed.minimum_messages() == 9);
  CHECK(changes(DynOpt<NearestNeighborMixing<Krum>, PartialKnowledge>{{}, mixed}));
  CHECK(changes(DynOpt<NearestNeighborMixing<Krum>, FullKnowledge>{{}, mixed}));
  CHECK(changes(Fang<Bulyan, PartialKnowledge>{{}, {.malicious = 3, .strict = true}}));
  CHECK(changes(Fang<MultiKrum, PartialKnowledge>{{}, {.malicious = 3, .averaged = 12}}));
  CHECK(changes(DynOpt<MultiKrum, PartialKnowledge>{{}, {.malicious = 3, .averaged = 12}}));
}

TEST_CASE("DynOpt with PartialKnowledge: a simulated rule that would accept everything gives no model") {
  Stream stream(17);
  std::vector<float> const global(46, 0.0F);
  for (int draw = 0; draw < 20; ++draw) {
    auto const all = random_models(10, 46, stream, 0.05, 0.5);
    Models const two(all.begin(), all.begin() + 2);
    Models const others(all.begin() + 2, all.end());
    // MultiKrum with one neighbour averages 2 of the 3 models: a crafted one is among them only if it is near.
    auto const near = poisoned(DynOpt<MultiKrum, PartialKnowledge>{{}, {2}}, two, others, global, 10);
    double const to_nearest = std::min(squared_distance(near[0], two[0]), squared_distance(near[0], two[1]));
    CHECK(to_nearest <= squared_distance(two[0], two[1]) * 1.001);
    // Bulyan cannot leave out any of 3 models, and of 2 models MinimumDiameter chooses the first, an honest one.
    CHECK(poisoned(DynOpt<Bulyan, PartialKnowledge>{{}, {2}}, two, others, global, 10) == two);
    Models const one(all.begin(), all.begin() + 1);
    CHECK(poisoned(DynOpt<MinimumDiameter, PartialKnowledge>{{}, {1}}, one, others, global, 10) == one);
  }
}

TEST_CASE("LittleIsEnough: z of small, equal and majority groups") {
  CHECK_THAT(LittleIsEnough::largest_z(50, 12), Catch::Matchers::WithinAbs(0.3360, 5e-5));
  CHECK(LittleIsEnough::largest_z(10, 2) == 0.0);
  CHECK(LittleIsEnough::largest_z(10, 9) == LittleIsEnough::largest_z(10, 10));
  CHECK_THAT(LittleIsEnough::largest_z(10, 6), Catch::Matchers::WithinAbs(1.6449, 1e-4));  // Φ⁻¹(0.95)
  for (std::uint64_t n = 1; n < 40; ++n)
    for (std::uint64_t m = 1; m <= n; ++m) {
      CHECK(std::isfinite(LittleIsEnough::largest_z(n, m)));
      if (m > 1) CHECK(LittleIsEnough::largest_z(n, m) >= LittleIsEnough::largest_z(n, m - 1));
    }
  CHECK_THROWS_AS(LittleIsEnough::largest_z(10, 0), std::invalid_argument);
  CHECK_THROWS_AS(LittleIsEnough::largest_z(10, 11), std::invalid_argument);
}

TEST_CASE("Parameters that are not usable are an error") {
  Models const mine(2, {1.0F, 2.0F});
  std::vector<float> const global{0.0F, 0.0F};
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const message = [&](auto const& attack, std::string const& text) {
    CHECK_THROWS_WITH(poisoned(attack, mine, mine, global), text);
  };
  message(LittleIsEnough{{}, nan}, "LittleIsEnough: required a finite z, got nan");
  message(InnerProduct<FullKnowledge>{{}, nan}, "InnerProduct: required a finite tau, got nan");
  message(MinMax<FullKnowledge>{.gamma_init = -1.0}, "MinMax: required a finite gamma_init > 0, got -1");
  message(MinSum<FullKnowledge>{.threshold = 0.0}, "MinSum: required a finite threshold > 0, got 0");
  message(DynOpt<Median, FullKnowledge>{.threshold = nan}, "DynOpt: required a finite threshold > 0, got nan");
  message(Fang<Krum, FullKnowledge>{.lambda = 0.0}, "Fang: required a finite lambda > 0, got 0");
  message(Fang<Krum, FullKnowledge>{.smallest_lambda = 0.0}, "Fang: required a finite smallest_lambda > 0, got 0");
  message(Fang<Median, FullKnowledge>{.stretch = 1.0}, "Fang: required a finite stretch > 1, got 1");
}
