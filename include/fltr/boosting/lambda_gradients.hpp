#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/lane_sum.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/dcg.hpp>
#include <fltr/metrics/gain.hpp>
#include <fltr/metrics/rank_discount.hpp>

namespace fltr {

/// The pairs that LambdaRank compares, and their weights. The defaults are LightGBM's.
struct LambdaOptions {
  std::size_t truncation = 30;  ///< a pair counts if at least one of the two is within these ranks (0: every pair)
  double sigmoid = 1.0;         ///< σ, the steepness
  bool normalize =
      true;  ///< normalise by score distances within a query and by the sums of queries, see LambdaGradients
  Gain gain = Gain::exponential;  ///< of the nDCG that a swap changes

  void check() const {
    require(std::isfinite(sigmoid) && sigmoid > 0.0, "LambdaOptions", "a finite sigmoid > 0", sigmoid);
  }
};

/// LambdaRank's gradients (Burges 2010), query by query. The documents are ranked by score. Each pair of a document h
/// of a higher grade and a document l of a lower grade adds
///
///   |ΔnDCG| · log(1 + e^{−σ(s_h − s_l)})
///
/// to a loss. ΔnDCG is the change of nDCG if the two documents swap ranks; it is treated as a constant:
///
///   |ΔnDCG| = (gain_h − gain_l) · |1/log2(1 + rank_h) − 1/log2(1 + rank_l)| / ideal DCG at the truncation.
///
/// With `normalize`, as in LightGBM, the weight of a pair is divided by 0.01 + |s_h − s_l| (unless all scores are
/// equal). Then all values of the query are multiplied by log2(1 + S) / S, where S is the sum of |gradient| over both
/// documents of all pairs.
///
/// The sigmoid needs one exponential per document, E = e^{σ(s − max)}, because for every pair
/// 1 / (1 + e^{σ(s_h − s_l)}) = E_l / (E_h + E_l). This is accurate for scores up to 700/σ below the highest one. Pairs
/// of the same grade have weight 0 instead of being skipped, so that eight pairs are computed at the same time.
///
/// An object keeps its buffers: it allocates no memory after the longest query.
class LambdaGradients {
 public:
  explicit LambdaGradients(LambdaOptions const& options = {}) : options_(options) {
    options_.check();
    for (std::size_t g = 0; g < gains_.size(); ++g) gains_[g] = gain_of(static_cast<Grade>(g), options_.gain);
  }

  /// Computes the gradient and the second derivative of the loss for each document. Training goes against the gradient:
  /// a learner's score_gradient is its negative. `hessians` may be empty. Requires finite scores, one per document.
  /// Returns S.
  template <std::floating_point T>
  double operator()(QueryView query, std::span<float const> scores, std::span<T> gradients, std::span<T> hessians) {
    std::size_t const n = scores.size();
    double const ideal = Dcg{options_.truncation, options_.gain}.measure({query.ideal(), query.ideal()});
    double total = 0.0;
    if (n > 1 && ideal > 0.0) {
      rank(query, scores, 1.0 / ideal);
      std::size_t const heads = std::min(options_.truncation == 0 ? n : options_.truncation, n - 1);
      bool const by_distance = options_.normalize && score_[0] != score_[n - 1];
      for (std::size_t i = 0; i < heads; ++i) total += by_distance ? compare<true>(i, n) : compare<false>(i, n);
    }
    if (!(total > 0.0)) {
      std::ranges::fill(gradients, T{0});
      std::ranges::fill(hessians, T{0});
      return 0.0;
    }
    double const scale = options_.normalize ? math::log2(1.0 + total) / total : 1.0;
    for (std::size_t r = 0; r < n; ++r) gradients[order_[r]] = static_cast<T>(scale * gradient_[r]);
    if (!hessians.empty())
      for (std::size_t r = 0; r < n; ++r) hessians[order_[r]] = static_cast<T>(scale * hessian_[r]);
    return total;
  }

 private:
  static constexpr std::size_t lanes = simd::lanes;
  using Sums = std::array<double, lanes>;

  /// Computes the values that pairs need, in rank order.
  void rank(QueryView query, std::span<float const> scores, double inverse_ideal) {
    std::size_t const n = scores.size();
    top_k_(scores, n, order_);
    for (std::size_t r = discount_.size(); r < n; ++r) discount_.push_back(rank_discount(r + 1));
    for (auto* column : {&score_, &mass_, &gain_, &gradient_, &hessian_}) column->resize(n);
    for (std::size_t r = 0; r < n; ++r) {
      score_[r] = static_cast<double>(scores[order_[r]]);
      gain_[r] = gains_[query.grades()[order_[r]]] * inverse_ideal;
      mass_[r] = options_.sigmoid * (score_[r] - score_[0]);
    }
    simd::exp_in_place(mass_);
    std::ranges::fill(gradient_, 0.0);
    std::ranges::fill(hessian_, 0.0);
  }

  /// Compares the document of rank i with all documents of higher rank numbers. Returns their part of S.
  template <bool ByDistance>
  double compare(std::size_t i, std::size_t n) {
    double const score = score_[i];
    double const mass = mass_[i];
    double const gain = gain_[i];
    double const discount = discount_[i];
    double const sigmoid = options_.sigmoid;
    Sums gradients{};
    Sums hessians{};
    Sums sizes{};
    // The gradient of document j is positive if document i has the higher grade.
    auto const pair = [&](std::size_t j, std::size_t lane) {
      double const gap = gain - gain_[j];
      double const distance = ByDistance ? 0.01 + std::abs(score - score_[j]) : 1.0;
      double const both = mass + mass_[j];
      double const inverse = 1.0 / (both * distance);
      double const worse = gap > 0.0 ? mass_[j] : mass;
      double const better = gap > 0.0 ? mass : mass_[j];
      double const gradient = sigmoid * gap * std::abs(discount - discount_[j]) * (inverse * worse);
      double const size = std::abs(gradient);
      double const hessian = sigmoid * size * (better * (inverse * distance));
      gradient_[j] += gradient;
      hessian_[j] += hessian;
      gradients[lane] += gradient;
      hessians[lane] += hessian;
      sizes[lane] += size;
    };
    std::size_t j = i + 1;
    for (; j + lanes <= n; j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) pair(j + lane, lane);
    for (std::size_t lane = 0; j + lane < n; ++lane) pair(j + lane, lane);
    gradient_[i] -= simd::lane_sum(gradients.data());
    hessian_[i] += simd::lane_sum(hessians.data());
    return 2.0 * simd::lane_sum(sizes.data());
  }

  LambdaOptions options_;
  std::array<double, largest_grade + 1> gains_{};  // of each grade
  TopK top_k_;
  std::vector<std::uint32_t> order_;
  std::vector<double> discount_;                                  // of each rank, up to the longest query so far
  std::vector<double> score_, mass_, gain_, gradient_, hessian_;  // in rank order
};

}  // namespace fltr
