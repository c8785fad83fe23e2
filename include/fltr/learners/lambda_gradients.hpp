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
#include <fltr/core/simd.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/gain.hpp>

namespace fltr {

/// Which pairs LambdaRank compares, and how it weighs them. The defaults are LightGBM's.
struct LambdaOptions {
  std::size_t truncation = 30;    ///< a pair counts if one of the two stands within these ranks (0: every pair)
  double sigmoid = 1.0;           ///< σ, the steepness
  bool normalize = true;          ///< even out score distances within a query, and the sums of queries (see below)
  Gain gain = Gain::exponential;  ///< of the nDCG that a swap changes

  void check() const {
    require(std::isfinite(sigmoid) && sigmoid > 0.0, "LambdaOptions", "a finite sigmoid > 0", sigmoid);
  }
};

/// LambdaRank's gradients (Burges 2010) of one query after the other. With the documents ranked by score, each pair of
/// a better document h and a worse one l adds
///
///   |ΔnDCG| · log(1 + e^{−σ(s_h − s_l)})
///
/// to a loss, ΔnDCG being what swapping the two would change, held fixed:
///
///   |ΔnDCG| = (gain_h − gain_l) · |1/log2(1 + rank_h) − 1/log2(1 + rank_l)| / ideal DCG at the truncation.
///
/// Normalised as in LightGBM, a pair's weight is divided by 0.01 + |s_h − s_l| (unless all scores are equal), then all
/// numbers of the query are multiplied by log2(1 + S) / S, with S the sum of |gradient| over both sides of all pairs.
///
/// There is no table of the sigmoid: with E = e^{σ(s − max)}, one exponential per document, every pair has
/// 1 / (1 + e^{σ(s_h − s_l)}) = E_l / (E_h + E_l), without a branch (exact for scores up to 700/σ below the best).
/// Pairs of the same grade weigh 0 instead of being skipped, so that eight pairs are worked on at a time.
///
/// An object keeps its buffers: nothing is allocated once it has seen the longest query.
class LambdaGradients {
 public:
  explicit LambdaGradients(LambdaOptions const& options = {}) : options_(options) {
    options_.check();
    for (std::size_t g = 0; g < gains_.size(); ++g) gains_[g] = gain_of(static_cast<Grade>(g), options_.gain);
  }

  /// Fills one gradient of the loss (to be descended; a credit is its negative) and one second derivative per document.
  /// `hessians` may be empty. Requires finite scores, one per document. Returns S before it was normalised.
  template <std::floating_point T>
  double operator()(QueryView query, std::span<float const> scores, std::span<T> gradients, std::span<T> hessians) {
    std::size_t const n = scores.size();
    double const ideal = discounted_gain(query.ideal(), options_.truncation, options_.gain);
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
    double const scale = options_.normalize ? std::log2(1.0 + total) / total : 1.0;
    for (std::size_t r = 0; r < n; ++r) gradients[order_[r]] = static_cast<T>(scale * gradient_[r]);
    if (!hessians.empty())
      for (std::size_t r = 0; r < n; ++r) hessians[order_[r]] = static_cast<T>(scale * hessian_[r]);
    return total;
  }

 private:
  static constexpr std::size_t lanes = simd::lanes;
  using Sums = std::array<double, lanes>;

  /// Puts everything that pairs need into rank order.
  void rank(QueryView query, std::span<float const> scores, double inverse_ideal) {
    std::size_t const n = scores.size();
    top_k_(scores, n, order_);
    for (std::size_t r = discount_.size(); r < n; ++r) discount_.push_back(rank_discount(r + 1));
    for (auto* column : {&score_, &mass_, &gain_, &gradient_, &hessian_}) column->resize(n);
    for (std::size_t r = 0; r < n; ++r) {
      score_[r] = static_cast<double>(scores[order_[r]]);
      gain_[r] = gains_[query.labels()[order_[r]]] * inverse_ideal;
      mass_[r] = options_.sigmoid * (score_[r] - score_[0]);
    }
    simd::exp_in_place(mass_);
    std::ranges::fill(gradient_, 0.0);
    std::ranges::fill(hessian_, 0.0);
  }

  /// The document of rank i against all those behind it. Returns their part of S.
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
    // Positive where i is the better one.
    auto const pair = [&](std::size_t j, std::size_t lane) {
      double const gap = gain - gain_[j];
      double const distance = ByDistance ? 0.01 + std::abs(score - score_[j]) : 1.0;
      double const both = mass + mass_[j];
      double const inverse = 1.0 / (both * distance);
      double const worse = gap > 0.0 ? mass_[j] : mass;
      double const better = gap > 0.0 ? mass : mass_[j];
      double const pull = sigmoid * gap * std::abs(discount - discount_[j]) * (inverse * worse);
      double const size = std::abs(pull);
      double const bend = sigmoid * size * (better * (inverse * distance));
      gradient_[j] += pull;
      hessian_[j] += bend;
      gradients[lane] += pull;
      hessians[lane] += bend;
      sizes[lane] += size;
    };
    std::size_t j = i + 1;
    for (; j + lanes <= n; j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) pair(j + lane, lane);
    for (std::size_t lane = 0; j + lane < n; ++lane) pair(j + lane, lane);
    gradient_[i] -= sum(gradients);
    hessian_[i] += sum(hessians);
    return 2.0 * sum(sizes);
  }

  [[nodiscard]] static double sum(Sums const& v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  }

  LambdaOptions options_;
  std::array<double, Dataset::largest_grade + 1> gains_{};  // of each grade
  TopK top_k_;
  std::vector<std::uint32_t> order_;
  std::vector<double> discount_;                                  // of each rank, for as many as were ever needed
  std::vector<double> score_, mass_, gain_, gradient_, hessian_;  // in rank order
};

}  // namespace fltr
