#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/attacks/dyn_opt.hpp>
#include <fltr/attacks/fang.hpp>
#include <fltr/attacks/inner_product.hpp>
#include <fltr/attacks/inversion.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/little_is_enough.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/mimic.hpp>
#include <fltr/attacks/min_max.hpp>
#include <fltr/attacks/min_sum.hpp>
#include <fltr/attacks/perturbation.hpp>
#include <fltr/attacks/sign_flip.hpp>

namespace fltr::testing {

/// Calls f(name, attack) for the attacks that change messages, with this knowledge.
template <Knowledge K, class F>
void for_each_attack(MaliciousClients const& malicious, std::size_t assumed, F&& f) {
  if constexpr (std::same_as<K, PartialKnowledge>) {
    f("LittleIsEnough", LittleIsEnough{malicious});
    f("LittleIsEnough, z = 3", LittleIsEnough{malicious, 3.0});
    f("Inversion", Inversion{malicious});
  }
  f("SignFlip", SignFlip<K>{malicious});
  f("SignFlip, own", SignFlip<K>{malicious, FlippedModel::own});
  f("InnerProduct", InnerProduct<K>{malicious});
  f("Mimic", Mimic<K>{malicious});
  f("Mimic, client 0", Mimic<K>{malicious, 0});
  for (Perturbation const p : {Perturbation::unit_vector, Perturbation::sign, Perturbation::standard_deviation}) {
    f("MinMax", MinMax<K>{malicious, p});
    f("MinMax, exact", MinMax<K>{malicious, p, GammaSearch::exact});
    f("MinSum", MinSum<K>{malicious, p});
    f("DynOpt on Krum", DynOpt<Krum, K>{malicious, {assumed}, p});
    f("DynOpt on MultiKrum", DynOpt<MultiKrum, K>{malicious, {assumed}, p});
    f("DynOpt on TrimmedMean", DynOpt<TrimmedMean, K>{malicious, {assumed}, p});
  }
  f("Fang on Krum", Fang<Krum, K>{malicious, {assumed}});
  f("Fang on MultiKrum", Fang<MultiKrum, K>{malicious, {assumed}});
  f("Fang on Krum, direction of the rule", Fang<Krum, K>{malicious, {assumed}, FangDirection::rule});
  f("Fang on Median", Fang<Median, K>{malicious, {assumed}});
}

}  // namespace fltr::testing
