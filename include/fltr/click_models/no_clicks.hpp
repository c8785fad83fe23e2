#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_model.hpp>

namespace fltr {

/// Nobody clicks: for learning from labels or from logs.
struct NoClicks {
  void click(std::span<Grade const>, std::span<std::uint8_t> clicks, Stream&) const {
    std::ranges::fill(clicks, std::uint8_t{0});
  }
};
static_assert(ClickModel<NoClicks>);

}  // namespace fltr
