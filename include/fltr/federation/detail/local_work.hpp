#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/contribution.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/federation/detail/policies.hpp>
#include <fltr/federation/round_info.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr::detail {

/// One client in one round. The ranker and the round belong to the visit, not to the round as a whole: a client may
/// still work on an earlier ranker.
template <class Input>
struct Visit {
  typename Input::Client const& client;
  std::size_t position;  ///< of the client in the population
  typename Input::Ranker const& global;
  RoundInfo info;
  typename Input::Buffers& buffers;  ///< of the client's block
  RoundStatistics& statistics;
  typename Input::Changes& changes;
  std::uint64_t& sent;  ///< see Contribution

  /// The same visit, counted in another RoundStatistics.
  [[nodiscard]] Visit with_statistics(RoundStatistics& other) const {
    return {client, position, global, info, buffers, other, changes, sent};
  }
};

/// The client learns; a replay corrects its message; the unlearner records it. Returns no message if the replay
/// withdraws it.
template <class Input, class Clicks>
[[nodiscard]] std::optional<typename Input::Message> learn_with(Input const& input, Clicks const& clicks,
                                                                Visit<Input> const& visit) {
  using L = typename Input::Learner;
  using U = typename Input::Unlearner;
  constexpr bool keeps_state = ClientState<L, U>::any;
  auto const& policies = input.policies;
  std::uint32_t const round = visit.info.number;
  StateChange<L, U> change{.position = visit.position};
  ClientState<L, U> const none{};
  State<U> const& kept = keeps_state ? input.history[visit.position].kept : none.kept;
  if constexpr (keeps_state) change.learner = input.states[visit.position].learner;

  std::optional<typename Input::Message> message =
      learn_at_client(policies.learner, clicks, policies.privatizer, visit.global, visit.client, visit.info,
                      change.learner, visit.buffers, visit.statistics);
  Correction const correction = input.rules.correct(kept, round, visit.global, *message);
  visit.statistics.unrecorded += correction == Correction::unrecorded ? 1U : 0U;
  visit.statistics.zero_updates += correction == Correction::zero ? 1U : 0U;
  if constexpr (composition::NamesHook_record<U>) {
    static_assert(
        requires(State<U>& mine) { policies.unlearner.record(mine, round, visit.global, std::as_const(*message)); },
        "fltr: the Unlearner's hook 'record' must be callable as record(State&, std::uint32_t round, "
        "Ranker const& global, Message const&) const");
    if (input.rules.record && policies.unlearner.keeps(round)) {
      change.kept = kept;
      policies.unlearner.record(*change.kept, round, visit.global, std::as_const(*message));
    }
  }
  if constexpr (keeps_state)
    if (!std::is_empty_v<State<L>> || change.kept) visit.changes.add(std::move(change));
  if (correction == Correction::withdrawn) message.reset();
  return message;
}

/// The message of a client before it is privatized. Malicious users click as the attack says.
template <class Input>
[[nodiscard]] std::optional<typename Input::Message> learned_message(Input const& input, Visit<Input> const& visit) {
  auto const& policies = input.policies;
  decltype(auto) behaviour = clicks_of(policies.click_model, visit.client.id);
  if constexpr (composition::ClickAttack<typename Input::Attack, std::remove_cvref_t<decltype(behaviour)>>) {
    if (policies.attack.malicious.contains(visit.client.id))
      return learn_with(input, policies.attack.clicks(behaviour), visit);
  }
  return learn_with(input, behaviour, visit);
}

/// The message that an honest client sends, not yet sealed. Counts it if it is withdrawn.
template <class Input>
[[nodiscard]] std::optional<typename Input::Message> honest_message(Input const& input, Visit<Input> const& visit) {
  auto message = learned_message(input, visit);
  if (!message) {
    ++visit.statistics.withdrawn;
    return message;
  }
  message =
      privatized(input.policies.privatizer, std::move(*message),
                 visit.info.context(visit.client.id, visit.client.interactions, broadcast_parameters(visit.global)));
  if constexpr (composition::NamesHook_loss<typename Input::Policies::Privatizer>)
    visit.sent += Fingerprint().add(visit.client.id).add(*message).value().low;
  input.release();
  return message;
}

/// Whether a message may be aggregated. Counts it as reported or as rejected. A message that will be sealed is screened
/// at the client, because the server cannot read it.
template <class M, class R, class C>
[[nodiscard]] bool screen(M const& message, R const& global, C const& client, bool by_attacker,
                          RoundStatistics& statistics) {
  bool const fits = message.fits(global, client.interactions);
  if (fits)
    statistics.use(weight_of(message), composition::value_count(message), by_attacker);
  else
    ++statistics.rejected;
  return fits;
}

}  // namespace fltr::detail
