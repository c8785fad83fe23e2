#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <fltr/data/query_view.hpp>

namespace fltr {

/// What a document of grade g is worth.
enum class Gain : std::uint8_t {
  exponential,  ///< 2^g − 1 (LightGBM, XGBoost, the papers)
  linear,       ///< g (trec_eval)
};

/// What becomes of a query without a single relevant document.
enum class EmptyQuery : std::uint8_t {
  skip,  ///< it is left out of the mean (FPDGD's offline figures)
  zero,  ///< it counts as 0 (trec_eval; FPDGD's online figures)
  one,   ///< it counts as 1 (LightGBM, XGBoost, allRank)
};

[[nodiscard]] constexpr std::optional<double> value_of(EmptyQuery empty) noexcept {
  switch (empty) {
    case EmptyQuery::zero:
      return 0.0;
    case EmptyQuery::one:
      return 1.0;
    case EmptyQuery::skip:
      break;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr double gain_of(Grade grade, Gain gain) noexcept {
  return gain == Gain::linear ? static_cast<double>(grade) : static_cast<double>((std::uint64_t{1} << grade) - 1);
}

/// 1 / log2(rank + 1) for the first ranks, rank counting from 1.
[[nodiscard]] inline std::array<double, 64> const& discount_table() noexcept {
  static std::array<double, 64> const table = [] {
    std::array<double, 64> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / std::log2(static_cast<double>(i) + 2.0);
    return values;
  }();
  return table;
}

/// 1 / log2(rank + 1), rank counting from 1.
[[nodiscard]] inline double rank_discount(std::size_t rank) noexcept {
  auto const& table = discount_table();
  return rank <= table.size() ? table[rank - 1] : 1.0 / std::log2(static_cast<double>(rank) + 1.0);
}

/// The first `cutoff` items of a list (all of them for 0).
template <class T>
[[nodiscard]] constexpr std::span<T> first_ranks(std::span<T> list, std::size_t cutoff) noexcept {
  return cutoff == 0 ? list : list.first(std::min(cutoff, list.size()));
}

/// Σ gain(grade at rank r) / log2(r + 1) over the first `cutoff` ranks.
[[nodiscard]] inline double discounted_gain(std::span<Grade const> grades, std::size_t cutoff, Gain gain) noexcept {
  double sum = 0.0;
  auto const seen = first_ranks(grades, cutoff);
  auto const& table = discount_table();
  std::size_t const tabled = std::min(seen.size(), table.size());
  for (std::size_t i = 0; i < tabled; ++i) sum += gain_of(seen[i], gain) * table[i];
  for (std::size_t i = tabled; i < seen.size(); ++i) sum += gain_of(seen[i], gain) * rank_discount(i + 1);
  return sum;
}

}  // namespace fltr
