#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// An ε or a δ by one Rényi order.
struct RenyiBound {
  double value = std::numeric_limits<double>::infinity();
  double order = 0.0;  ///< that gives it; 0: none does
};

/// ε(δ) of a Rényi divergence D of order α (Canonne, Kamath and Steinke 2020, proposition 12; the "improved conversion"):
///
///     ε = D + ln((α − 1)/α) − (ln δ + ln α) / (α − 1)
[[nodiscard]] inline double renyi_epsilon(double order, double divergence, double delta) {
  return divergence + math::log1p(-1.0 / order) - (math::log(delta) + math::log(order)) / (order - 1.0);
}

/// The smallest ε ≥ 0 over the orders, for divergences at the same places.
[[nodiscard]] inline RenyiBound renyi_epsilon(std::span<double const> orders, std::span<double const> divergences,
                                              double delta) {
  require(orders.size() == divergences.size(), "renyi_epsilon", "as many divergences as orders", divergences.size());
  require(delta > 0.0 && delta < 1.0, "renyi_epsilon", "a delta in (0, 1)", delta);
  RenyiBound best;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!(divergences[i] >= 0.0)) continue;  // NaN is no bound
    double const epsilon = divergences[i] > 0.0 ? std::max(0.0, renyi_epsilon(orders[i], divergences[i], delta)) : 0.0;
    if (epsilon < best.value) best = {epsilon, orders[i]};
  }
  return best;
}

/// The smallest δ ≤ 1 over the orders: the inverse of `renyi_epsilon`,
/// ln δ = (α − 1) (D − ε + ln((α − 1)/α)) − ln α.
[[nodiscard]] inline RenyiBound renyi_delta(std::span<double const> orders, std::span<double const> divergences,
                                            double epsilon) {
  require(orders.size() == divergences.size(), "renyi_delta", "as many divergences as orders", divergences.size());
  require(epsilon >= 0.0, "renyi_delta", "an epsilon >= 0", epsilon);
  RenyiBound best{1.0, 0.0};
  for (std::size_t i = 0; i < orders.size(); ++i) {
    double const a = orders[i];
    if (divergences[i] <= 0.0) return {0.0, a};
    double const log_delta = (a - 1.0) * (divergences[i] - epsilon + math::log1p(-1.0 / a)) - math::log(a);
    if (log_delta < 0.0 && math::exp(log_delta) < best.value) best = {math::exp(log_delta), a};
  }
  return best;
}

}  // namespace fltr
