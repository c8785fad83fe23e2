#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/learners/inner_session.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr::testing {

/// A session whose steps pull the shared parameters back: gradient − μ (w − w_global).
template <class S>
class ProximalSession : public InnerSession<S> {
 public:
  ProximalSession(S& outer, std::span<float const> global, float mu)
      : InnerSession<S>(outer), global_(global), mu_(mu) {}

  template <class R>
  void step(R& local, std::span<float> gradient, float rate) {
    auto const weights = shared_parameters(local);
    auto const first = static_cast<std::size_t>(weights.data() - local.parameters().data());
    for (std::size_t k = 0; k < weights.size(); ++k) gradient[first + k] -= mu_ * (weights[k] - global_[k]);
    InnerSession<S>::step(local, gradient, rate);
  }

 private:
  std::span<float const> global_;
  float mu_;
};

/// FedProx (Li et al. 2020).
template <InPlaceLearner L>
struct Proximal : L {
  float mu = 0.1F;

  template <ParametricRanker R>
  std::uint32_t train(R& local, auto const& client, auto& session) const {
    auto const shared = shared_parameters(local);
    std::vector<float> const global(shared.begin(), shared.end());
    ProximalSession inner(session, global, mu);
    return L::train(local, client, inner);
  }
};

}  // namespace fltr::testing
