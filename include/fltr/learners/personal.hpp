#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/state.hpp>
#include <fltr/learners/inner_session.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// FedPer (Arivazhagan et al. 2019): a wrapper of any learner with `train`. The parameters that the ranker does not
/// share stay at the client, which trains them together with the broadcast ones. The ranker says by its hook `shared`
/// which parameters travel: SplitNeuralRanker shares the hidden layer and keeps the output layer. `training.ranker_of`
/// is the global ranker with the client's own parameters.
///
/// A privatizer clips and changes only what travels. A client that was never asked uses the start model's own part.
///
/// Learners with `learn` do not compile. EvolutionStrategy has no local model; the server could not perturb parameters
/// that it does not know.
///
///     auto const federation = fltr::make_federation(fltr::SplitNeuralRanker(136), clicks,
///                                                   fltr::Personal<fltr::Pdgd>{{.learning_rate = 0.1F}},
///                                                   fltr::FedAvg{});
template <InPlaceLearner L>
struct Personal : L {
  struct State {
    fltr::State<L> inner{};
    std::vector<float> own{};  ///< the client's own parameters; empty before its first round
    auto fields(auto&& visit) { return visit(inner, own); }
  };
  auto members(auto&& visit) const { return visit(static_cast<L const&>(*this)); }

  template <ParametricRanker R, class C, class S>
  requires requires(L const& l, R& r, C const& c, InnerSession<S, fltr::State<L>>& s) { l.train(r, c, s); }
  std::uint32_t train(R& local, C const& client, S& session) const {
    State& state = session.state;
    put_own(state, local);
    InnerSession<S, fltr::State<L>> inner(session, state.inner);
    std::uint32_t const interactions = L::train(local, client, inner);
    auto const own = personal_parameters(local);
    state.own.assign(own.begin(), own.end());
    return interactions;
  }

  /// The global ranker with the client's own parameters.
  template <ParametricRanker R>
  [[nodiscard]] R personal(R ranker, State const& state) const {
    put_own(state, ranker);
    if constexpr (composition::NamesHook_personal<L>)
      return L::personal(std::move(ranker), state.inner);
    else
      return ranker;
  }

 private:
  static void put_own(State const& state, ParametricRanker auto& ranker) {
    auto const own = personal_parameters(ranker);
    require(!own.empty(), "Personal",
            "a ranker that keeps parameters at the client (SplitNeuralRanker, or another one with 'shared')",
            own.size());
    if (state.own.empty()) return;
    require(state.own.size() == own.size(), "Personal", std::to_string(own.size()) + " own parameters",
            state.own.size());
    std::ranges::copy(state.own, own.begin());
  }
};
static_assert(Learner<Personal<Pdgd>>);

}  // namespace fltr
