#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/error.hpp>
#include <fltr/learners/gradient_sum.hpp>
#include <fltr/learners/histogram.hpp>

namespace fltr {

/// Which trees may be grown.
struct TreeOptions {
  std::size_t leaves = 31;
  std::size_t min_data = 20;  ///< documents in a leaf
  double min_hessian = 1e-3;  ///< sum of hessians in a leaf
  double l2 = 0.0;            ///< λ, added to every sum of hessians
  double min_gain = 0.0;      ///< a split must gain more

  void check() const {
    require(leaves >= 1 && leaves <= 32'768, "TreeOptions", "1 to 32768 leaves", leaves);
    require(min_hessian >= 0.0 && std::isfinite(min_hessian), "TreeOptions", "a finite min_hessian >= 0", min_hessian);
    require(l2 >= 0.0 && std::isfinite(l2), "TreeOptions", "a finite l2 >= 0", l2);
    require(min_gain >= 0.0, "TreeOptions", "a min_gain >= 0", min_gain);
  }
};

/// A leaf cut in two: the documents whose bin of a column is at most `bin`, and the others.
struct Split {
  double gain = 0.0;  ///< 0: there is none
  std::uint32_t column = 0;
  std::uint32_t bin = 0;
  GradientSum left{};  ///< what goes left

  /// The better one; of equals the one that came first.
  void merge(Split const& later) noexcept {
    if (later.gain > gain) *this = later;
  }
};

/// Looks for the split of a leaf that lowers the second-order approximation of the loss most (Chen and Guestrin 2016):
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

  /// What a leaf says, −G / (H + λ).
  [[nodiscard]] double value(GradientSum const& sum) const noexcept {
    double const weight = gradients_.hessian(sum) + l2_;
    return weight > 0.0 ? -gradients_.gradient(sum) / weight : 0.0;
  }

  /// The best split of a leaf by one column with this histogram of `bins` bins. `total` is the sum over the bins.
  [[nodiscard]] Split operator()(std::span<GradientSum const> histogram, std::size_t bins, GradientSum const& total,
                                 std::size_t column) const {
    std::array<GradientSum, Histograms::bins> left;
    // Counts and hessians rise with the bin, so that the bins with enough on both sides are neighbours.
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

  /// Whether a leaf may hold so little.
  [[nodiscard]] bool enough(GradientSum const& sum) const noexcept {
    return gradients_.count(sum) >= min_data_ && gradients_.hessian_units(sum) >= min_hessian_;
  }

 private:
  FixedGradients const& gradients_;
  double l2_;
  double min_gain_;
  std::uint32_t min_data_;
  std::int64_t min_hessian_;  // in units; a leaf without any curvature would have no value
};

}  // namespace fltr
