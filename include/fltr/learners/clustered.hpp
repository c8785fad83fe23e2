#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/learners/detail/click_agreement.hpp>
#include <fltr/learners/inner_session.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/messages/cluster_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/rankers/clustered_ranker.hpp>

namespace fltr {

namespace detail {

/// A session that calls seen(query, order, clicks) after each displayed list.
template <class S, class InnerState, class InnerWorkspace, class Seen>
class WatchedSession : public InnerSession<S, InnerState, InnerWorkspace> {
 public:
  WatchedSession(S& outer, InnerState& inner_state, InnerWorkspace& inner_workspace, Seen const& seen)
      : InnerSession<S, InnerState, InnerWorkspace>(outer, inner_state, inner_workspace), seen_(seen) {}

  std::span<std::uint8_t const> show(QueryView query, std::span<std::uint32_t const> order) {
    auto const clicks = InnerSession<S, InnerState, InnerWorkspace>::show(query, order);
    seen_(query, order, clicks);
    return clicks;
  }

 private:
  Seen const& seen_;
};

/// Whether L trains the models of a ClusteredRanker.
template <class L, class R>
inline constexpr bool trains_models = false;
template <class L, class R>
inline constexpr bool trains_models<L, ClusteredRanker<R>> = composition::Trains<L, R>;

}  // namespace detail

/// Clusters of clients (IFCA, Ghosh et al. 2020): there are k global models, and each client trains and uses the model
/// that ranks its own clicks best. The ranker is a ClusteredRanker, the aggregator PerCluster, and the message says
/// which model the client trained. It wraps any learner with `train` that shows lists.
///
/// **Choice.** On a displayed list with a click, the client measures all k broadcast models: the share of pairs of
/// a clicked and an unclicked examined document that the model orders as the user did. It keeps one sum of these
/// shares per model; the sums are multiplied by `memory` before each measured round. It takes the best model after each
/// round. It stores k numbers and no lists. No model was trained on a list before it is measured on it, so the model in use has no
/// advantage from its own training clicks. A bias of position remains: users click upper documents more often, and
/// these are the documents that the model in use prefers.
///
/// **Start.** For the first `warm_up` rounds of the training a client stays with a model drawn at random: without this,
/// the first model that learns anything is the best one for all clients, and the others are never trained. A client that
/// joins later keeps its random model for its first round. The models become different by their first clients and by the
/// start of ClusteredRanker. Take more models than kinds of clients (half as many again): with equal numbers, two kinds
/// end up with one model in about a fifth of the runs, and stay there (ARCHITECTURE.md has the figures).
///
/// **Privacy.** The number of the model is sent as it is and depends on clicks. A training with a privatizer therefore
/// accounts ε = ∞, with this reason, unless k = 1.
///
/// k = 1 gives the bits of L and of the aggregator within PerCluster. With wrappers: `Clustered<Proximal<L>>` and
/// `Clustered<Personal<L>>`; Clustered is the outermost, because its message is not LocalWeights. EvolutionStrategy does
/// not compile: the server would need the seed of the perturbation and the cluster in one message.
template <InPlaceLearner L>
struct Clustered : L {
  static_assert(composition::shows_lists<L>(),
                "fltr: Clustered chooses by clicks on displayed lists, so it needs a Learner that shows lists");
  using Message = ClusterWeights;

  struct State {
    fltr::State<L> inner{};
    std::uint32_t cluster = 0;         ///< the model that the client uses, and trains in its next round
    std::vector<double> agreements{};  ///< of each model with the clicks, summed over lists; empty: no round yet
    std::uint32_t rounds = 0;          ///< in which the client took part
    auto fields(auto&& visit) { return visit(inner, cluster, agreements, rounds); }
  };
  struct Workspace {
    WorkspaceOf<L> inner;
    detail::ClickAgreement agreement;
  };
  template <class R>
  static constexpr bool trains = detail::trains_models<L, R>;

  std::uint32_t warm_up = 5;    ///< rounds of the training in which clients keep their first model
  double memory = 0.98;         ///< the weight of the lists of a measured round, relative to those of the next one
  std::uint32_t settling = 50;  ///< the first rounds of a client, in each of which it measures the models
  /// After these, a client measures the models in one of `interval` rounds. k models score up to 10 documents of each
  /// list. For 4 models and 5 lists of 120 documents, 500 rounds of Pdgd take 7 % longer with a linear ranker and 5 %
  /// longer with a neural one; with interval 1, 11 % and 22 %.
  std::uint32_t interval = 10;

