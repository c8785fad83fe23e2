#pragma once

#include <cmath>
#include <cstddef>

#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// Draws `count` differences γ − γ' with γ, γ' ~ Gamma(shape, 1) and calls `use(i, difference)` for each difference
/// that is not 0, in the order of i.
///
/// Gamma(a) is U^(1/a) · Gamma(1 + a) with a uniform U. For a small shape nearly all powers U^(1/a) are tiny. Powers
/// below 10⁻³⁰ count as 0, so these draws are never made: the distance to the next larger power has a geometric
/// distribution. With L = a ln 10⁻³⁰, a power is larger with probability 1 − e^L, and then U is uniform on (e^L, 1).
/// Except for what counts as 0, which is below 10⁻³⁰ · Gamma(1 + a), the distribution is exact.
template <class Use>
void gamma_differences(Stream& stream, double shape, std::size_t count, Use const& use) {
  if (shape >= 1.0) {
    for (std::size_t i = 0; i < count; ++i) {
      double const plus = stream.gamma(shape);
      use(i, plus - stream.gamma(shape));
    }
    return;
  }
  constexpr double log_smallest = -0x1.144f69ff9ffc4p+6;  // ln 10⁻³⁰
  double const log_missed = shape * log_smallest;         // L
  double const kept = -math::expm1(log_missed);
  auto const draws = static_cast<double>(2 * count);
  double at = -1.0;  // the number of the draw: γ and γ' of every difference in turn
  std::size_t last = count;
  double sum = 0.0;
  for (;;) {
    at += 1.0 + std::floor(math::log(stream.uniform()) / log_missed);
    if (!(at < draws)) break;
    auto const number = static_cast<std::size_t>(at);
    double const power = math::exp(math::log1p(-kept * stream.uniform()) / shape);
    double const drawn = power * stream.gamma(1.0 + shape);
    if (number / 2 != last) {
      if (last < count) use(last, sum);
      last = number / 2;
      sum = 0.0;
    }
    sum += number % 2 == 0 ? drawn : -drawn;
  }
  if (last < count) use(last, sum);
}

}  // namespace fltr::detail
