#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <fltr/core/error.hpp>

namespace fltr {

/// Kendall's τ-b of two lists of scores of the same documents:
///
///     τ = (concordant − discordant) / √((pairs − ties in a) · (pairs − ties in b))
///
/// 1: the same order; −1: the reverse order. None if one of the lists has no two different scores. Takes O(n²).
[[nodiscard]] inline std::optional<double> kendall_tau(std::span<float const> a, std::span<float const> b) {
  require(a.size() == b.size(), "kendall_tau", "as many scores of b as of a, " + std::to_string(a.size()), b.size());
  std::int64_t balance = 0;  // concordant − discordant
  std::int64_t untied_a = 0;
  std::int64_t untied_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      int const in_a = static_cast<int>(a[i] > a[j]) - static_cast<int>(a[i] < a[j]);
      int const in_b = static_cast<int>(b[i] > b[j]) - static_cast<int>(b[i] < b[j]);
      balance += in_a * in_b;
      untied_a += in_a * in_a;
      untied_b += in_b * in_b;
    }
  if (untied_a == 0 || untied_b == 0) return std::nullopt;
  return static_cast<double>(balance) / std::sqrt(static_cast<double>(untied_a) * static_cast<double>(untied_b));
}

}  // namespace fltr