  auto members(auto&& visit) const { return visit(static_cast<L const&>(*this), warm_up, memory, settling, interval); }

  template <ParametricRanker R, class C, class S>
  requires requires(L const& l, R& r, C const& c, InnerSession<S, fltr::State<L>, WorkspaceOf<L>>& s) {
    l.train(r, c, s);
  }
  [[nodiscard]] ClusterWeights learn(ClusteredRanker<R> const& global, C const& client, S& session) const {
    require(memory >= 0.0 && memory < 1.0, "Clustered", "a memory in [0, 1)", memory);
    require(interval > 0, "Clustered", "an interval of at least 1 round", interval);
    State& state = session.state;
    std::size_t const k = global.size();
    if (state.agreements.empty()) {
      state.agreements.resize(k);
      if (k > 1) state.cluster = session.streams.of(Purpose::clusters).below(static_cast<std::uint32_t>(k));
    }
    check(global, state);
    R local = global.model(state.cluster);
    std::uint32_t const weight = k == 1 ? train_alone(local, client, session) : watch(global, local, client, session);
    auto const shared = shared_parameters(local);
    ClusterWeights message{{{shared.begin(), shared.end()}, weight}, state.cluster};
    if (k > 1 && session.streams.round >= warm_up) choose(state);
    return message;
  }

  /// The model that the client uses.
  template <ParametricRanker R>
  [[nodiscard]] R personal(ClusteredRanker<R> const& global, State const& state) const {
    check(global, state);
    return model_of(global, state.cluster, state);
  }

 private:
  template <class R>
  static void check(ClusteredRanker<R> const& global, State const& state) {
    require(state.cluster < global.size(), "Clustered", "a cluster below " + std::to_string(global.size()),
            state.cluster);
    require(state.agreements.empty() || state.agreements.size() == global.size(), "Clustered",
            "a state of " + std::to_string(global.size()) + " clusters", state.agreements.size());
  }

  /// A client's version of a model.
  template <class R>
  [[nodiscard]] R model_of(ClusteredRanker<R> const& global, std::size_t cluster, State const& state) const {
    if constexpr (composition::NamesHook_personal<L>)
      return L::personal(global.model(cluster), state.inner);
    else
      return global.model(cluster);
  }

  template <class R, class C, class S>
  std::uint32_t train_alone(R& local, C const& client, S& session) const {
    InnerSession<S, fltr::State<L>, WorkspaceOf<L>> inner(session, session.state.inner, session.workspace.inner);
    return L::train(local, client, inner);
  }

  /// Trains the local model and measures all models on the displayed lists.
  template <class R, class C, class S>
  std::uint32_t watch(ClusteredRanker<R> const& global, R& local, C const& client, S& session) const {
    State& state = session.state;
    std::uint32_t const round = state.rounds++;
    if (round >= settling && round % interval != 0) return train_alone(local, client, session);
    for (double& sum : state.agreements) sum *= memory;
    std::vector<R> own;  // the client's versions of the models, if they differ from the broadcast ones
    if constexpr (composition::NamesHook_personal<L>)
      for (std::size_t c = 0; c < global.size(); ++c) own.push_back(model_of(global, c, state));
    auto& agreement = session.workspace.agreement;
    auto const seen = [&](QueryView query, std::span<std::uint32_t const> order, std::span<std::uint8_t const> clicks) {
      if (!agreement.take(query, order, clicks)) return;
      for (std::size_t c = 0; c < global.size(); ++c)
        state.agreements[c] += agreement.of(own.empty() ? global.model(c) : own[c]);
    };
    detail::WatchedSession<S, fltr::State<L>, WorkspaceOf<L>, decltype(seen)> inner(session, state.inner,
                                                                                    session.workspace.inner, seen);
    return L::train(local, client, inner);
  }

  /// Takes the model that agrees best; keeps the present one if no other is better.
  static void choose(State& state) {
    auto const best = std::ranges::max_element(state.agreements);
    if (*best > state.agreements[state.cluster])
      state.cluster = static_cast<std::uint32_t>(best - state.agreements.begin());
  }
};
static_assert(Learner<Clustered<Pdgd>, ClusteredRanker<archetypes::DifferentiableRanker>>);

}  // namespace fltr
