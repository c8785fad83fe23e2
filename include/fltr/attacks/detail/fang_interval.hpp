#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/deviation.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr::detail {

/// The interval of one parameter in which attackers of the trimmed mean and the median draw their values.
struct FangInterval {
  double low;
  double high;
};

/// Beyond the extremes of the honest values, on the side against the direction without attack: at most b times as far
/// from 0. Requires a direction other than 0.
[[nodiscard]] inline FangInterval beyond_extremes(double direction, double least, double most, double b) {
  if (direction < 0.0) return {most, most > 0.0 ? most * b : most / b};
  return {least > 0.0 ? least / b : least * b, least};
}

/// 3 to 4 standard deviations from the mean, against the direction. Requires a direction other than 0.
[[nodiscard]] inline FangInterval beyond_deviations(double direction, double mean, double deviation) {
  if (direction < 0.0) return {mean + 3.0 * deviation, mean + 4.0 * deviation};
  return {mean - 4.0 * deviation, mean - 3.0 * deviation};
}

/// The intervals of all parameters if attackers know the honest models.
[[nodiscard]] inline std::vector<FangInterval> fang_intervals(MessageRows const& honest,
                                                              std::vector<double> const& direction, double b) {
  std::vector<FangInterval> out;
  for (std::size_t k = 0; k < direction.size(); ++k) {
    double least = static_cast<double>(honest.row(0)[k]);
    double most = least;
    for (std::size_t i = 1; i < honest.clients(); ++i) {
      least = std::min(least, static_cast<double>(honest.row(i)[k]));
      most = std::max(most, static_cast<double>(honest.row(i)[k]));
    }
    out.push_back(beyond_extremes(direction[k], least, most, b));
  }
  return out;
}

/// The intervals of all parameters if attackers know their own models only.
[[nodiscard]] inline std::vector<FangInterval> fang_intervals(MessageRows const& own,
                                                              std::vector<double> const& direction,
                                                              Deviation deviation) {
  auto const mean = model_mean(own);
  auto const sigma = model_deviation(own, mean, deviation);
  std::vector<FangInterval> out;
  for (std::size_t k = 0; k < direction.size(); ++k) out.push_back(beyond_deviations(direction[k], mean[k], sigma[k]));
  return out;
}

}  // namespace fltr::detail
