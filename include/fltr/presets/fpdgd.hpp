#pragma once

#include <utility>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/no_privacy.hpp>

namespace fltr {

/// FPDGD (Wang et al. 2021): federated pairwise differentiable gradient descent. With GammaNoise it is the
/// differentially private version of the paper.
template <DifferentiableRanker R, ClickModel C, class P = NoPrivacy>
[[nodiscard]] auto fpdgd(R ranker, C click_model, Pdgd learner = {}, P privatizer = {}) {
  return make_federation(std::move(ranker), std::move(click_model), learner, FedAvg{}, std::move(privatizer));
}

}  // namespace fltr
