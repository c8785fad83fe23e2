#pragma once

#include <cstdint>

#include <fltr/concepts/unlearner.hpp>

namespace fltr {

/// Clients keep nothing of a round, and no client can be forgotten.
struct NoUnlearning {
  [[nodiscard]] constexpr bool keeps(std::uint32_t) const noexcept { return false; }
};
static_assert(Unlearner<NoUnlearning>);

}  // namespace fltr
