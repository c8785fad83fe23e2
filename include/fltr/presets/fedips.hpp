#pragma once

#include <utility>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/ips.hpp>

namespace fltr {

/// FedIPS (Li and Ouyang 2022): learns from logged clicks, each weighted by its inverse propensity. Requires clients
/// with logs (partition/logged_population.hpp). With NaiveClicks as the learner it is the baseline that ignores
/// position bias.
template <DifferentiableRanker R, class L = Ips<>, class O = Sgd>
[[nodiscard]] auto fedips(R ranker, L learner = {}, O optimizer = {}) {
  return make_federation(std::move(ranker), NoClicks{}, std::move(learner), FedOpt<O>{optimizer});
}

}  // namespace fltr
