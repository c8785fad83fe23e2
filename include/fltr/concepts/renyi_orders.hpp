#pragma once

#include <array>
#include <cstddef>

#include <fltr/core/compiler.hpp>

namespace fltr {

namespace composition {

[[nodiscard]] constexpr auto make_renyi_orders() {
  std::array<double, 323> orders{};
  std::size_t i = 0;
  for (double const near_one : {1.0005, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006, 1.007, 1.008, 1.009})
    orders[i++] = near_one;
  for (int k = 1010; k <= 1150; ++k) orders[i++] = k / 1000.0;     // 1.01 … 1.15
  for (int k = 1155; k <= 1200; k += 5) orders[i++] = k / 1000.0;  // 1.155 … 1.2
  for (int k = 121; k <= 150; ++k) orders[i++] = k / 100.0;        // 1.21 … 1.5
  for (int k = 155; k <= 200; k += 5) orders[i++] = k / 100.0;     // 1.55 … 2
  for (int k = 21; k <= 50; ++k) orders[i++] = k / 10.0;           // 2.1 … 5
  for (int k = 21; k <= 43; ++k) orders[i++] = k / 4.0;            // 5.25 … 10.75
  for (int k = 11; k <= 64; ++k) orders[i++] = k;                  // 11 … 64
  for (int k = 72; k <= 128; k += 8) orders[i++] = k;              // 72 … 128
  for (int k = 160; k <= 256; k += 32) orders[i++] = k;            // 160 … 256
  for (int k = 512; k <= 2048; k *= 2) orders[i++] = k;            // 512, 1024, 2048
  return orders;
}

}  // namespace composition

/// The orders α > 1, rising, at which a ledger keeps Rényi divergences. Orders near 1 serve large losses, large orders
/// small ones.
inline constexpr auto renyi_orders = composition::make_renyi_orders();
static_assert(renyi_orders.back() == 2048.0);

}  // namespace fltr
