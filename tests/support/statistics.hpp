#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/normal_cdf.hpp>

/// Statistical tests at fixed seeds. All critical values have a probability of 1e-6 of a false alarm.
namespace fltr::testing {

/// The critical Kolmogorov-Smirnov distance for a large sample: .02693 for 10,000, .00852 for 100,000.
[[nodiscard]] inline double ks_critical(std::size_t n) {
  return std::sqrt(std::log(2.0 / 1e-6) / (2.0 * static_cast<double>(n)));
}

/// Critical values of chi-squared by degrees of freedom. For 2 the tail is exp(-x / 2).
inline constexpr double chi2_critical_df2 = 27.64;
inline constexpr double chi2_critical_df9 = 44.82;
inline constexpr double chi2_critical_df23 = 70.55;
inline constexpr double chi2_critical_df99 = 180.79;

/// The largest distance between the sample's distribution function and `cdf`.
template <class Cdf>
[[nodiscard]] double ks_distance(std::vector<double> sample, Cdf const& cdf) {
  std::ranges::sort(sample);
  auto const n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    double const f = cdf(sample[i]);
    if (!(f >= 0.0 && f <= 1.0)) return 1.0;  // also for NaN in the sample
    distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return distance;
}

/// Sum of (counted - expected)^2 / expected.
[[nodiscard]] inline double chi_squared(std::span<std::uint64_t const> counts, std::span<double const> probabilities) {
  double total = 0.0;
  for (auto const c : counts) total += static_cast<double>(c);
  double sum = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double const expected = total * probabilities[i];
    double const off = static_cast<double>(counts[i]) - expected;
    sum += off * off / expected;
  }
  return sum;
}

/// Chi-squared for equally likely classes.
[[nodiscard]] inline double chi_squared(std::span<std::uint64_t const> counts) {
  return chi_squared(counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

using fltr::normal_cdf;

[[nodiscard]] inline double laplace_cdf(double x, double scale) {
  return x < 0 ? 0.5 * std::exp(x / scale) : 1.0 - 0.5 * std::exp(-x / scale);
}

/// Five standard errors of a frequency in n trials of probability p. A correct frequency is outside with probability
/// 6e-7.
[[nodiscard]] inline double five_errors(double p, std::size_t n) {
  return 5.0 * std::sqrt(p * (1.0 - p) / static_cast<double>(n));
}

}  // namespace fltr::testing
