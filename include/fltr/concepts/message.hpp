#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(complete);
FLTR_HOOK(weight);
FLTR_HOOK(dimension);
FLTR_HOOK(discloses);
FLTR_HOOK(fields);
FLTR_HOOK(wire_name);
}  // namespace composition

/// A **Message** is a value that a client sends to the server: copyable, with fields (see HasFields).
template <class M>
concept Message = std::copyable<M> && HasFields<M>;

/// A **MessageFor** a ranker is a Message that the server can screen.
///
/// | required                  | meaning                                                                              |
/// | ------------------------- | ------------------------------------------------------------------------------------ |
/// | `m.fits(ranker, asked)`   | const; returns bool: whether the message may be aggregated: finite values, the size  |
/// |                           | of this ranker, no more than the `asked` interactions                                |
/// | `m.fields(visit)`         | see HasFields                                                                        |
///
/// | optional                  | meaning                                                                              |
/// | ------------------------- | ------------------------------------------------------------------------------------ |
/// | `m.complete(asked)`       | gives the message the form that it has after all `asked` interactions; privatizers   |
/// |                           | with a `loss` need it                                                                |
/// | `m.weight()`              | const; returns the weight of the message in a sum; default 1                         |
/// | `M::dimension(ranker)`    | static; returns the number of values of a message for this ranker; without it a      |
/// |                           | budget counts with the largest number                                                |
/// | `M::discloses(ranker)`    | static; returns a string: what the message tells about the client's data outside of  |
/// |                           | `values`, where privatizers do not change it; empty: nothing. A round with such a    |
/// |                           | message accounts epsilon = infinity, with this text as the reason; default: nothing  |
///
/// A message that does not fit is rejected: it is counted and not used.
///
///     struct OneNumber {
///       float value = 0;
///       bool fits(auto const&, std::uint32_t) const { return std::isfinite(value); }
///       auto fields(auto&& visit) { return visit(value); }
///     };
///     static_assert(fltr::MessageFor<OneNumber, fltr::archetypes::DifferentiableRanker>);
///
/// Models: LocalWeights, ClusterWeights, EvolutionMessage, Forest. Stronger: FlatMessage.
template <class M, class R>
concept MessageFor = Message<M> && requires(M const& m, R const& ranker, std::uint32_t asked) {
  { m.fits(ranker, asked) } -> std::same_as<bool>;
};

/// Calls the hook `m.complete(asked)`: the message gets the length and the counts that it has when its client made all
/// `asked` interactions. Privatizers with a `loss` call it, because the form of a message would otherwise reveal
/// whether its client has data. A message whose form never depends on the data has an empty `complete`.
template <Message M>
void complete(M& message, std::uint32_t asked) {
  static_assert(composition::NamesHook_complete<M>,
                "fltr: a Privatizer that states a loss needs the Message's hook 'complete(std::uint32_t asked)', which "
                "hides whether the client has data");
  static_assert(
      !composition::NamesHook_complete<M> || requires { message.complete(asked); },
      "fltr: the Message's hook 'complete' must be callable as complete(std::uint32_t asked)");
  if constexpr (requires { message.complete(asked); }) message.complete(asked);
}

/// The weight of a message in a sum: its hook `weight()`, or 1. Mechanisms that share noise among clients need equal
/// weights.
template <Message M>
[[nodiscard]] double weight_of(M const& message) {
  if constexpr (composition::NamesHook_weight<M>) {
    static_assert(
        requires {
          { message.weight() } -> std::convertible_to<double>;
        }, "fltr: the Message's hook 'weight' must be callable as double weight() const");
    return message.weight();
  } else {
    return 1.0;
  }
}

/// A **FlatMessage** is a Message with a member `values`, a std::vector<float>. Privatizers add noise to it, and robust
/// aggregators measure distances in it. Privatizers change no other member: after `complete`, no other member may
/// depend on the client's data, unless the hook `discloses` says so.
template <class M>
concept FlatMessage = Message<M> && requires(M m) {
  { m.values } -> std::same_as<std::vector<float>&>;
};

namespace composition {

/// The largest number of values of a message for this ranker, for prices before a round.
template <class M, class R>
[[nodiscard]] std::size_t largest_dimension(R const& ranker) {
  if constexpr (composition::NamesHook_dimension<M>) {
    static_assert(
        requires {
          { M::dimension(ranker) } -> std::convertible_to<std::size_t>;
        }, "fltr: the Message's hook 'dimension' must be callable as static std::size_t dimension(Ranker const&)");
    return M::dimension(ranker);
  } else {
    return FlatMessage<M> ? std::numeric_limits<std::size_t>::max() : 0;
  }
}

/// What a message tells about the client's data although a privatizer changed it: its hook `discloses`, or nothing.
template <class M, class R>
[[nodiscard]] std::string disclosure(R const& ranker) {
  if constexpr (composition::NamesHook_discloses<M>) {
    static_assert(
        requires { std::string(M::discloses(ranker)); },
        "fltr: the Message's hook 'discloses' must be callable as static std::string discloses(Ranker const&)");
    return std::string(M::discloses(ranker));
  } else {
    return {};
  }
}

/// The number of values of a message, for prices that depend on it; 0 for messages that are not flat.
template <Message M>
[[nodiscard]] std::size_t value_count(M const& message) noexcept {
  if constexpr (FlatMessage<M>)
    return message.values.size();
  else
    return 0;
}

}  // namespace composition

}  // namespace fltr
