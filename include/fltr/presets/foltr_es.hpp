#pragma once

#include <utility>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/privatizers/no_privacy.hpp>

namespace fltr {

/// FOLtR-ES (Kharitonov 2019): evolution strategies with antithetic perturbations. The server computes the
/// perturbations from their seeds and updates the ranker with Adam. With RandomizedMetric it is the differentially
/// private version.
template <ParametricRanker R, ClickModel C, class M = MaxRr, class O = Adam, class P = NoPrivacy>
[[nodiscard]] auto foltr_es(R ranker, C click_model, EvolutionStrategy<M> learner = {}, O optimizer = {},
                            P privatizer = {}) {
  EsGradient<O> const server{optimizer, learner.noise_std, learner.antithetic};
  return make_federation(std::move(ranker), std::move(click_model), std::move(learner), server, std::move(privatizer));
}

}  // namespace fltr
