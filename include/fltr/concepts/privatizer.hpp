#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <fltr/concepts/round_release.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/keyed_hash.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/wipe.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(constrain);
FLTR_HOOK(loss);
FLTR_HOOK(draws_noise);

/// Whether the loss that this type states is fltr's own. Each built-in privatizer says so for its type alone: a type that
/// derives from it is another policy.
template <class P>
inline constexpr bool built_in_loss = false;

/// Whether a privatizer draws random numbers.
template <class P>
[[nodiscard]] constexpr bool draws_noise() {
  if constexpr (NamesHook_draws_noise<P>)
    return P::draws_noise;
  else
    return true;
}

/// Whether the noise of a privatizer can depend on all its parameters.
template <class P>
[[nodiscard]] consteval bool shows_parameters() {
  static_assert(
      !draws_noise<P>() || Fingerprint::sees<P>(),
      "fltr: the Privatizer hides its parameters, on which its noise must depend: required an aggregate of at "
      "most 12 members without pointers, or 'auto members(auto&& visit) const { return visit(a, b); }'");
  return true;
}
}  // namespace composition

/// What a Privatizer knows of the round.
struct PrivacyContext {
  std::uint64_t participants = 0;      ///< clients that were asked
  std::uint32_t interactions = 0;      ///< asked of this client; public, unlike the number that it made
  Streams streams{};                   ///< random numbers for this message alone, see `privatized`
  std::span<float const> broadcast{};  ///< the shared parameters of the broadcast ranker, for clipping an update
  std::uint64_t branch =
      0;  ///< of the training's history, which `forget` splits: rounds of two branches have other noise
};

/// A **Privatizer** changes a message before it leaves an honest client.
///
/// | required                  | meaning                                                                              |
/// | ------------------------- | ------------------------------------------------------------------------------------ |
/// | `p.privatize(m, context)` | const; takes the message by value and a PrivacyContext const&; returns a message of  |
/// |                           | the same type                                                                        |
///
/// | optional                  | meaning                                                                              |
/// | ------------------------- | ------------------------------------------------------------------------------------ |
/// | `p.constrain(weights)`    | const; changes a std::span<float> of local weights after every local step, for       |
/// |                           | example by clipping; default: no change                                              |
/// | `p.loss(release)`         | const; returns the PrivacyLoss of one RoundRelease for a client that sent a message; |
/// |                           | without it the message has no guarantee; reports mark it as `stated_by_policy`       |
///
/// | `P::draws_noise`          | static constexpr bool; false: `privatize` draws no random number. Default: true      |
///
/// **Noise is a function of the message.** `privatized` calls `privatize` with random numbers whose key is a hash of
/// everything on which the result depends: the message, the privatizer's parameters and the context. So a message that is
/// made again has the same noise, and another message in the same round, with other parameters or after another history,
/// has independent noise. The hash has a key of its own, which follows from the seed of the training or from the key of a
/// real client (KeyedHash): messages with equal hashes cannot be constructed without it. A type whose parameters cannot be hashed does not compile: it is an aggregate, or shows its
/// parameters by `members` (see Fingerprint). Parameters outside of the object (static members) do not count.
///
/// `loss` is called before a round with the worst release that the rules allow (for the budget), and after the round
/// with the release that happened, unless the round before had the same one: it must depend on the release alone. A
/// mechanism whose condition does not hold returns epsilon_accounted = infinity and a reason. It may also state ρ of
/// zCDP (`rho`) and Rényi divergences (`rdp`), which compose better over many rounds; a mechanism without an ε sets
/// epsilon_accounted = infinity and states these.
///
/// A Privatizer with `loss` must hide everything that depends on the client's data: the values, and the form of the
/// message (`fltr::complete(m, context.interactions)`). The fact that the client answered is public.
///
/// Not allowed: a `State`. A Privatizer keeps nothing between rounds.
///
///     struct Rounded {
///       fltr::LocalWeights privatize(fltr::LocalWeights m, fltr::PrivacyContext const&) const {
///         for (float& v : m.values) v = std::round(v * 16) / 16;
///         return m;
///       }
///     };
///     static_assert(fltr::Privatizer<Rounded>);
///
/// Models: NoPrivacy, Clip, GammaNoise, LaplaceNoise, GaussianNoise, DistributedGaussian, RandomizedMetric, Chain.
template <class P, class M = LocalWeights>
concept Privatizer = requires(P const& p, M m, PrivacyContext const& context) {
  { p.privatize(std::move(m), context) } -> std::same_as<M>;
};

