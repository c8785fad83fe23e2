// The attacks against tests/golden/attacks.txt: values of published implementations and of formulas.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
