#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/boosting/detail/fixed_gradients.hpp>
#include <fltr/boosting/detail/gradient_sum.hpp>
#include <fltr/boosting/detail/histograms.hpp>
#include <fltr/boosting/tree_options.hpp>

namespace fltr::detail {

/// A split of a leaf: documents whose bin in a column is at most `bin` go left, the others right.
struct Split {
  double gain = 0.0;  ///< 0: no split
  std::uint32_t column = 0;
  std::uint32_t bin = 0;
  GradientSum left{};  ///< sums of the documents that go left

  /// Keeps the split with the larger gain; the earlier one of equal gains.
  void merge(Split const& later) noexcept {
    if (later.gain > gain) *this = later;
  }
};

/// Finds the split of a leaf that reduces the second-order approximation of the loss most (Chen and Guestrin 2016):
///
///   gain = G_l² / (H_l + λ) + G_r² / (H_r + λ) − G² / (H + λ).
class SplitSearch {
 public:
  SplitSearch(TreeOptions const& options, FixedGradients const& gradients)
      : gradients_(gradients),
        l2_(options.l2),
        min_gain_(options.min_gain),
        min_data_(static_cast<std::uint32_t>(std::clamp<std::size_t>(options.min_data, 1, 0xFFFF'FFFFU))),
        min_hessian_(std::max(gradients.hessian_units(options.min_hessian), std::int64_t{options.l2 > 0.0 ? 0 : 1})) {}

  SplitSearch(TreeOptions const&, FixedGradients const&&) = delete;

  /// The value of a leaf, −G / (H + λ).
  [[nodiscard]] double value(GradientSum const& sum) const noexcept {
    double const weight = gradients_.hessian(sum) + l2_;
    return weight > 0.0 ? -gradients_.gradient(sum) / weight : 0.0;
  }

  /// The best split of a leaf by one column with this histogram of `bins` bins. `total` is the sum over the bins.
  [[nodiscard]] Split operator()(std::span<GradientSum const> histogram, std::size_t bins, GradientSum const& total,
                                 std::size_t column) const {
    std::array<GradientSum, Histograms::bins> left;
    // Counts and hessians grow with the bin, so the bins with enough on both sides are consecutive.
    GradientSum sum;
    std::size_t begin = 0;
    std::size_t end = 0;
    for (; end + 1 < bins; ++end) {
      sum += histogram[end];
      left[end] = sum;
      if (!enough(sum)) begin = end + 1;
      if (!enough(total - sum)) break;
    }
    if (begin >= end) return {};

    double const gradient = gradients_.gradient(total);
    double const hessian = gradients_.hessian(total) + l2_;
    std::array<double, Histograms::bins> gains;
    for (std::size_t b = begin; b < end; ++b) {
      double const g = gradients_.gradient(left[b]);
      double const h = gradients_.hessian(left[b]) + l2_;
      double const other_g = gradient - g;
      double const other_h = hessian - h + l2_;
      gains[b] = (g * g * other_h + other_g * other_g * h) / (h * other_h);
    }
    std::size_t best = begin;
    for (std::size_t b = begin + 1; b < end; ++b)
      if (gains[b] > gains[best]) best = b;
    double const gain = gains[best] - gradient * gradient / hessian;
    if (!(gain > min_gain_)) return {};
    return {gain, static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(best), left[best]};
  }

  /// Whether a leaf with this sum is allowed.
  [[nodiscard]] bool enough(GradientSum const& sum) const noexcept {
    return gradients_.count(sum) >= min_data_ && gradients_.hessian_units(sum) >= min_hessian_;
  }

 private:
  FixedGradients const& gradients_;
  double l2_;
  double min_gain_;
  std::uint32_t min_data_;
  std::int64_t
      min_hessian_;  // in units; at least 1 without l2, because the value of a leaf with H + λ = 0 is undefined
};

}  // namespace fltr::detail
