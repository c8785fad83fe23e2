// The attacks against tests/golden/attacks.txt: values of published implementations and of formulas. All 34 cases are
// covered, except for parts of three of them:
//   - mimic_variance_direction: the direction of round 1 is a running mean over rounds. An Attack keeps nothing between
//     rounds, so only the client that is copied in each round is compared. The direction of round 0 is one power
//     iteration from a given start, which is tested with the functions of Mimic.
//   - fang_krum of FLDetector, full knowledge: attackers after the first add noise of norm 0.01. Ours send the model of
//     the first.
//   - fang_krum of FLDetector and NDSS21: other first values of lambda are options (`lambda`, `copies`,
//     `FangDirection::rule`), their formulas are not in the library.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/attacks/fang.hpp>
#include <fltr/attacks/inner_product.hpp>
#include <fltr/attacks/little_is_enough.hpp>
#include <fltr/attacks/mimic.hpp>
#include <fltr/attacks/min_max.hpp>
#include <fltr/attacks/min_sum.hpp>
#include <fltr/attacks/sign_flip.hpp>

#include "support/attack_cases.hpp"
#include "support/catch.hpp"

namespace {

using namespace fltr;
using fltr::testing::AttackCase;
using fltr::testing::Models;
using fltr::testing::poisoned;

/// The cases of an attack. Fails if their number is not the expected one.
std::vector<AttackCase> cases_of(std::string const& attack, std::size_t expected) {
  std::vector<AttackCase> out;
  for (auto const& one : fltr::testing::read_attack_cases())
    if (one.attack == attack) out.push_back(one);
  REQUIRE(out.size() == expected);
  return out;
}

void check_close(std::vector<float> const& model, std::vector<double> const& expected) {
  REQUIRE(model.size() == expected.size());
  for (std::size_t k = 0; k < model.size(); ++k)
    CHECK_THAT(static_cast<double>(model[k]), Catch::Matchers::WithinRel(expected[k], 1e-5));
}

/// Models of attackers that a full-knowledge attack does not use: far from everything.
Models attackers(AttackCase const& one, std::size_t count) {
  return Models(count, std::vector<float>(one.size("parameters"), 1e6F));
}

Perturbation perturbation_of(AttackCase const& one) {
  auto const& name = one.word("perturbation");
  if (name == "unit_vec") return Perturbation::unit_vector;
  if (name == "sign") return Perturbation::sign;
  REQUIRE(name == "std");
  return Perturbation::standard_deviation;
}

}  // namespace

TEST_CASE("LittleIsEnough::largest_z gives the table of 28 pairs") {
  auto const table = cases_of("little_is_enough_z", 1).front();
  REQUIRE(table.list("expected.z").size() == 28);
  for (std::size_t i = 0; i < 28; ++i) {
    auto const n = static_cast<std::uint64_t>(table.list("expected.n")[i]);
    auto const m = static_cast<std::uint64_t>(table.list("expected.m")[i]);
    CAPTURE(n, m);
    CHECK_THAT(LittleIsEnough::largest_z(n, m), Catch::Matchers::WithinAbs(table.list("expected.z")[i], 1e-14));
  }
}

TEST_CASE("LittleIsEnough: population and sample deviation, below and above the mean") {
  auto const one = cases_of("little_is_enough", 1).front();
  auto const check = [&](LittleIsEnough const& attack, std::string const& key) {
    for (auto const& sent : poisoned(attack, one.rows(), {}, one.global(), one.size("n")))
      check_close(sent, one.list("expected." + key));
  };
  check({}, "mean_minus_z_population");
  check({.z = one.number("z")}, "mean_minus_z_population");
  check({.deviation = Deviation::sample}, "mean_minus_z_sample");
  check({.deviation = Deviation::sample, .shift = LittleShift::above}, "mean_plus_z_sample");
}

