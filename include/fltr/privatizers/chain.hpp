#pragma once

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
    static_cast<C const&>(*this).for_each_link([&](auto const& link) { total += fltr::loss(link, release); });
    return total;
  }
};
struct NoChainLoss {};

/// Several privatizers, one after the other; their losses add up. Each link draws from streams of its own.
template <class... Ps>
class Chain : public std::conditional_t<(NamesHook_loss<Ps> || ...), ChainLoss<Chain<Ps...>>, NoChainLoss> {
 public:
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
