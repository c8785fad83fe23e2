#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include <fltr/aggregators/detail/moments.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/power.hpp>

namespace fltr {

/// A **ServerOptimizer** moves weights along a gradient: w rises where the gradient is positive. It is a part of FedOpt
/// and EsGradient.
///
/// | required                          | meaning                                                                    |
/// | --------------------------------- | -------------------------------------------------------------------------- |
/// | `O::State`                        | what the optimiser remembers between rounds; a type with `fields`          |
/// | `o.step(weights, gradient, state)` | const; changes `weights` (span<float>) by `gradient` (span<double const>) |
///
/// Models: Sgd, Adam, Yogi, Adagrad.
template <class O>
concept ServerOptimizer = requires(O const& o, std::span<float> weights, std::span<double const> gradient,
                                   typename O::State& state) { o.step(weights, gradient, state); };

/// w ← w + η g.
struct Sgd {
  using State = detail::Moments;
  double learning_rate = 1.0;

  void step(std::span<float> weights, std::span<double const> gradient, State&) const {
    require(learning_rate >= 0.0 && std::isfinite(learning_rate), "Sgd", "a finite learning_rate >= 0", learning_rate);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + learning_rate * gradient[i]);
  }
};
static_assert(ServerOptimizer<Sgd>);

/// Adam (Kingma and Ba 2015). Reddi et al. 2021 use Adam at the server without bias correction and with a larger
/// epsilon (their τ).
struct Adam {
  using State = detail::Moments;
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool corrected = true;  ///< bias correction of the moments, which start at 0

  void step(std::span<float> weights, std::span<double const> gradient, State& state) const {
    require(beta2 >= 0.0 && beta2 < 1.0, "Adam", "a beta2 in [0, 1)", beta2);
    auto const t = static_cast<double>(state.steps + 1);
    State::Rule const rule{.learning_rate = learning_rate,
                           .beta1 = beta1,
                           .epsilon = epsilon,
                           .correction1 = corrected ? 1.0 - math::pow(beta1, t) : 1.0,
                           .correction2 = corrected ? 1.0 - math::pow(beta2, t) : 1.0};
    state.step(weights, gradient, rule,
               [this](double second, double square) { return beta2 * second + (1.0 - beta2) * square; });
  }
};
static_assert(ServerOptimizer<Adam>);

/// Yogi (Zaheer et al. 2018): v ← v − (1 − β₂) g² sign(v − g²), so that a step changes v by at most (1 − β₂) g².
struct Yogi {
  using State = detail::Moments;
  double learning_rate = 1e-2;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double epsilon = 1e-3;

  void step(std::span<float> weights, std::span<double const> gradient, State& state) const {
    require(beta2 >= 0.0 && beta2 <= 1.0, "Yogi", "a beta2 in [0, 1]", beta2);
    state.step(weights, gradient, {learning_rate, beta1, epsilon, epsilon * epsilon},
               [this](double second, double square) {
                 double const sign = static_cast<double>((second > square) - (second < square));
                 return second - (1.0 - beta2) * square * sign;
               });
  }
};
static_assert(ServerOptimizer<Yogi>);

/// Adagrad (Duchi et al. 2011): v ← v + g². With the momentum β₁ of Reddi et al. 2021, 0 by default.
struct Adagrad {
  using State = detail::Moments;
  double learning_rate = 1e-2;
  double beta1 = 0.0;
  double epsilon = 1e-3;

  void step(std::span<float> weights, std::span<double const> gradient, State& state) const {
    state.step(weights, gradient, {learning_rate, beta1, epsilon, epsilon * epsilon},
               [](double second, double square) { return second + square; });
  }
};
static_assert(ServerOptimizer<Adagrad>);

}  // namespace fltr
