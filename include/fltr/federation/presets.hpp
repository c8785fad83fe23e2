#pragma once

#include <utility>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/ips.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/no_privacy.hpp>

namespace fltr {

/// FPDGD (Wang et al. 2021): federated pairwise differentiable gradient descent. With GammaNoise, its differentially
/// private version.
template <DifferentiableRanker R, ClickModel C, class P = NoPrivacy>
[[nodiscard]] auto fpdgd(R ranker, C click_model, Pdgd learner = {}, P privatizer = {}) {
  return make_federation(std::move(ranker), std::move(click_model), learner, FedAvg{}, std::move(privatizer));
}

/// FOLtR-ES (Kharitonov 2019): evolution strategies with antithetic perturbations; the server rebuilds them from seeds
/// and climbs with Adam. With RandomizedMetric, its differentially private version.
template <ParametricRanker R, ClickModel C, class M = MaxRr, class O = Adam, class P = NoPrivacy>
[[nodiscard]] auto foltr_es(R ranker, C click_model, EvolutionStrategy<M> learner = {}, O optimizer = {},
                            P privatizer = {}) {
  EsGradient<O> const server{optimizer, learner.noise_std, learner.antithetic};
  return make_federation(std::move(ranker), std::move(click_model), std::move(learner), server, std::move(privatizer));
}

/// FedIPS (Li and Ouyang 2022): learns from logged clicks, each weighed by its inverse propensity. For populations with
/// logs (partition/logged.hpp). With NaiveClicks as the learner, the baseline that takes clicks at face value.
template <DifferentiableRanker R, class L = Ips<>, class O = Sgd>
[[nodiscard]] auto fedips(R ranker, L learner = {}, O optimizer = {}) {
  return make_federation(std::move(ranker), NoClicks{}, std::move(learner), FedOpt<O>{optimizer});
}

}  // namespace fltr
