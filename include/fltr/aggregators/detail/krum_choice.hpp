#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/cache_lines.hpp>
#include <fltr/aggregators/detail/krum_scores.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/krum_convention.hpp>
#include <fltr/core/eight_doubles.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// Bounds of the score of a row.
struct ScoreBounds {
  double low = 0.0;
  double high = 0.0;
};

/// krum_term of numbers and of eight lanes.
struct SquaredTerm {
  [[nodiscard]] double operator()(double squared) const { return squared; }
  [[nodiscard]] simd::EightDoubles of_lanes(simd::EightDoubles const& squared) const { return squared; }
};
struct OtherTerm {
  KrumDistance distance;
  [[nodiscard]] double operator()(double squared) const { return krum_term(distance, squared); }
  [[nodiscard]] simd::EightDoubles of_lanes(simd::EightDoubles const& squared) const {
    std::array<double, 8> eight;
    squared.store(eight.data());
    for (double& v : eight) v = krum_term(distance, v);
    return simd::EightDoubles::load(eight.data());
  }
};

/// The sum of the terms of the `count` smallest values lies between the bounds. A bisection on the bits of the doubles
/// encloses the largest of these values; it ends after 32 passes over the values, or if it has divided them exactly.
/// `Term` is increasing, and 0 at 0.
template <class Term>
[[nodiscard]] ScoreBounds bounds_of_sum(std::span<CacheLine<double> const> values, std::size_t count, Term term) {
  using simd::EightDoubles;
  simd::DoubleVector const zero{};
  simd::DoubleVector const infinite = zero + std::numeric_limits<double>::infinity();
  auto smallest = EightDoubles::filled(std::numeric_limits<double>::infinity());  // of the positive values
  auto largest = EightDoubles::filled(0.0);                                       // of the finite values
  std::size_t zeros = 0;
  for (auto const& line : values) {
    auto const eight = EightDoubles::load(line.data());
    smallest = EightDoubles::each([=](auto v, auto s) { return ((v > zero) & (v < s)) ? v : s; }, eight, smallest);
    largest = EightDoubles::each([=](auto v, auto l) { return ((v < infinite) & (v > l)) ? v : l; }, eight, largest);
    zeros += eight.count_at_most(0.0);
  }
  if (zeros >= count) return {};
  std::array<double, 8> eight_values;
  smallest.store(eight_values.data());
  auto low = std::bit_cast<std::uint64_t>(std::ranges::min(eight_values));
  largest.store(eight_values.data());
  auto high = std::bit_cast<std::uint64_t>(std::ranges::max(eight_values));
  for (int pass = 0; pass < 32 && low < high; ++pass) {
    std::uint64_t const middle = low + (high - low) / 2;
    std::size_t below = 0;
    for (auto const& line : values)
      below += EightDoubles::load(line.data()).count_at_most(std::bit_cast<double>(middle));
    if (below >= count) high = middle;
    if (below <= count) low = middle + 1;
  }
  // The values below low are among the smallest. The others of these are at least low and at most high.
  double const below_low = std::bit_cast<double>(low - 1);
  simd::DoubleVector const limit = zero + below_low;
  auto sums = EightDoubles::filled(0.0);
  std::size_t counted = 0;
  for (auto const& line : values) {
    auto const eight = EightDoubles::load(line.data());
    counted += eight.count_at_most(below_low);
    sums += term.of_lanes(EightDoubles::each([=](auto v) { return v <= limit ? v : zero; }, eight));
  }
  double const sum = sums.sum();
  double const rest = static_cast<double>(count - counted);
  // The sums of at most 2²⁰ terms are rounded by less than 1e-9 of their value.
  return {(sum + rest * term(std::bit_cast<double>(low))) * (1.0 - 1e-9),
          (sum + rest * term(std::bit_cast<double>(std::max(low, high)))) * (1.0 + 1e-9)};
}

/// The rows with the `count` lowest scores, in ascending order of the rows. Of equal scores the lower row is chosen.
///
/// With many rows, bounds of all scores decide which rows are chosen and which are not. Only the scores of the few rows
/// are computed for which they do not: the bits of bounds do not influence the choice.
[[nodiscard]] inline std::vector<std::size_t> krum_choice(RowDistances const& distances, std::size_t neighbours,
                                                          KrumDistance distance, std::size_t count) {
  std::size_t const n = distances.size();
  std::vector<std::size_t> chosen;
  if (n <= 64 || count == n) {
    chosen = lowest_scores(krum_scores(distances, neighbours, distance), count);
  } else {
    std::vector<double> low(n), high(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto const lines = distances.row_lines(i);
      auto const bounds = distance == KrumDistance::squared ? bounds_of_sum(lines, neighbours + 1, SquaredTerm{})
                                                            : bounds_of_sum(lines, neighbours + 1, OtherTerm{distance});
      low[i] = bounds.low;
      high[i] = bounds.high;
    }
    auto const smallest = [](std::vector<double> values, std::size_t place) {
      std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
      return values[place];
    };
    double const enough = smallest(high, count - 1);  // `count` scores are at most this
    double const next = smallest(low, count);         // n − count scores are at least this
    std::vector<std::size_t> unclear;
    std::vector<double> scores;
    for (std::size_t i = 0; i < n; ++i) {
      if (high[i] < next) {
        chosen.push_back(i);
      } else if (low[i] <= enough) {
        unclear.push_back(i);
        scores.push_back(krum_score(distances, i, neighbours, distance));
      }
    }
    for (std::size_t const place : lowest_scores(scores, count - chosen.size())) chosen.push_back(unclear[place]);
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace fltr::detail
