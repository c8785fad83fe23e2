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
    std::apply(
        [&](auto const&... link) {
          ((message = link.privatize(std::move(message), context), next_streams(context)), ...);
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
  /// Two links that add noise must not add the same noise twice: each works under another seed.
  static void next_streams(PrivacyContext& context) {
    context.streams.seed = context.streams.seed * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  std::tuple<Ps...> links_;
};

}  // namespace fltr
