#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <fltr/concepts/round_release.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

FLTR_HOOK(constrain);
FLTR_HOOK(loss);

/// What a Privatizer knows of the round.
struct PrivacyContext {
  std::uint64_t participants = 0;  ///< clients that were asked
  std::uint32_t interactions = 0;  ///< asked of this client; public, unlike how many it made
  Streams streams{};               ///< the client's own
  std::span<float const> broadcast{};  ///< the shared parameters of the broadcast ranker: for clipping an update
};

/// A **Privatizer** changes a message before it leaves an honest client.
///
/// | required                  | meaning                                                                          |
/// | ------------------------- | -------------------------------------------------------------------------------- |
/// | `p.privatize(m, context)` | const; takes the message by value, returns one of the same type                  |
///
/// | optional                  | meaning                                                                          |
/// | ------------------------- | -------------------------------------------------------------------------------- |
/// | `p.constrain(weights)`    | const; pulls a span<float> of local weights back, after every local step         |
/// | `p.loss(release)`         | const; the PrivacyLoss of one round for a client whose message was sent; without |
/// |                           | it the message has no guarantee                                                  |
///
/// `loss` is asked twice: before the round for the worst release that the rules allow (budget), and after the round for
/// what happened. A mechanism whose condition fails states ε = ∞ with the reason.
///
/// A Privatizer keeps nothing between rounds: it must not name a `State`.
///
/// A privatizer that states a loss must hide in `privatize` everything that depends on the client's data: the values,
/// and the form of the message (`fltr::complete(m, context.interactions)`). That the client answered is public.
///
///     struct Rounded {
///       fltr::LocalWeights privatize(fltr::LocalWeights m, fltr::PrivacyContext const&) const {
///         for (float& v : m.values) v = std::round(v * 16) / 16;
///         return m;
///       }
///     };
///     static_assert(fltr::Privatizer<Rounded>);
///
/// Models: NoPrivacy, Clip, GammaNoise, LaplaceNoise, GaussianNoise, RandomizedMetric, Chain.
template <class P, class M = LocalWeights>
concept Privatizer = requires(P const& p, M m, PrivacyContext const& context) {
  { p.privatize(std::move(m), context) } -> std::same_as<M>;
};

/// Applies the hook `constrain` of a privatizer that has one.
template <class P>
void constrain(P const& privatizer, std::span<float> weights) {
  if constexpr (NamesHook_constrain<P>) {
    static_assert(
        requires { privatizer.constrain(weights); },
        "fltr: the Privatizer's hook 'constrain' must be callable as constrain(std::span<float>) const");
    privatizer.constrain(weights);
  }
}

/// The hook `loss` of a privatizer that has one, else no loss (and no guarantee).
template <class P>
[[nodiscard]] PrivacyLoss loss(P const& privatizer, RoundRelease const& release) {
  if constexpr (NamesHook_loss<P>) {
    static_assert(
        requires {
          { privatizer.loss(release) } -> std::same_as<PrivacyLoss>;
        },
        "fltr: the Privatizer's hook 'loss' must be callable as PrivacyLoss loss(RoundRelease const&) const");
    return privatizer.loss(release);
  } else {
    return {};
  }
}

}  // namespace fltr
