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

namespace detail {

/// The `loss` of a Chain with at least one link that states a loss.
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

}  // namespace detail

/// Several privatizers, applied from left to right. Each link draws from its own random streams. The losses of the
/// links add up. A chain in which no link states a loss has no `loss`: it guarantees nothing, which is not ε = 0.
///
/// Put links without a loss (Clip) before links with one. A link without a loss that comes later changes messages that
/// already have their noise. This keeps the guarantee of noise that protects each message (LaplaceNoise), but not that
/// of noise that protects a sum (GammaNoise states ε = ∞, see `RoundRelease::altered`).
template <class... Ps>
class Chain : public std::conditional_t<(composition::NamesHook_loss<Ps> || ...), detail::ChainLoss<Chain<Ps...>>,
                                        detail::NoChainLoss> {
 public:
  static constexpr std::size_t size = sizeof...(Ps);
  /// Whether no link after link i states a loss.
  [[nodiscard]] static constexpr bool no_loss_after(std::size_t i) {
    std::array<bool, size> const states{composition::NamesHook_loss<Ps>...};
    for (++i; i < size; ++i)
      if (states[i]) return false;
    return true;
  }

  static constexpr bool draws_noise = (composition::draws_noise<Ps>() || ...);

  explicit Chain(Ps... links) : links_(std::move(links)...) {}

  void constrain(std::span<float> weights) const {
    std::apply([&](auto const&... link) { (fltr::constrain(link, weights), ...); }, links_);
  }

  template <Message M>
  requires(Privatizer<Ps, M> && ...)
  [[nodiscard]] M privatize(M message, PrivacyContext context) const {
    // Two links must not add the same noise: each link draws from its own streams, also in a chain within a chain.
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

  auto members(auto&& visit) const { return std::apply(visit, links_); }

 private:
  std::tuple<Ps...> links_;
};

/// The losses of its links are marked one by one.
template <class... Ps>
inline constexpr bool composition::built_in_loss<Chain<Ps...>> = true;

}  // namespace fltr
