#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/eight_doubles.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// The odds P(R) / P(R*) of a list and the list with two ranks swapped (PDGD eq. 6), for all pairs of one list.
///
/// With Z_i the mass of the documents that are not placed before rank i,
/// P(R) / P(R*) = Π_{i = lo+1..hi} (Z_i + e^{s(lo)} − e^{s(hi)}) / Z_i. Z_i − e^{s(hi)} is summed from its parts,
/// because the difference would lose all digits if one document has nearly all the mass. All factors are on the same
/// side of 1, so the product may leave the range of double (and ρ become exactly 0 or 1), but it is never 0 · ∞.
class SwapOdds {
 public:
  /// The number of ranks that are computed at once.
  static constexpr std::size_t block = 8;

  /// `shown`: the masses of the displayed documents in rank order; `rest`: the mass of all other documents; `buffer`
  /// keeps the table.
  SwapOdds(std::span<double const> shown, double rest, std::vector<double>& buffer)
      : SwapOdds(shown.size(), [&](std::size_t i) { return shown[i]; }, rest, buffer, shown.size()) {}

  /// `mass(i)` is the mass of the document at rank i of `ranks`. Only the first `end` ranks are swapped.
  template <class Mass>
  SwapOdds(std::size_t ranks, Mass const& mass, double rest, std::vector<double>& buffer, std::size_t end) {
    std::size_t const padded = end + 2 * block;  // of_distance reads up to 15 values from the end on
    if (buffer.size() < 4 * padded) buffer.resize(4 * padded);
    shown_ = buffer.data();
    behind_ = shown_ + padded;
    inverse_ = behind_ + padded;
    spare_ = {inverse_ + padded, padded};
    std::fill_n(shown_ + end, 2 * block, 1.0);
    std::fill_n(behind_ + end, 2 * block, 1.0);
    std::fill_n(inverse_ + end, 2 * block, 1.0);
    double sum = rest;
    for (std::size_t i = ranks; i > end; --i) sum += mass(i - 1);
    for (std::size_t i = end; i > 0; --i) {
      behind_[i - 1] = sum;
      shown_[i - 1] = mass(i - 1);
      sum += shown_[i - 1];
      inverse_[i - 1] = 1.0 / sum;
    }
  }

  /// The odds for the ranks first + i and first + i + distance, for i from 0 to 7. Values for ranks from `end` on have no
  /// meaning. They are never NaN. Requires first + distance < end.
  [[nodiscard, gnu::always_inline]] simd::EightDoubles of_distance(std::size_t distance, std::size_t first) const {
    auto const low = masses(first);
    auto odds = simd::EightDoubles::filled(1.0);
    auto without_high = simd::EightDoubles::load(behind_ + first + distance);
    for (std::size_t i = first + distance; i > first; --i) {
      odds = simd::EightDoubles::each(
          [](auto o, auto without, auto m, auto inverse) {
            return simd::rounded_product(o, simd::rounded_product(without + m, inverse));
          },
          odds, without_high, low, simd::EightDoubles::load(inverse_ + i));
      without_high += masses(i - 1);
    }
    return odds;
  }

  /// The masses of the 8 ranks from `first` on.
  [[nodiscard, gnu::always_inline]] simd::EightDoubles masses(std::size_t first) const {
    return simd::EightDoubles::load(shown_ + first);
  }

  /// end + 16 numbers of the buffer that are free for the caller.
  [[nodiscard]] std::span<double> spare() const { return spare_; }

  /// The odds for two ranks.
  [[nodiscard]] double operator()(std::size_t a, std::size_t b) const {
    std::array<double, block> odds;
    of_distance(std::max(a, b) - std::min(a, b), std::min(a, b)).store(odds.data());
    return odds[0];
  }

 private:
  // All three are 1 from `end` on.
  double* shown_;
  double* behind_;   // Z_{i+1}: the mass after rank i
  double* inverse_;  // 1 / Z_i: one division per rank instead of one per pair and rank
  std::span<double> spare_;
};

}  // namespace fltr::detail
