#pragma once

#include <span>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/federation/round_info.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/federation/session.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr::detail {

/// The parameters that a ranker sends to the clients; empty for rankers without parameters.
template <class R>
[[nodiscard]] std::span<float const> broadcast_parameters(R const& ranker) {
  if constexpr (ParametricRanker<R>)
    return shared_parameters(ranker);
  else
    return {};
}

/// The local work of one client: an honest message, not yet privatized.
template <class L, ClickModel Clicks, class P, class R, class C, class Work>
[[nodiscard]] typename L::Message learn_at_client(L const& learner, Clicks const& clicks, P const& privatizer,
                                                  R const& global, C const& client, RoundInfo const& round,
                                                  State<L>& state, SessionBuffers<WorkspaceOf<L>, Work>& buffers,
                                                  RoundStatistics& statistics) {
  Session<Clicks, P, State<L>, WorkspaceOf<L>, Work> session(clicks, privatizer, round.streams(client.id), state,
                                                             buffers, statistics);
  return learn(learner, global, client, session);
}

}  // namespace fltr::detail
