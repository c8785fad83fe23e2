#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/pull_toward.hpp>
#include <fltr/learners/inner_session.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

namespace detail {

/// A session whose steps pull the shared parameters back to the broadcast ones.
template <class S>
class ProximalSession : public InnerSession<S> {
 public:
  ProximalSession(S& outer, std::span<float const> global, float mu)
      : InnerSession<S>(outer), global_(global), mu_(mu) {}

  template <class R>
  void step(R& local, std::span<float> gradient, float rate) {
    double const product = static_cast<double>(mu_) * static_cast<double>(rate);
    if (!(product < 2.0)) [[unlikely]]
      throw_requirement("Proximal", "mu * learning_rate < 2 (from 2 on the steps diverge)", product);
    auto const weights = shared_parameters(local);
    auto const first = static_cast<std::size_t>(weights.data() - local.parameters().data());
    simd::pull_toward(global_, weights, mu_, gradient.subspan(first, weights.size()));
    InnerSession<S>::step(local, gradient, rate);
  }

 private:
  std::span<float const> global_;
  float mu_;
};

}  // namespace detail

/// FedProx (Li et al. 2020): a wrapper of any learner with `train`. It adds μ/2 · ‖w − w_global‖² to the local loss, so
/// that each local step subtracts μ (w − w_global) from the gradient.
///
/// It acts on the parameters that travel, because the others (see Personal) have no global version. Therefore
/// `Proximal<Personal<L>>` and `Personal<Proximal<L>>` give the same bits. The first step of a round is that of L,
/// because w = w_global there. With one step per round (LocalUpdate::once) FedProx has no effect.
///
/// μ = 0 gives the bits of L. With η the learning rate, μ · η ≥ 2 is an error: a step alone would multiply the distance
/// by |1 − μη| ≥ 1, and the weights would diverge.
///
/// Learners with `learn` do not compile. EvolutionStrategy takes no local steps: its messages have no weights that
/// could stay near the global ones.
///
///     auto const learner = fltr::Proximal<fltr::Pdgd>{{.learning_rate = 0.1F}, 0.01F};
template <InPlaceLearner L>
struct Proximal : L {
  float mu = 0.1F;

  auto members(auto&& visit) const { return visit(static_cast<L const&>(*this), mu); }

  template <ParametricRanker R, class C, class S>
  requires requires(L const& l, R& r, C const& c, detail::ProximalSession<S>& s) { l.train(r, c, s); }
  std::uint32_t train(R& local, C const& client, S& session) const {
    require(std::isfinite(mu) && mu >= 0.0F, "Proximal", "a finite mu >= 0", mu);
    if (mu == 0.0F) return L::train(local, client, session);
    auto const shared = shared_parameters(local);
    std::vector<float> const global(shared.begin(), shared.end());
    detail::ProximalSession<S> inner(session, global, mu);
    return L::train(local, client, inner);
  }
};
static_assert(Learner<Proximal<Pdgd>>);

}  // namespace fltr
