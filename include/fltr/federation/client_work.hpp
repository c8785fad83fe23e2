#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fltr/accounting/client_account.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/federation/client_key.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/federation/detail/server_sees.hpp>
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

namespace detail {

/// The worst release of a message that is not sealed, in a round that asks so many clients, under the client's limits.
template <class M, class R>
[[nodiscard]] RoundRelease worst_release(ClientLimits const& limits, R const& global, std::uint32_t interactions,
                                         std::uint64_t asked) {
  RoundRelease out;
  out.asked = asked;
  out.reported = std::min(limits.fewest_reports, asked);
  out.rejected = asked - out.reported;
  out.dimension = composition::largest_dimension<M>(global);
  out.interactions = interactions;
  out.fewest_interactions = limits.fewest_interactions;
  set_worst_weights<M>(limits.fewest_interactions, limits.most_interactions, out);
  out.view = limits.view;
  return out;
}

/// What a message of this client tells although its values are privatized; empty: nothing.
template <class M, class R, class C>
[[nodiscard]] std::string disclosed_by_message(R const& global, C const& client) {
  std::string out = composition::disclosure<M>(global);
  if (composition::feature_scaling(client).scaled_by == ScaledBy::documents)
    out += (out.empty() ? "" : "; ") + std::string(composition::scaled_by_others);
  return out;
}

/// Charges a message to the account of a real client, and makes it with a new key.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message charged_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                  R const& global, C const& client, RoundInfo round, State<L>& state,
                                                  ClientKey& key, ClientAccount& account, RoundRelease const& release) {
  account.charge(round.id(), privatizer, release, disclosed_by_message<typename L::Message>(global, client));
  round.key = key.next();
  return privatized_message(learner, clicks, privatizer, global, client, round, state);
}

}  // namespace detail

/// The message of a real client, which is not sealed (for a sealed one see SealedClient). All its random numbers (noise,
/// perturbations, lists) come from ChaCha20 with a key that is used for this message only. `key` does not keep that key.
/// The run's seed is not used: neither the seed nor the messages of other clients determine any part of this message.
///
/// The numbers in `round` and `client.interactions` come from the server, and `account` decides: it refuses a round that
/// is not newer than the last one, numbers outside of the client's limits, and a message beyond the client's budget
/// (RoundRefused; then nothing was shown, learned or charged). The message is charged before any work.
///
///     auto key = fltr::ClientKey::from_system();   // once, when the client starts
///     fltr::ClientAccount account({.most_participants = 100, .most_interactions = 4, .epsilon_budget = 8.0});
///     auto const message =
///         fltr::client_message(learner, clicks, privatizer, global, client, round, state, key, account);
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message client_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                 R const& global, C const& client, RoundInfo const& round,
                                                 State<L>& state, ClientKey& key, ClientAccount& account) {
  return detail::charged_message(
      learner, clicks, privatizer, global, client, round, state, key, account,
      detail::worst_release<typename L::Message>(account.limits(), global, client.interactions, round.participants));
}

}  // namespace fltr
