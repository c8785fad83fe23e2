#pragma once

#include <cstddef>
#include <span>

namespace fltr::examples {

/// The arithmetic mean; NaN of nothing.
[[nodiscard]] double mean(std::span<double const> values);

/// The sample standard deviation (n − 1); NaN of fewer than two values.
[[nodiscard]] double standard_deviation(std::span<double const> values);

/// Student's paired t-test, two-sided.
struct PairedTest {
  std::size_t pairs = 0;
  double difference = 0;  ///< mean of a − b
  double low = 0;         ///< 95 % confidence interval of it
  double high = 0;
  double t = 0;
  double p = 1;
};

/// Tests whether a − b has mean 0, `a` and `b` being the same folds, queries or seeds under two methods. All
/// differences equal: p = 0, or 1 if they are 0. Requires at least two pairs of finite values.
[[nodiscard]] PairedTest paired_t_test(std::span<double const> a, std::span<double const> b);

}  // namespace fltr::examples
