#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/click_guesses/detail/score_changes.hpp>
#include <fltr/click_guesses/detail/score_jacobian.hpp>
#include <fltr/click_guesses/linear_algebra.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Guesses clicks like LeastSquares, but minimises Σ_j |update_j − (A x)_j| over the coordinates. The noise of
/// GammaNoise with n clients is nearly 0 in most coordinates of one message and large in few. Least absolute deviations
/// fit the many and ignore the few.
///
/// Iteratively reweighted least squares: each coordinate has the weight 1 / √(r² + s²), where r is its last residual.
/// s starts at the largest residual of least squares and is halved in every iteration, down to 1e-4 times the median of
/// |update|. Where the matrix has as many independent columns as coordinates, the result is that of LeastSquares.
struct LeastAbsoluteDeviations {
  bool absorbs_clip = true;          ///< adds θ as a column: a clip changes the update by a multiple of θ
  double threshold = 1e-5;           ///< of a positive coefficient, relative to the largest magnitude
  double rank_tolerance = 1e-6;      ///< see least_squares (click_guesses/linear_algebra.hpp)
  std::size_t most_iterations = 60;  ///< regressions after the first

  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream&) const {
    require(threshold >= 0.0 && threshold < 1.0, "LeastAbsoluteDeviations", "a threshold in [0, 1)", threshold);
    detail::require_sizes("LeastAbsoluteDeviations", observed, clicks);
    auto const x = solve(detail::score_jacobian(observed, absorbs_clip), observed.update);
    detail::clicks_of_coefficients(std::span(x).first(x.size() - (absorbs_clip ? 1 : 0)), threshold, clicks);
  }

  /// The coefficients that minimise Σ_j |b_j − (A x)_j|.
  [[nodiscard]] std::vector<double> solve(ColumnMatrix const& a, std::span<double const> b) const {
    std::size_t const rows = a.shape()[0];
    std::size_t const columns = a.shape()[1];
    std::vector<double> x = least_squares(a, b, rank_tolerance);
    std::vector<double> residuals = absolute_residuals(a, b, x);
    double smoothing = rows > 0 ? *std::ranges::max_element(residuals) : 0.0;
    double const least = least_smoothing(b);
    ColumnMatrix weighted = a;
    std::vector<double> right(rows);
    for (std::size_t iteration = 0; iteration < most_iterations && smoothing > least; ++iteration) {
      smoothing = std::max(smoothing / 2.0, least);
      for (std::size_t j = 0; j < rows; ++j) {
        // The root of the weight, relative to the largest possible weight: at most 1.
        double const r = residuals[j] / smoothing;
        double const factor = std::sqrt(1.0 / std::sqrt(1.0 + r * r));
        for (std::size_t k = 0; k < columns; ++k) weighted(j, k) = factor * a(j, k);
        right[j] = factor * b[j];
      }
      x = least_squares(weighted, right, rank_tolerance);
      residuals = absolute_residuals(a, b, x);
    }
    return x;
  }

 private:
  [[nodiscard]] static std::vector<double> absolute_residuals(ColumnMatrix const& a, std::span<double const> b,
                                                              std::span<double const> x) {
    std::vector<double> out(b.begin(), b.end());
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t j = 0; j < out.size(); ++j) out[j] -= a(j, k) * x[k];
    for (double& r : out) r = std::abs(r);
    return out;
  }

  /// 1e-4 times the median of |b|, or of the largest |b| if the median is 0.
  [[nodiscard]] static double least_smoothing(std::span<double const> b) {
    if (b.empty()) return 0.0;
    std::vector<double> magnitudes;
    for (double const v : b) magnitudes.push_back(std::abs(v));
    auto const middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
    std::ranges::nth_element(magnitudes, middle);
    double const median = *middle;
    return 1e-4 * (median > 0.0 ? median : *std::ranges::max_element(magnitudes));
  }
};
static_assert(ClickGuess<LeastAbsoluteDeviations>);

}  // namespace fltr
