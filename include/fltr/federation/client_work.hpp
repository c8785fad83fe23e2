#pragma once

#include <cstdint>
#include <utility>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/federation/session.hpp>
#include <fltr/federation/tally.hpp>

namespace fltr {

/// What a client is told of the round in which it works.
struct RoundInfo {
  std::uint64_t seed = 1;          ///< of the simulation
  std::uint32_t number = 1;        ///< counting from 1
  std::uint64_t participants = 1;  ///< clients asked
  bool replay = false;             ///< whether the round runs again, to forget somebody

  [[nodiscard]] PrivacyContext context(ClientId client) const noexcept {
    return {participants, Streams{seed, number, client, replay}};
  }
};

/// The local work of one client: an honest message, not yet privatized.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message learn_at_client(L const& learner, Clicks const& clicks, P const& privatizer,
                                                  R const& global, C const& client, RoundInfo const& round,
                                                  State<L>& state, Workspace& workspace, Tally& tally) {
  Session<Clicks, P, State<L>> session(clicks, privatizer, round.context(client.id).streams, state, workspace, tally);
  return learner.learn(global, client, session);
}

/// What an honest client sends in a round: for running clients outside a Federation, each in a process of its own. The
/// same bits that the Federation would see.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message client_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                 R const& global, C const& client, RoundInfo const& round,
                                                 State<L>& state) {
  static_assert(Privatizer<P, typename L::Message>, "fltr: this Privatizer cannot take this Learner's Message");
  Workspace workspace;
  Tally tally;
  auto message = learn_at_client(learner, clicks_of(clicks, client.id), privatizer, global, client, round, state,
                                 workspace, tally);
  return privatizer.privatize(std::move(message), round.context(client.id));
}

}  // namespace fltr
