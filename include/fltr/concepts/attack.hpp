#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(poison);
FLTR_HOOK(clicks);
}  // namespace composition

/// What attackers know of the round in which they poison.
struct AttackContext {
  std::uint32_t round = 1;         ///< counting from 1
  std::uint64_t participants = 0;  ///< clients that were asked, attackers included
  Stream& stream;                  ///< random numbers of the attackers
};

/// An **Attack** is what malicious clients do instead of honest work.
///
/// | required                                  | meaning                                                            |
/// | ----------------------------------------- | ------------------------------------------------------------------ |
/// | `a.malicious.contains(client_id)`         | const; returns bool: whether the client is malicious               |
///
/// | at least one of                           | meaning                                                            |
/// | ----------------------------------------- | ------------------------------------------------------------------ |
/// | `a.poison(mine, global, context)`         | const; changes the attackers' honest messages, a                   |
/// |                                           | std::span<ClientMessage<M>>                                        |
/// | `a.poison(mine, others, global, context)` | const; the same with full knowledge: `others` are the honest       |
/// |                                           | messages, a std::span<ClientMessage<M> const>                      |
/// | `a.clicks(click_model)`                   | const; returns the ClickModel of malicious users                   |
///
/// Rules: an Attack has at most one `poison`. `clicks` requires a Learner that shows lists. A `State` is not allowed:
/// an Attack keeps nothing between rounds. Messages changed by `poison` are not privatized, but they are screened and
/// sealed. An attack without malicious clients gives bit-identical results.
///
///     struct Zeros {
///       struct { bool contains(fltr::ClientId id) const { return id == 0; } } malicious;
///       template <fltr::FlatMessage M>
///       void poison(std::span<fltr::ClientMessage<M>> mine, auto const&, fltr::AttackContext const&) const {
///         for (auto& sent : mine) std::ranges::fill(sent.message.values, 0.0F);
///       }
///     };
///     static_assert(fltr::Attack<Zeros>);
///
/// Models: NoAttack, ClickPoisoning, Promote, LittleIsEnough, Fang, DynOpt, MinMax, MinSum, InnerProduct, SignFlip, Mimic,
/// Inversion. Most of them have a parameter FullKnowledge or PartialKnowledge, which decides which `poison` they have.
template <class A>
concept Attack = requires(A const& a, ClientId client) {
  { a.malicious.contains(client) } -> std::same_as<bool>;
};

namespace composition {

/// `poison` without knowledge of the honest messages.
template <class A, class M, class R>
concept ColludingAttack =
    composition::NamesHook_poison<A> && requires(A const& a, std::span<ClientMessage<M>> mine, R const& global,
                                                 AttackContext const& context) { a.poison(mine, global, context); };

/// `poison` with knowledge of the honest messages.
template <class A, class M, class R>
concept OmniscientAttack =
    composition::NamesHook_poison<A> &&
    requires(A const& a, std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
             AttackContext const& context) { a.poison(mine, others, global, context); };

/// `clicks` for the click model C.
template <class A, class C>
concept ClickAttack = composition::NamesHook_clicks<A> && requires(A const& a, C const& clicks) {
  { a.clicks(clicks) } -> ClickModel;
};

}  // namespace composition

}  // namespace fltr