TEST_CASE("SignFlip, InnerProduct and Mimic of a fixed client") {
  for (auto const& one : cases_of("sign_flipping", 2)) {
    if (one.word("of") == "own row") {
      auto const row = one.size("row");
      for (Reversed const reversed : {Reversed::update, Reversed::model})
        check_close(poisoned(SignFlip<PartialKnowledge>{.flipped = FlippedModel::own, .reversed = reversed}, one.rows(),
                             {}, one.global())[row],
                    one.list("expected"));
    } else {
      check_close(poisoned(SignFlip<FullKnowledge>{}, attackers(one, 1), one.rows(), one.global())[0],
                  one.list("expected"));
      check_close(poisoned(SignFlip<PartialKnowledge>{}, one.rows(), {}, one.global())[0], one.list("expected"));
    }
  }
  for (auto const& one : cases_of("inner_product_manipulation", 3))
    check_close(
        poisoned(InnerProduct<FullKnowledge>{.tau = one.number("tau")}, attackers(one, 2), one.rows(), one.global())[1],
        one.list("expected"));
  for (auto const& one : cases_of("mimic", 2)) {
    auto const client = static_cast<ClientId>(2 + one.size("index"));  // the attackers are clients 0 and 1
    check_close(poisoned(Mimic<FullKnowledge>{.client = client}, attackers(one, 2), one.rows(), one.global())[0],
                one.list("expected"));
  }
}

TEST_CASE("MinMax and MinSum: the published search and the exact gamma") {
  auto const check = [](auto attack, AttackCase const& one, std::string const& suffix) {
    // The gamma of the case gives the model: mean − gamma · perturbation, and `expected` belongs to gamma_search.
    auto const rows = one.rows();
    auto const crafted = [&](double gamma) {
      MessageRows honest(rows.size(), rows[0].size());
      for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], honest.row(i).begin());
      return fltr::detail::perturbed_mean(honest, one.global(), perturbation_of(one)).at(gamma);
    };
    attack.perturbation = perturbation_of(one);
    attack.search = GammaSearch::stepwise;
    for (auto const& sent : poisoned(attack, attackers(one, one.size("m")), rows, one.global())) {
      check_close(sent, crafted(one.number("gamma_search" + suffix)));
      if (suffix.empty()) check_close(sent, one.list("expected"));
    }
    attack.search = GammaSearch::exact;
    check_close(poisoned(attack, attackers(one, 1), rows, one.global())[0],
                crafted(one.number("gamma_exact" + suffix)));
  };
  for (auto const& one : cases_of("min_max", 6)) check(MinMax<FullKnowledge>{}, one, "");
  for (auto const& one : cases_of("min_sum", 6)) {
    check(MinSum<FullKnowledge>{}, one, "");
    check(MinSum<FullKnowledge>{.bound = SumBound::largest}, one, "_with_largest_sum");
  }
}

TEST_CASE("Mimic copies the client furthest along the direction of most variance") {
  auto const one = cases_of("mimic_variance_direction", 1).front();
  std::size_t const n = one.size("clients");
  std::size_t const d = one.size("parameters");
  for (std::size_t round = 0; round < one.size("rounds"); ++round) {
    Models rows(n, std::vector<float>(d));
    MessageRows matrix(n, d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < d; ++k)
        rows[i][k] = matrix.row(i)[k] = static_cast<float>(one.list("input")[(round * n + i) * d + k]);
    auto const copied = static_cast<std::size_t>(one.list("expected.index")[round]);
    CHECK(poisoned(Mimic<FullKnowledge>{}, attackers(one, 2), rows, std::vector<float>(d))[1] == rows[copied]);
    if (round > 0) continue;
    auto const mean = fltr::detail::model_mean(matrix);
    auto const direction = fltr::detail::weighted_direction(
        matrix, mean, fltr::detail::projections(matrix, mean, one.list("start_direction")));
    for (std::size_t k = 0; k < d; ++k)
      CHECK_THAT(direction[k], Catch::Matchers::WithinRel(one.list("expected.direction")[k], 1e-12));
  }
}

TEST_CASE("Fang on Krum: the formula, and the forms of FLDetector and NDSS21 by options") {
  std::size_t formulas = 0;
  for (auto const& one : cases_of("fang_krum", 8)) {
    auto const& source = one.word("source");
    CAPTURE(source, one.word("knowledge"));
    auto const rows = one.rows();
    Krum rule{.malicious = one.lists.contains("m") ? one.size("m") : one.size("crafted_copies")};
    if (one.word("krum.distance") == "euclidean") rule.distance = KrumDistance::euclidean;
    bool const formula = source.starts_with("formula");
    formulas += formula ? 1 : 0;
    bool const ndss21 = source.starts_with("NDSS21");
    if (ndss21) rule.neighbours = KrumNeighbours::with_itself;
    auto const attack_with = [&](auto attack) {
      attack.rule = rule;
      attack.smallest_lambda = one.number("stop");
      if (!formula) attack.lambda = one.number("start");
      return attack;
    };
    Models sent;
    if (one.word("knowledge") == "partial") {
      auto attack = attack_with(Fang<Krum, PartialKnowledge>{});
      if (ndss21) attack.copies = one.size("crafted_copies");
      sent = poisoned(attack, rows, {}, one.global(), 10);
    } else {
      auto attack = attack_with(Fang<Krum, FullKnowledge>{});
      if (source.starts_with("FLDetector")) attack.direction = FangDirection::rule;
      // NDSS21 gives the honest rows only. Attackers with models of zeros leave the sign of the mean as it is.
      auto const m = static_cast<std::ptrdiff_t>(ndss21 ? 0 : one.size("m"));
      Models const mine = ndss21 ? Models(one.size("crafted_copies"), std::vector<float>(one.size("parameters")))
                                 : Models(rows.begin(), rows.begin() + m);
      sent = poisoned(attack, mine, Models(rows.begin() + m, rows.end()), one.global());
    }
    for (auto const& model : sent) check_close(model, one.list("expected"));
  }
  CHECK(formulas == 4);
}

