#pragma once

#include <array>
#include <cstddef>

#include <fltr/core/logarithm.hpp>

namespace fltr {

namespace detail {

/// 1 / log2(rank + 1) for ranks 1 to 64.
[[nodiscard]] inline std::array<double, 64> const& discount_table() noexcept {
  static std::array<double, 64> const table = [] {
    std::array<double, 64> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / math::log2(static_cast<double>(i) + 2.0);
    return values;
  }();
  return table;
}

}  // namespace detail

/// 1 / log2(rank + 1), the discount of DCG. The first rank is 1.
[[nodiscard]] inline double rank_discount(std::size_t rank) noexcept {
  auto const& table = detail::discount_table();
  return rank <= table.size() ? table[rank - 1] : 1.0 / math::log2(static_cast<double>(rank) + 1.0);
}

}  // namespace fltr
