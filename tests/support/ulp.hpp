#pragma once

#include <algorithm>
#include <cmath>

namespace fltr::testing {

/// |value − exact| in units of the last place of `exact` as a double. `long double` has 11 bits more on x86, and its
/// functions have errors of about 2⁻¹¹ ulp of a double.
inline double error_in_ulp(double value, long double exact) {
  if (exact == 0.0L) return value == 0.0 ? 0.0 : 1e9;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, -1021);  // subnormal numbers
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / std::ldexp(1.0L, exponent - 53));
}

}  // namespace fltr::testing
