#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// The bound of MinSum. Each honest model has a sum of squared distances to the honest models.
enum class SumBound : std::uint8_t {
  smallest,  ///< the smallest of these sums (the published code)
  largest,   ///< the largest of these sums
};

/// Min-sum (Shejwalkar and Houmansadr 2021): all attackers send μ − γp with the largest γ such that the sum of squared
/// distances to the honest models is within `bound`. It assumes no aggregation rule. With PartialKnowledge the
/// attackers' own models take the place of the honest ones; one attacker alone sends its honest model. Cost: n² d / 2 for the
/// distances of n honest models.
template <Knowledge K>
struct MinSum {
  MaliciousClients malicious{};
  Perturbation perturbation = Perturbation::unit_vector;
  GammaSearch search = GammaSearch::stepwise;
  double gamma_init = 10.0;
  double threshold = 1e-5;
  SumBound bound = SumBound::smallest;

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
    auto const known = detail::known_models("MinSum", mine, others, global.size());
    if (known.empty()) return;
    MessageRows const& honest = known.honest().rows;
    auto const crafted = detail::perturbed_mean(honest, global, perturbation);
    detail::CraftedDistances const distances(honest, crafted);
    double const most = sum_bound(honest);
    double const gamma = search == GammaSearch::exact
                             ? distances.gamma_of_sum(most)
                             : detail::largest_accepted("MinSum", gamma_init, threshold,
                                                        [&](double g) { return distances.sum(g) <= most; });
    detail::send_all(mine, std::span<double const>(crafted.at(gamma)));
  }

  [[nodiscard]] double sum_bound(MessageRows const& honest) const {
    std::size_t const n = honest.clients();
    auto const pairs = detail::squared_model_distances(honest);
    std::vector<double> sums(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) sums[i] += pairs[i * n + j];
    return bound == SumBound::smallest ? *std::ranges::min_element(sums) : *std::ranges::max_element(sums);
  }
};
static_assert(Attack<MinSum<FullKnowledge>> && Attack<MinSum<PartialKnowledge>>);

}  // namespace fltr
