#pragma once

#include <utility>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/federation/client_key.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/federation/round_info.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/federation/session.hpp>

namespace fltr {

namespace detail {

/// The privatized message of an honest client, with the random numbers of `round`.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message privatized_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                     R const& global, C const& client, RoundInfo const& round,
                                                     State<L>& state) {
  static_assert(Privatizer<P, typename L::Message>, "fltr: this Privatizer cannot take this Learner's Message");
  SessionBuffers<WorkspaceOf<L>> buffers;
  RoundStatistics statistics;
  auto message = learn_at_client(learner, clicks_of(clicks, client.id), privatizer, global, client, round, state,
                                 buffers, statistics);
  return privatized(privatizer, std::move(message),
                    round.context(client.id, client.interactions, broadcast_parameters(global)));
}

}  // namespace detail

/// The message of an honest client of a simulation: the same bits as in a Federation. All its random numbers, noise
/// included, are a function of the run's seed, which is public. It is meant for experiments that run clients in
/// processes of their own, not for the data of real people.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message simulated_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                    R const& global, C const& client, RoundInfo const& round,
                                                    State<L>& state) {
  return detail::privatized_message(learner, clicks, privatizer, global, client, round, state);
}

/// The message of a real client. All its random numbers (noise, perturbations, lists) come from ChaCha20 with a key
/// that is used for this message only. `key` does not keep that key. The run's seed is not used: neither the seed nor
/// the messages of other clients determine any part of this message.
///
///     auto key = fltr::ClientKey::from_system();   // once, when the client starts
///     auto const message = fltr::client_message(learner, clicks, privatizer, global, client, round, state, key);
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message client_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                 R const& global, C const& client, RoundInfo round, State<L>& state,
                                                 ClientKey& key) {
  round.key = key.next();
  return detail::privatized_message(learner, clicks, privatizer, global, client, round, state);
}

}  // namespace fltr
