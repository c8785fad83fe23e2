#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/chacha20.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/federation/client_key.hpp>
#include <fltr/federation/session.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// What a client is told of the round in which it works.
struct RoundInfo {
  std::uint64_t seed = 1;          ///< of the simulation; public
  std::uint32_t number = 1;        ///< counting from 1
  std::uint64_t participants = 1;  ///< clients asked
  bool replay = false;             ///< whether the round runs again, to forget somebody
  OptionalKey key{};               ///< of this message, at a real client; takes the place of the seed

  [[nodiscard]] Streams streams(ClientId client) const noexcept { return {seed, number, client, replay, key}; }
  [[nodiscard]] PrivacyContext context(ClientId client, std::uint32_t asked,
                                       std::span<float const> broadcast) const noexcept {
    return {participants, asked, streams(client), broadcast};
  }
};

/// The parameters that a ranker sends to the clients; empty for rankers without parameters.
template <class R>
[[nodiscard]] std::span<float const> broadcast_parameters(R const& ranker) {
  if constexpr (ParametricRanker<R>)
    return shared_parameters(ranker);
  else
    return {};
}

/// The local work of one client: an honest message, not yet privatized.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message learn_at_client(L const& learner, Clicks const& clicks, P const& privatizer,
                                                  R const& global, C const& client, RoundInfo const& round,
                                                  State<L>& state, Workspace& workspace, Tally& tally) {
  Session<Clicks, P, State<L>> session(clicks, privatizer, round.streams(client.id), state, workspace, tally);
  return learn(learner, global, client, session);
}

namespace detail {

/// What an honest client sends, privatized, drawn from the streams of `round`.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message honest_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                 R const& global, C const& client, RoundInfo const& round,
                                                 State<L>& state) {
  static_assert(Privatizer<P, typename L::Message>, "fltr: this Privatizer cannot take this Learner's Message");
  Workspace workspace;
  Tally tally;
  auto message = learn_at_client(learner, clicks_of(clicks, client.id), privatizer, global, client, round, state,
                                 workspace, tally);
  return privatizer.privatize(std::move(message), round.context(client.id, client.interactions, broadcast_parameters(global)));
}

}  // namespace detail

/// What an honest client of a simulation sends in a round: the same bits that the Federation sees. All its randomness,
/// noise included, is a function of the run's seed, which is public: for experiments that run clients in processes of
/// their own, not for the data of real people.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message simulated_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                    R const& global, C const& client, RoundInfo const& round,
                                                    State<L>& state) {
  return detail::honest_message(learner, clicks, privatizer, global, client, round, state);
}

/// What a real client sends in a round. All its randomness (noise, perturbations, lists) comes from ChaCha20 under a
/// key that serves this message alone and that `key` then forgets. The run's seed is not used: neither it nor the
/// messages of others determine anything of this one.
///
///     auto key = fltr::ClientKey::from_system();   // once, when the client starts
///     auto const message = fltr::client_message(learner, clicks, privatizer, global, client, round, state, key);
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message client_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                 R const& global, C const& client, RoundInfo round, State<L>& state,
                                                 ClientKey& key) {
  round.key = key.next();
  return detail::honest_message(learner, clicks, privatizer, global, client, round, state);
}

}  // namespace fltr
