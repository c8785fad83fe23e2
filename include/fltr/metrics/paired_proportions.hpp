#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <fltr/core/error.hpp>

namespace fltr {

/// A difference of two proportions with its 95 % confidence interval.
struct ProportionDifference {
  double difference = 0;
  double low = 0;
  double high = 0;
};

namespace detail {

/// Tango's score statistic of the hypothesis that the difference is `delta`: it is 0 at the estimate, falls with
/// `delta`, and is approximately standard normal under the hypothesis.
[[nodiscard]] inline double tango_score(double gains, double losses, double pairs, double delta) {
  // q: the probability of a loss that is most likely if the difference is delta.
  double const b = (2.0 * pairs - gains + losses) * delta - gains - losses;
  double const c = -losses * delta * (1.0 - delta);
  double const q = (std::sqrt(b * b - 8.0 * pairs * c) - b) / (4.0 * pairs);
  double const variance = pairs * (2.0 * q + delta * (1.0 - delta));
  double const distance = gains - losses - pairs * delta;
  return variance > 0.0 ? distance / std::sqrt(variance) : distance > 0.0 ? 1e300 : distance < 0.0 ? -1e300 : 0.0;
}

}  // namespace detail

/// The difference of two proportions that were measured on the same units: in `gains` of the pairs only the first
/// measurement is a success, in `losses` only the second, and in the others both or none. The difference is
/// (gains − losses) / pairs, with Tango's score interval (Statistics in Medicine 17, 1998), which also holds if there
/// are few or no differing pairs: without any it is ±z² / (pairs + z²), z = 1.96.
[[nodiscard]] inline ProportionDifference paired_proportions(std::uint64_t gains, std::uint64_t losses,
                                                             std::uint64_t pairs) {
  require(pairs > 0 && gains + losses <= pairs, "paired_proportions",
          "at least one pair, and at most " + std::to_string(pairs) + " that differ", gains + losses);
  constexpr double z = 1.9599639845400545;
  auto const plus = static_cast<double>(gains);
  auto const minus = static_cast<double>(losses);
  auto const all = static_cast<double>(pairs);
  double const estimate = (plus - minus) / all;
  // The score falls with delta: bisection for the two places where it is z and −z.
  auto const place = [&](double low, double high, double value) {
    for (int i = 0; i < 60; ++i) {
      double const middle = (low + high) / 2.0;
      (detail::tango_score(plus, minus, all, middle) > value ? low : high) = middle;
    }
    return (low + high) / 2.0;
  };
  return {estimate, place(-1.0, estimate, z), place(estimate, 1.0, -z)};
}

}  // namespace fltr
