// same bits: 0f770b97633c6e0d
// flags: -ffp-contract=off
// optimisations: -O2
//
// The models that attackers send, over random honest models, for each attack that computes.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/attacks/dyn_opt.hpp>
#include <fltr/attacks/fang.hpp>
#include <fltr/attacks/inner_product.hpp>
#include <fltr/attacks/little_is_enough.hpp>
#include <fltr/attacks/mimic.hpp>
#include <fltr/attacks/min_max.hpp>
#include <fltr/attacks/min_sum.hpp>

#include "../support/poisoned.hpp"
#include "probe.hpp"

int main() {
  using namespace fltr;
  using fltr::testing::Models;
  Probe probe;
  Stream stream(21);
  auto const random = [&](std::size_t n, std::size_t d) {
    Models out(n, std::vector<float>(d));
    for (auto& model : out)
      for (float& v : model) v = static_cast<float>(0.1 + 0.3 * stream.normal());
    return out;
  };
  auto const add = [&](char const* name, auto const& attack) {
    for (std::size_t const d : {1U, 7U, 46U, 136U})
      for (std::size_t const m : {1U, 4U}) {
        auto const mine = random(m, d);
        auto const others = random(10 - m, d);
        auto const global = random(1, d)[0];
        for (auto const& model : testing::poisoned(attack, mine, others, global, 10))
          for (float const v : model) probe.add(v);
      }
    probe.part(name);
  };
  add("LittleIsEnough", LittleIsEnough{});
  add("InnerProduct", InnerProduct<FullKnowledge>{.tau = 0.3});
  add("Mimic", Mimic<FullKnowledge>{});
  for (Perturbation const p : {Perturbation::unit_vector, Perturbation::sign, Perturbation::standard_deviation}) {
    add("MinMax", MinMax<FullKnowledge>{{}, p});
    add("MinSum, exact", MinSum<PartialKnowledge>{{}, p, GammaSearch::exact});
    add("DynOpt on Krum", DynOpt<Krum, PartialKnowledge>{{}, {}, p});
    add("DynOpt on TrimmedMean", DynOpt<TrimmedMean, FullKnowledge>{{}, {}, p});
  }
  add("Fang on Krum", Fang<Krum, FullKnowledge>{});
  add("Fang on TrimmedMean", Fang<TrimmedMean, PartialKnowledge>{});
  probe.print();
}
