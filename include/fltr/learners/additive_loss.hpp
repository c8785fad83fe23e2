#pragma once

#include <concepts>
#include <cstddef>
#include <numbers>

#include <fltr/core/error.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// An **AdditiveLoss** (Agarwal et al. 2019) is the loss g of a relevant document at some rank, an increasing function.
/// Learners bound the rank from above by 1 + h, where h is a sum of hinges, and minimise g(1 + h).
///
/// | required           | meaning                                                 |
/// | ------------------ | ------------------------------------------------------- |
/// | `loss.value(rank)` | const; g(rank) for a real rank ≥ 1                      |
/// | `loss.slope(rank)` | const; the derivative of g                              |
///
/// Models: AverageRank, NegativeDcg, NegativePrecision.
template <class G>
concept AdditiveLoss = requires(G const& g, double rank) {
  { g.value(rank) } -> std::convertible_to<double>;
  { g.slope(rank) } -> std::convertible_to<double>;
};

/// g(r) = r: the mean rank of relevant documents (FedIPS; Propensity SVM-Rank of Joachims et al. 2017).
struct AverageRank {
  [[nodiscard]] static constexpr double value(double rank) noexcept { return rank; }
  [[nodiscard]] static constexpr double slope(double) noexcept { return 1.0; }
};
static_assert(AdditiveLoss<AverageRank>);

/// g(r) = −1 / log2(1 + r): the negative DCG (PropDCG of Agarwal et al. 2019).
struct NegativeDcg {
  [[nodiscard]] static double value(double rank) { return -1.0 / math::log2(1.0 + rank); }
  [[nodiscard]] static double slope(double rank) {
    double const log = math::log2(1.0 + rank);
    return 1.0 / (std::numbers::ln2 * (1.0 + rank) * log * log);
  }
};
static_assert(AdditiveLoss<NegativeDcg>);

/// g(r) = ln r / ln(k + 1) − 1 ≥ −1[r ≤ k]: the negative precision at k, bounded from above by the concave curve
/// through −1 at rank 1 and 0 at rank k + 1. The step function itself has no gradient.
struct NegativePrecision {
  std::size_t cutoff = 5;  ///< k

  [[nodiscard]] double value(double rank) const { return math::log(rank) / scale() - 1.0; }
  [[nodiscard]] double slope(double rank) const { return 1.0 / (rank * scale()); }

 private:
  [[nodiscard]] double scale() const {
    require(cutoff > 0, "NegativePrecision", "a cutoff > 0", cutoff);
    return math::log(static_cast<double>(cutoff) + 1.0);
  }
};
static_assert(AdditiveLoss<NegativePrecision>);

}  // namespace fltr
