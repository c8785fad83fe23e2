#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_model.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

FLTR_HOOK(poison);
FLTR_HOOK(clicks);

/// What attackers are told of the round in which they confer.
struct AttackContext {
  std::uint32_t round = 1;         ///< counting from 1
  std::uint64_t participants = 0;  ///< clients that were asked, attackers among them
  Stream& stream;                  ///< of the attackers alone
};

/// An **Attack** is what colluding clients do instead of honest work.
///
/// | required                                 | meaning                                                             |
/// | ---------------------------------------- | ------------------------------------------------------------------- |
/// | `a.malicious.contains(client_id)`        | const; who takes part in it                                         |
///
/// | optional, at least one                   | meaning                                                             |
/// | ---------------------------------------- | ------------------------------------------------------------------- |
/// | `a.poison(mine, global, context)`        | const; rewrites the attackers' honest messages (span<Sent<M>>)      |
/// | `a.poison(mine, others, global, context)` | the same with full knowledge: all messages of a round are gathered |
/// | `a.clicks(click_model)`                  | const; the ClickModel that malicious users follow                   |
///
/// An Attack has one `poison`: what attackers know is one or the other. `clicks` needs a Learner that shows lists. An
/// Attack keeps nothing between rounds: it must not name a `State`.
///
/// Attackers skip the privatizer, but not the seal. An attack without malicious clients gives bit-identical
/// results.
///
///     struct Zeros {
///       struct { bool contains(fltr::ClientId c) const { return c == 0; } } malicious;
///       template <fltr::FlatMessage M>
///       void poison(std::span<fltr::Sent<M>> mine, auto const&, fltr::AttackContext const&) const {
///         for (auto& sent : mine) std::ranges::fill(sent.message.values, 0.0F);
///       }
///     };
///     static_assert(fltr::Attack<Zeros>);
///
/// Models: NoAttack.
template <class A>
concept Attack = requires(A const& a, ClientId client) {
  { a.malicious.contains(client) } -> std::same_as<bool>;
};

template <class A, class M, class R>
concept ColludingAttack = NamesHook_poison<A> &&
    requires(A const& a, std::span<Sent<M>> mine, R const& global,
             AttackContext const& context) {
  a.poison(mine, global, context);
};

template <class A, class M, class R>
concept OmniscientAttack = NamesHook_poison<A> &&
    requires(A const& a, std::span<Sent<M>> mine, std::span<Sent<M> const> others, R const& global,
             AttackContext const& context) {
  a.poison(mine, others, global, context);
};

template <class A, class C>
concept ClickAttack = NamesHook_clicks<A> && requires(A const& a, C const& clicks) {
  { a.clicks(clicks) } -> ClickModel;
};

}  // namespace fltr
