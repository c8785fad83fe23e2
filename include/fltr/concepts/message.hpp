#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>

namespace fltr {

FLTR_HOOK(complete);
FLTR_HOOK(weight);
FLTR_HOOK(dimension);

/// A **Message** is what a client sends: copyable, and it shows its members (see HasFields).
template <class M>
concept Message = std::copyable<M> && HasFields<M>;

/// A **MessageFor** a ranker can be screened: `m.fits(ranker, asked)` says whether a server may use it at all: finite,
/// of the right size, claiming no more than the `asked` interactions. What does not fit is dropped and counted.
///
/// Models: LocalWeights, EvolutionMessage, Forest.
template <class M, class R>
concept MessageFor = Message<M> && requires(M const& m, R const& ranker, std::uint32_t asked) {
  { m.fits(ranker, asked) } -> std::same_as<bool>;
};

/// The hook `m.complete(asked)` gives a message the form that it has when its client did all the `asked` interactions:
/// its length, its counts. Privatizers that state a loss need it, since otherwise the form of a message would tell
/// whether its client has data. It does nothing for a message whose form never depends on the data.
template <Message M>
void complete(M& message, std::uint32_t asked) {
  static_assert(NamesHook_complete<M>,
                "fltr: a Privatizer that states a loss needs the Message's hook 'complete(std::uint32_t asked)', which "
                "hides whether the client has data");
  static_assert(
      !NamesHook_complete<M> || requires { message.complete(asked); },
      "fltr: the Message's hook 'complete' must be callable as complete(std::uint32_t asked)");
  if constexpr (requires { message.complete(asked); }) message.complete(asked);
}

/// How much a message counts in a sum: its hook `weight()`, or 1. Mechanisms that share noise among clients need equal
/// weights.
template <Message M>
[[nodiscard]] double weight_of(M const& message) {
  if constexpr (NamesHook_weight<M>) {
    static_assert(
        requires {
          { message.weight() } -> std::convertible_to<double>;
        },
        "fltr: the Message's hook 'weight' must be callable as double weight() const");
    return message.weight();
  } else {
    return 1.0;
  }
}

/// A **FlatMessage** holds a vector of floats: what noise is added to, and what robust aggregators measure distances
/// in. Privatizers change `values` alone. After `complete`, no other member may depend on the client's data.
///
/// Optional: `M::dimension(ranker)`, static; how many values a message for this ranker has. Without it a budget must
/// count with the worst.
template <class M>
concept FlatMessage = Message<M> && requires(M m) {
  { m.values } -> std::same_as<std::vector<float>&>;
};

/// The most values that a message for this ranker can have: for prices before a round.
template <class M, class R>
[[nodiscard]] std::size_t largest_dimension(R const& ranker) {
  if constexpr (NamesHook_dimension<M>) {
    static_assert(
        requires {
          { M::dimension(ranker) } -> std::convertible_to<std::size_t>;
        },
        "fltr: the Message's hook 'dimension' must be callable as static std::size_t dimension(Ranker const&)");
    return M::dimension(ranker);
  } else {
    return FlatMessage<M> ? std::numeric_limits<std::size_t>::max() : 0;
  }
}

/// How many values a message has, for prices that depend on it; 0 for messages that are not flat.
template <Message M>
[[nodiscard]] std::size_t value_count(M const& message) noexcept {
  if constexpr (FlatMessage<M>)
    return message.values.size();
  else
    return 0;
}

}  // namespace fltr
