#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// A behaviour per client: client c follows behaviours[c mod their number].
template <ClickModel C>
struct PerClient {
  std::vector<C> behaviours;

  [[nodiscard]] C const& of(ClientId client) const& {
    require(!behaviours.empty(), "PerClient", "at least one behaviour", behaviours.size());
    return behaviours[client % behaviours.size()];
  }

  void of(ClientId) const&& = delete;

  /// Outside a federation, where no client is known: the first behaviour.
  void click(std::span<Grade const> grades, std::span<std::uint8_t> clicks, Stream& stream) const {
    of(0).click(grades, clicks, stream);
  }
};

}  // namespace fltr
