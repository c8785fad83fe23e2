#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/exponential.hpp>
#include <fltr/learners/detail/pair_gradient.hpp>

namespace fltr::detail {

/// The odds of SwapOdds in a number of operations that does not grow with the list: for lists that are so long that a
/// product over the ranks between the two is too slow.
///
/// With δ = m_lo − m_hi the logarithm of the odds is Σ_{i = lo+1..hi} ln(1 + δ/Z_i), and Z_i falls with i. Ranks with
/// Z_i ≥ 4 |δ| are the first ones. For them ln(1 + x) = Σ_k (−1)^(k+1) x^k / k is cut after 16 terms, and the sums of
/// Z_i^−k are differences of sums from the first rank on, which are kept as T_k(i) = Σ_{j ≤ i} (Z_i/Z_j)^k ≤ i, so that
/// no power leaves the range of double. The error of the logarithm is below 4e-12 per rank. The other ranks are
/// multiplied as in SwapOdds. Each of their factors is above 5/4 or below 3/4, and the product ends above 1e30 or below
/// 2^-64, after at most 310 factors: the weight of a pair is then below 1e-30, or its 1 + odds is 1.
class LongSwapOdds {
 public:
  /// Lists above this length use it. Shorter ones are faster with SwapOdds.
  static constexpr std::size_t above = 256;

  /// As in SwapOdds. The buffer keeps 19 numbers per rank.
  template <class Mass>
  LongSwapOdds(std::size_t ranks, Mass const& mass, double rest, std::vector<double>& buffer, std::size_t end) {
    if (buffer.size() < (3 + terms) * end) buffer.resize((3 + terms) * end);
    shown_ = buffer.data();
    behind_ = shown_ + end;
    inverse_ = behind_ + end;
    series_ = inverse_ + end;
    double sum = rest;
    for (std::size_t i = ranks; i > end; --i) sum += mass(i - 1);
    for (std::size_t i = end; i > 0; --i) {
      behind_[i - 1] = sum;
      shown_[i - 1] = mass(i - 1);
      sum += shown_[i - 1];
      inverse_[i - 1] = 1.0 / sum;
    }
    std::array<double, terms> sums{};
    for (std::size_t i = 1; i < end; ++i) {
      double const ratio = behind_[i - 1] * inverse_[i - 1];  // Z_i / Z_{i−1}
      double power = 1.0;
      for (std::size_t k = 0; k < terms; ++k) {
        power *= ratio;
        sums[k] = 1.0 + power * sums[k];
        double const coefficient = (k % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(k + 1);
        series_[i * terms + k] = coefficient * sums[k];
      }
    }
  }

  struct Odds {
    double value = 1.0;
    std::size_t factors = 0;  ///< that were multiplied
  };

  /// The odds for two ranks, low < high.
  [[nodiscard]] Odds operator()(std::size_t low, std::size_t high) const {
    double const delta = shown_[low] - shown_[high];
    double const far = 4.0 * std::abs(delta);
    Odds odds;
    double without_high = behind_[high];
    for (std::size_t i = high; i > low; --i, ++odds.factors) {
      if (i - low > terms && behind_[i - 1] >= far) {  // Z_i
        odds.value *= math::exp(first_ranks(i, delta) - first_ranks(low, delta));
        return odds;
      }
      odds.value *= (without_high + shown_[low]) * inverse_[i];
      without_high += shown_[i - 1];
      if (odds.value > 1e30 || odds.value < 0x1p-64) return odds;
    }
    return odds;
  }

  [[nodiscard]] double mass(std::size_t rank) const { return shown_[rank]; }

 private:
  static constexpr std::size_t terms = 16;

  /// Σ_{j = 1..i} ln(1 + δ/Z_j), for Z_i ≥ 4 |δ|.
  [[nodiscard]] double first_ranks(std::size_t i, double delta) const {
    if (i == 0) return 0.0;
    double const x = delta * inverse_[i];
    double const* const t = series_ + i * terms;
    double sum = 0.0;
    for (std::size_t k = terms; k > 0; --k) sum = (sum + t[k - 1]) * x;
    return sum;
  }

  double* shown_;
  double* behind_;   // Z_{i+1}: the mass after rank i
  double* inverse_;  // 1 / Z_i
  double* series_;   // (−1)^(k+1) T_k(i) / k, by rank
};

/// add_pair_gradient for long lists: quadratic in the number of ranks.
inline void add_long_pair_gradient(LongSwapOdds const& odds, std::span<std::uint8_t const> clicks,
                                   std::span<std::uint32_t const> order, std::span<float> score_gradient) {
  std::vector<double> gradient(clicks.size(), 0.0);  // thousands of weights are added
  for (std::size_t low = 0; low < clicks.size(); ++low)
    for (std::size_t high = low + 1; high < clicks.size(); ++high) {
      if ((clicks[low] != 0) == (clicks[high] != 0)) continue;
      double const weight = pair_weight(odds(low, high).value, odds.mass(low), odds.mass(high));
      gradient[low] += clicks[low] != 0 ? weight : -weight;
      gradient[high] += clicks[high] != 0 ? weight : -weight;
    }
  for (std::size_t i = 0; i < clicks.size(); ++i) score_gradient[order[i]] += static_cast<float>(gradient[i]);
}

}  // namespace fltr::detail
