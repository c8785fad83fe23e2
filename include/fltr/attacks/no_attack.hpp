#pragma once

#include <fltr/concepts/attack.hpp>

namespace fltr {

/// All clients are honest.
struct NoAttack {
  /// The empty set of clients.
  struct NoClients {
    [[nodiscard]] constexpr bool contains(ClientId) const noexcept { return false; }
  };
  [[no_unique_address]] NoClients malicious;
};
static_assert(Attack<NoAttack>);

}  // namespace fltr