namespace composition {
/// The key of the hashes of messages in a simulation with this seed. Each thread keeps the last one: making it takes
/// longer than hashing a message.
[[nodiscard]] inline HashKey const& message_hash_key(std::uint64_t seed) noexcept {
  struct Last {
    HashKey key{};
    std::uint64_t seed = 0;
    bool made = false;
  };
  thread_local constinit Last last;
  if (!last.made || last.seed != seed)
    last = {HashKey::of(Streams{.seed = seed}.of(Purpose::message_hash)), seed, true};
  return last.key;
}
}  // namespace composition

/// The message that leaves the client: `privatize` with random numbers that belong to this message alone. Everything
/// outside of a Privatizer calls this function and not `privatize`.
template <class P, class M>
requires Privatizer<P, M>
[[nodiscard]] M privatized(P const& privatizer, M message, PrivacyContext context) {
  static_assert(composition::shows_parameters<P>());
  static_assert(
      Fingerprint::sees<M>(),
      "fltr: the Message inherits its 'fields' and may have more members than they list: required its own "
      "'auto fields(auto&& visit) { return visit(members...); }' with all of them, because noise must depend on them");
  if constexpr (composition::draws_noise<P>()) {
    auto const bind = [&](HashKey const& key) {
      Fingerprint all(key);
      all.add(privatizer).add(message).add(context.participants).add(context.interactions).add(context.broadcast);
      if (context.branch != 0) all.add(context.branch);
      auto content = all.value();
      context.streams = context.streams.bound_to(content.low, content.high);
      if (context.streams.key) {  // the message of a real client, before its noise, and its digest
        all.wipe();
        wipe(content);
      }
    };
    if (context.streams.key) {
      HashKey own = HashKey::of(context.streams.of(Purpose::message_hash));
      bind(own);
      wipe(own);
    } else {
      bind(composition::message_hash_key(context.streams.seed));
    }
  }
  return privatizer.privatize(std::move(message), context);
}

/// Calls the hook `constrain` of a privatizer that has it.
template <class P>
void constrain(P const& privatizer, std::span<float> weights) {
  if constexpr (composition::NamesHook_constrain<P>) {
    static_assert(
        requires { privatizer.constrain(weights); },
        "fltr: the Privatizer's hook 'constrain' must be callable as constrain(std::span<float>) const");
    privatizer.constrain(weights);
  }
}

/// The assumption of a loss that a Privatizer of your own states: nothing checks it.
inline constexpr char const* stated_by_policy = "stated by the policy";

/// The hook `loss` of a privatizer that has it; otherwise a loss of 0, which is no guarantee. The loss of a Privatizer that
/// is not built in has the assumption `stated_by_policy`. A loss without a bound also names the partial sums of the release
/// as a reason.
template <class P>
[[nodiscard]] PrivacyLoss loss(P const& privatizer, RoundRelease const& release) {
  if constexpr (composition::NamesHook_loss<P>) {
    static_assert(
        requires {
          { privatizer.loss(release) } -> std::same_as<PrivacyLoss>;
        }, "fltr: the Privatizer's hook 'loss' must be callable as PrivacyLoss loss(RoundRelease const&) const");
    PrivacyLoss out = privatizer.loss(release);
    if constexpr (!composition::built_in_loss<P>)
      out.assumption += out.assumption.empty() ? stated_by_policy : "; " + std::string(stated_by_policy);
    constexpr double none = std::numeric_limits<double>::infinity();
    bool const bounded = out.epsilon_accounted < none || out.rho < none || !out.rdp.empty();
    if (!bounded && out.reason.find(release.partial_sums) == std::string::npos)
      out.reason = release.partial_sums + (out.reason.empty() ? "" : "; ") + out.reason;
    return out;
  } else {
    return {};
  }
}

}  // namespace fltr
