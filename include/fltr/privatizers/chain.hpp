#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>

namespace fltr {

/// Several privatizers, one after the other; their losses add up. Each link draws from streams of its own.
template <class... Ps>
class Chain {
 public:
  explicit Chain(Ps... links) : links_(std::move(links)...) {}

  void constrain(std::span<float> weights) const {
    std::apply([&](auto const&... link) { (fltr::constrain(link, weights), ...); }, links_);
  }

  template <Message M>
  requires(Privatizer<Ps, M>&&...) [[nodiscard]] M privatize(M message, PrivacyContext context) const {
    // Two links that add noise must not add the same noise twice: each works under a seed of its own, and so do the
    // links of a chain within a chain.
    Stream seeds = context.streams.of(Purpose::privacy);
    std::apply(
        [&](auto const&... link) {
          ((context.streams.seed = seeds.bits64(), message = link.privatize(std::move(message), context)), ...);
        },
        links_);
    return message;
  }

  [[nodiscard]] PrivacyLoss loss(Release const& release) const {
    PrivacyLoss total;
    std::apply([&](auto const&... link) { ((total += fltr::loss(link, release)), ...); }, links_);
    return total;
  }

 private:
  std::tuple<Ps...> links_;
};

}  // namespace fltr
