#pragma once

#include <array>
#include <cstddef>

namespace fltr {

namespace composition {

[[nodiscard]] constexpr auto make_renyi_orders() {
  std::array<double, 187> orders{};
  std::size_t i = 0;
  for (double const near_one : {1.0005, 1.001, 1.002, 1.003, 1.004, 1.006, 1.008}) orders[i++] = near_one;
  for (int k = 1; k <= 9; ++k) orders[i++] = (100 + k) / 100.0;  // 1.01 … 1.09
  for (int k = 11; k <= 109; ++k) orders[i++] = k / 10.0;        // 1.1 … 10.9
  for (int k = 11; k <= 64; ++k) orders[i++] = k;                // 11 … 64
  for (int k = 72; k <= 128; k += 8) orders[i++] = k;            // 72 … 128
  for (int k = 160; k <= 256; k += 32) orders[i++] = k;          // 160 … 256
  for (int k = 512; k <= 16384; k *= 2) orders[i++] = k;         // 512 … 16,384
  return orders;
}

}  // namespace composition

/// The orders α > 1, rising, at which a ledger keeps Rényi divergences. Orders near 1 serve large losses, large orders
/// small ones.
inline constexpr auto renyi_orders = composition::make_renyi_orders();
static_assert(renyi_orders.back() == 16384.0);

}  // namespace fltr
