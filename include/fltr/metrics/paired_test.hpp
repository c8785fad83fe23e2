#pragma once

#include <cstddef>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The result of Student's paired t-test, two-sided; see paired_t_test (metrics/significance.hpp).
struct PairedTest {
  std::size_t pairs = 0;
  double difference = 0;  ///< mean of a − b
  double low = 0;         ///< 95 % confidence interval of the difference
  double high = 0;
  double t = 0;
  double p = 1;
};

}  // namespace fltr
