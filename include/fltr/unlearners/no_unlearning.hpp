#pragma once

#include <cstdint>

#include <fltr/concepts/unlearner.hpp>

namespace fltr {

/// Nothing is kept and nobody is forgotten.
struct NoUnlearning {
  [[nodiscard]] constexpr bool keeps(std::uint32_t) const noexcept { return false; }
};
static_assert(Unlearner<NoUnlearning>);

}  // namespace fltr
