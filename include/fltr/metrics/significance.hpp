#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include <fltr/core/error.hpp>
#include <fltr/metrics/paired_test.hpp>
#include <fltr/metrics/summary_statistics.hpp>

/// Significance tests by Student's t-distribution. fltr.hpp does not include this header, because Boost.Math takes two
/// seconds to compile.
namespace fltr {

struct ConfidenceInterval {
  double low = 0;
  double high = 0;
};

namespace detail {

/// The quantile of Student's t-distribution with n − 1 degrees of freedom above which `tail` of the probability is.
[[nodiscard]] inline double student_quantile(std::size_t n, double tail) {
  boost::math::students_t const distribution(static_cast<double>(n - 1));
  return boost::math::quantile(boost::math::complement(distribution, tail));
}

/// The probability that |T| ≥ |t| with n − 1 degrees of freedom.
[[nodiscard]] inline double student_two_sided(std::size_t n, double t) {
  boost::math::students_t const distribution(static_cast<double>(n - 1));
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

}  // namespace detail

/// The confidence interval of the mean of normally distributed values, by Student's t-distribution. Requires at least
/// two values.
[[nodiscard]] inline ConfidenceInterval confidence_interval(std::span<double const> values, double confidence = 0.95) {
  require(values.size() >= 2, "confidence_interval", "at least 2 values", values.size());
  require(confidence > 0.0 && confidence < 1.0, "confidence_interval", "a confidence in (0, 1)", confidence);
  double const error = standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
  double const half = detail::student_quantile(values.size(), (1.0 - confidence) / 2.0) * error;
  double const centre = mean(values);
  return {centre - half, centre + half};
}

/// Tests whether the mean of a − b is 0. `a` and `b` are the values of two methods on the same queries, folds or seeds.
/// If all differences are equal, p is 1 for a difference of 0 and 0 otherwise. Requires at least two pairs of finite
/// values.
[[nodiscard]] inline PairedTest paired_t_test(std::span<double const> a, std::span<double const> b) {
  require(a.size() == b.size(), "paired_t_test", "as many values of b as of a, " + std::to_string(a.size()), b.size());
  require(a.size() >= 2, "paired_t_test", "at least 2 pairs", a.size());
  std::vector<double> differences(a.size());
  bool equal = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences[i] = a[i] - b[i];
    require(std::isfinite(differences[i]), "paired_t_test", "finite differences", differences[i]);
    equal = equal && differences[i] == differences.front();
  }
  PairedTest test;
  test.pairs = differences.size();
  test.difference = equal ? differences.front() : mean(differences);
  double const error =
      equal ? 0.0 : standard_deviation(differences) / std::sqrt(static_cast<double>(differences.size()));
  if (error == 0) {
    test.low = test.high = test.difference;
    test.t = test.difference == 0 ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), test.difference);
    test.p = test.difference == 0 ? 1.0 : 0.0;
    return test;
  }
  double const half = detail::student_quantile(differences.size(), 0.025) * error;
  test.low = test.difference - half;
  test.high = test.difference + half;
  test.t = test.difference / error;
  test.p = detail::student_two_sided(differences.size(), test.t);
  return test;
}

/// A ratio of two means with its 95 % confidence interval.
struct RatioOfMeans {
  double ratio = 0;
  double low = 0;
  double high = 0;
};

/// mean(a) / mean(b) of paired values, with Fieller's confidence interval: all θ for which a paired t-test does not
/// reject mean(a − θ b) = 0. If the 95 % interval of mean(b) contains 0, the set is not bounded, and the interval is
/// (−∞, ∞). Requires at least two pairs of finite values, and mean(b) ≠ 0.
[[nodiscard]] inline RatioOfMeans ratio_of_means(std::span<double const> a, std::span<double const> b) {
  constexpr char const* who = "ratio_of_means";
  require(a.size() == b.size(), who, "as many values of b as of a, " + std::to_string(a.size()), b.size());
  require(a.size() >= 2, who, "at least 2 pairs", a.size());
  double const mean_a = mean(a);
  double const mean_b = mean(b);
  require(std::isfinite(mean_a) && std::isfinite(mean_b) && mean_b != 0.0, who, "finite values and a mean of b not 0",
          mean_b);
  double aa = 0.0;
  double ab = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  double const quantile = detail::student_quantile(a.size(), 0.025);
  double const scale = quantile * quantile / (static_cast<double>(a.size()) * static_cast<double>(a.size() - 1));
  // (mean_a − θ mean_b)² ≤ scale (aa − 2 θ ab + θ² bb), a quadratic inequality in θ.
  double const square = mean_b * mean_b - scale * bb;
  double const linear = mean_a * mean_b - scale * ab;
  double const constant = mean_a * mean_a - scale * aa;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(square > 0.0)) return {mean_a / mean_b, -infinity, infinity};
  double const root = std::sqrt(std::max(0.0, linear * linear - square * constant));
  return {mean_a / mean_b, (linear - root) / square, (linear + root) / square};
}

}  // namespace fltr