TEST_CASE("The upper bound of Fang's lambda") {
  for (auto const& one : cases_of("fang_krum", 8)) {
    if (!one.lists.contains("bound.value")) continue;
    bool const partial = one.word("knowledge") == "partial";
    auto const rows = one.rows();
    std::size_t const skipped = partial ? 0 : one.size("m");
    MessageRows honest(rows.size() - skipped, rows[0].size());
    for (std::size_t i = skipped; i < rows.size(); ++i) std::ranges::copy(rows[i], honest.row(i - skipped).begin());
    CHECK_THAT(fltr::detail::fang_bound(honest, partial ? one.size("crafted_copies") : one.size("m"), one.global()),
               Catch::Matchers::WithinRel(one.number("bound.value"), 1e-12));
  }
}

TEST_CASE("Fang on a trimmed mean and a median: draws fill the intervals, far end and middle") {
  auto const check_draws = [](auto const& attack, Models const& mine, Models const& others, AttackCase const& one,
                              std::vector<double> const& interval) {
    std::size_t const d = one.size("parameters");
    std::vector<double> sums(d);
    double const draws = 200.0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      auto const sent = poisoned(attack, mine, others, one.global(), 10, seed);
      for (std::size_t k = 0; k < d; ++k) {
        double const width = interval[2 * k + 1] - interval[2 * k];
        for (auto const& model : sent) {
          CHECK(static_cast<double>(model[k]) >= interval[2 * k] - 1e-6);
          CHECK(static_cast<double>(model[k]) <= interval[2 * k + 1] + 1e-6);
        }
        CHECK(sent[0][k] != sent[1][k]);
        sums[k] += (static_cast<double>(sent[0][k]) - interval[2 * k]) / width;
      }
    }
    // The mean of 200 uniform numbers has the standard deviation 1 / √(12 · 200) = 0.0204; 5 of them are 0.102.
    for (double const sum : sums) CHECK_THAT(sum / draws, Catch::Matchers::WithinAbs(0.5, 0.102));
  };
  std::size_t covered = 0;
  for (auto const& one : cases_of("fang_trimmed_mean_median", 4)) {
    auto const rows = one.rows();
    auto const m = static_cast<std::ptrdiff_t>(one.size("m"));
    Models const mine(rows.begin(), rows.begin() + std::min<std::ptrdiff_t>(m, std::ssize(rows)));
    if (one.word("knowledge") == "partial") {
      Fang<Median, PartialKnowledge> attack{};
      check_draws(attack, mine, {}, one, one.list("interval_population"));
      if (one.lists.contains("interval_sample")) {
        attack.deviation = Deviation::sample;
        check_draws(attack, mine, {}, one, one.list("interval_sample"));
        attack.deviation = Deviation::population;
      }
      attack.value = FangValue::middle;
      if (one.lists.contains("expected"))
        for (auto const& sent : poisoned(attack, mine, {}, one.global(), 10)) check_close(sent, one.list("expected"));
    } else {
      // "all n rows": the extremes are those of all rows. Then all rows are also those of honest clients.
      bool const of_all = one.word("extremes_over").starts_with("all");
      Models const others(of_all ? rows.begin() : rows.begin() + m, rows.end());
      Fang<TrimmedMean, FullKnowledge> attack{};
      check_draws(attack, mine, others, one, one.list("interval"));
      attack.value = FangValue::far_end;
      if (one.lists.contains("expected"))
        for (auto const& sent : poisoned(attack, mine, others, one.global())) check_close(sent, one.list("expected"));
    }
    ++covered;
  }
  CHECK(covered == 4);
}
