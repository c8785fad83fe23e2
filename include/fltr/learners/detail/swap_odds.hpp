#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace fltr::detail {

/// The odds P(R) / P(R*) of a list and the list with two ranks swapped (PDGD eq. 6), for all pairs of one list.
///
/// With Z_i the mass of the documents that are not placed before rank i,
/// P(R) / P(R*) = Π_{i = lo+1..hi} (Z_i + e^{s(lo)} − e^{s(hi)}) / Z_i. Z_i − e^{s(hi)} is summed from its parts,
/// because the difference would lose all digits if one document has nearly all the mass. All factors are on the same
/// side of 1, so the product may leave the range of double (and ρ become exactly 0 or 1), but it is never 0 · ∞.
class SwapOdds {
 public:
  /// `shown`: the masses of the displayed documents in rank order; `rest`: the mass of all other documents; `room`: a
  /// buffer of twice as many values as `shown`.
  SwapOdds(std::span<double const> shown, double rest, std::span<double> room)
      : shown_(shown), behind_(room.first(shown.size())), inverse_(room.subspan(shown.size(), shown.size())) {
    double mass = rest;
    for (std::size_t i = shown.size(); i > 0; --i) {
      room[i - 1] = mass;
      mass += shown[i - 1];
      room[shown.size() + i - 1] = 1.0 / mass;
    }
  }

  [[nodiscard]] double operator()(std::size_t a, std::size_t b) const {
    std::size_t const low = std::min(a, b);
    std::size_t const high = std::max(a, b);
    double odds = 1.0;
    double without_high = behind_[high];
    for (std::size_t i = high; i > low; --i) {
      odds *= (without_high + shown_[low]) * inverse_[i];
      without_high += shown_[i - 1];
    }
    return odds;
  }

 private:
  std::span<double const> shown_;
  std::span<double const> behind_;   // Z_{i+1}: the mass after rank i
  std::span<double const> inverse_;  // 1 / Z_i: one division per rank instead of one per pair and rank
};

}  // namespace fltr::detail
