#pragma once

#include <fltr/concepts/attack.hpp>

namespace fltr {

/// Everybody is honest.
struct NoAttack {
  struct Nobody {
    [[nodiscard]] constexpr bool contains(ClientId) const noexcept { return false; }
  };
  [[no_unique_address]] Nobody malicious;
};
static_assert(Attack<NoAttack>);

}  // namespace fltr
