#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/perturbed_mean.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/perturbation.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// Min-max (Shejwalkar and Houmansadr 2021): all attackers send μ − γp with the largest γ such that no honest model is
/// further from it than the two honest models that are furthest from each other. It assumes no aggregation rule. With
/// PartialKnowledge the attackers' own models take the place of the honest ones; one attacker alone sends its honest
/// model. Cost: n² d / 2 for the distances of n honest models.
template <Knowledge K>
struct MinMax {
  MaliciousClients malicious{};
  Perturbation perturbation = Perturbation::unit_vector;
  GammaSearch search = GammaSearch::stepwise;
  double gamma_init = 10.0;
  double threshold = 1e-5;

  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, PartialKnowledge>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const&) const {
    craft(mine, {}, shared_parameters(global));
  }
  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, FullKnowledge>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const&) const {
    craft(mine, others, shared_parameters(global));
  }

 private:
  template <class M>
  void craft(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others,
             std::span<float const> global) const {
    auto const known = detail::known_models("MinMax", mine, others, global.size());
    if (known.empty()) return;
    MessageRows const& honest = known.honest().rows;
    auto const crafted = detail::perturbed_mean(honest, global, perturbation);
    detail::CraftedDistances const distances(honest, crafted);
    auto const pairs = detail::squared_model_distances(honest);
    double const bound = *std::ranges::max_element(pairs);
    double const gamma = search == GammaSearch::exact
                             ? distances.gamma_of_largest(bound)
                             : detail::largest_accepted("MinMax", gamma_init, threshold,
                                                        [&](double g) { return distances.largest(g) <= bound; });
    detail::send_all(mine, std::span<double const>(crafted.at(gamma)));
  }
};
static_assert(Attack<MinMax<FullKnowledge>> && Attack<MinMax<PartialKnowledge>>);

}  // namespace fltr
