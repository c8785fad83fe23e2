#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr::detail {

/// The state of an adaptive server optimiser, and the step that all of them share:
///
///   m ← β₁ m + (1 − β₁) g,   v ← update(v, g²),   w ← w + η (m / c₁) / (√(v / c₂) + ε).
struct Moments {
  std::vector<double> first;   // m
  std::vector<double> second;  // v
  std::uint64_t steps = 0;

  struct Rule {
    double learning_rate;  // η
    double beta1;
    double epsilon;
    double second_start = 0.0;  // v before the first step
    double correction1 = 1.0;   // c₁
    double correction2 = 1.0;   // c₂
  };

  template <class Second>
  void step(std::span<float> weights, std::span<double const> gradient, Rule const& rule, Second const& update) {
    require(rule.learning_rate >= 0.0 && std::isfinite(rule.learning_rate), "ServerOptimizer",
            "a finite learning_rate >= 0", rule.learning_rate);
    require(rule.beta1 >= 0.0 && rule.beta1 < 1.0, "ServerOptimizer", "a beta1 in [0, 1)", rule.beta1);
    require(rule.epsilon > 0.0 && std::isfinite(rule.epsilon), "ServerOptimizer", "a finite epsilon > 0", rule.epsilon);
    first.resize(weights.size(), 0.0);
    second.resize(weights.size(), rule.second_start);
    ++steps;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      first[i] = rule.beta1 * first[i] + (1.0 - rule.beta1) * gradient[i];
      second[i] = update(second[i], gradient[i] * gradient[i]);
      double const move = first[i] / rule.correction1 / (std::sqrt(second[i] / rule.correction2) + rule.epsilon);
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + rule.learning_rate * move);
    }
  }
  auto fields(auto&& visit) { return visit(first, second, steps); }
};

}  // namespace fltr::detail
