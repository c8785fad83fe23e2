#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_model.hpp>

namespace fltr {

/// A click model that never clicks, for learners that use grades or logs.
struct NoClicks {
  void click(std::span<Grade const>, std::span<std::uint8_t> clicks, Stream&) const {
    std::ranges::fill(clicks, std::uint8_t{0});
  }
};
static_assert(ClickModel<NoClicks>);

}  // namespace fltr
