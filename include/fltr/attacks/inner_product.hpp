#pragma once

#include <cmath>
#include <concepts>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/reverse.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/attacks/reversed.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// Inner product manipulation (Xie et al. 2020): all attackers send −τ times the mean of the honest updates,
/// θ_g − τ(μ − θ_g), so that the inner product of the aggregated and the honest update becomes negative. With a small τ
/// the message is close to the honest ones. With PartialKnowledge μ is the mean of the attackers' own models.
template <Knowledge K>
struct InnerProduct {
  MaliciousClients malicious{};
  double tau = 2.0;  ///< τ, ε in the paper
  Reversed reversed = Reversed::update;

  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, PartialKnowledge>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const&) const {
    manipulate(mine, {}, shared_parameters(global));
  }
  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, FullKnowledge>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const&) const {
    manipulate(mine, others, shared_parameters(global));
  }

 private:
  template <class M>
  void manipulate(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others,
                  std::span<float const> global) const {
    require(std::isfinite(tau), "InnerProduct", "a finite tau", tau);
    auto const known = detail::known_models("InnerProduct", mine, others, global.size());
    if (known.empty()) return;
    std::vector<double> model = detail::model_mean(known.honest().rows);
    detail::reverse(model, global, tau, reversed);
    detail::send_all(mine, std::span<double const>(model));
  }
};
static_assert(Attack<InnerProduct<FullKnowledge>> && Attack<InnerProduct<PartialKnowledge>>);

}  // namespace fltr
