#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The first `cutoff` items of a list; the whole list for a cutoff of 0.
template <class T>
[[nodiscard]] constexpr std::span<T> first_ranks(std::span<T> list, std::size_t cutoff) noexcept {
  return cutoff == 0 ? list : list.first(std::min(cutoff, list.size()));
}

}  // namespace fltr
