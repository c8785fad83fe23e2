#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Different click models for different clients: client c follows `behaviours[c % behaviours.size()]`.
template <ClickModel C>
struct PerClient {
  std::vector<C> behaviours;

  [[nodiscard]] C const& of(ClientId client) const& {
    require(!behaviours.empty(), "PerClient", "at least one behaviour", behaviours.size());
    return behaviours[client % behaviours.size()];
  }

  void of(ClientId) const&& = delete;

  /// The clicks of behaviours[0]. A federation calls `of` instead.
  void click(auto const& list, std::span<std::uint8_t> clicks, Stream& stream) const {
    of(0).click(list, clicks, stream);
  }
};

}  // namespace fltr
