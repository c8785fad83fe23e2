#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>

namespace fltr {

/// The loss of a chain in which some link has one. A chain without noise has no `loss`: it guarantees nothing, not ε =
/// 0.
template <class C>
struct ChainLoss {
  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    PrivacyLoss total;
    std::size_t i = 0;
    static_cast<C const&>(*this).for_each_link([&](auto const& link) {
      RoundRelease own = release;
      own.altered = C::no_loss_after(i) && (release.altered || i + 1 < C::size);
      total += fltr::loss(link, own);
      ++i;
    });
    return total;
  }
};
struct NoChainLoss {};

/// Several privatizers, one after the other; their losses add up. Each link draws from streams of its own.
///
/// A link without a loss goes before those with one. After one it changes messages that have their noise already: fine
/// for noise that protects each message by itself, not for noise that protects a sum (`RoundRelease::altered`). A later
/// link that states a loss protects its input by itself.
template <class... Ps>
class Chain : public std::conditional_t<(NamesHook_loss<Ps> || ...), ChainLoss<Chain<Ps...>>, NoChainLoss> {
 public:
  static constexpr std::size_t size = sizeof...(Ps);
  /// Whether no link after link i states a loss.
  [[nodiscard]] static constexpr bool no_loss_after(std::size_t i) {
    std::array<bool, size> const states{NamesHook_loss<Ps>...};
    for (++i; i < size; ++i)
      if (states[i]) return false;
    return true;
  }

  explicit Chain(Ps... links) : links_(std::move(links)...) {}

  void constrain(std::span<float> weights) const {
    std::apply([&](auto const&... link) { (fltr::constrain(link, weights), ...); }, links_);
  }

  template <Message M>
  requires(Privatizer<Ps, M>&&...) [[nodiscard]] M privatize(M message, PrivacyContext context) const {
    // Two links that add noise must not add the same noise twice: each draws from streams of its own, and so do the
    // links of a chain within a chain.
    Stream source = context.streams.of(Purpose::privacy);
    std::apply(
        [&](auto const&... link) {
          ((context.streams = context.streams.derived(source), message = link.privatize(std::move(message), context)),
           ...);
        },
        links_);
    return message;
  }

  template <class Visit>
  void for_each_link(Visit const& visit) const {
    std::apply([&](auto const&... link) { (visit(link), ...); }, links_);
  }

 private:
  std::tuple<Ps...> links_;
};

}  // namespace fltr
