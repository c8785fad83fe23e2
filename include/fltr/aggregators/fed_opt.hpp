#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// What adaptive server optimisers remember, and the step that they share:
///
///   m ← β₁ m + (1 − β₁) g,   v ← second(v, g²),   w ← w + η (m / c₁) / (√(v / c₂) + ε).
struct Moments {
  std::vector<double> first;
  std::vector<double> second;
  std::uint64_t steps = 0;

  struct Rule {
    double learning_rate;  ///< η
    double beta1;
    double epsilon;
    double second_start = 0.0;
    double correct1 = 1.0;
    double correct2 = 1.0;
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
      double const move = first[i] / rule.correct1 / (std::sqrt(second[i] / rule.correct2) + rule.epsilon);
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + rule.learning_rate * move);
    }
  }
  auto fields(auto&& visit) { return visit(first, second, steps); }
};

/// A **server optimiser** has a `State` and moves weights up a gradient: `o.step(weights, gradient, state)`, const.
template <class O>
concept ServerOptimizer = requires(O const& o, std::span<float> weights, std::span<double const> gradient,
                                   typename O::State& state) {
  o.step(weights, gradient, state);
};

/// w ← w + η g.
struct Sgd {
  using State = Moments;
  double learning_rate = 1.0;

  void step(std::span<float> weights, std::span<double const> gradient, Moments&) const {
    require(learning_rate >= 0.0 && std::isfinite(learning_rate), "Sgd", "a finite learning_rate >= 0", learning_rate);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + learning_rate * gradient[i]);
  }
};
static_assert(ServerOptimizer<Sgd>);

/// Adam (Kingma and Ba 2015). Reddi et al. 2021 use it at the server without the correction of the start and with a
/// larger epsilon (their τ).
struct Adam {
  using State = Moments;
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool corrected = true;  ///< for moments that start at 0

  void step(std::span<float> weights, std::span<double const> gradient, Moments& state) const {
    require(beta2 >= 0.0 && beta2 < 1.0, "Adam", "a beta2 in [0, 1)", beta2);
    auto const t = static_cast<double>(state.steps + 1);
    Moments::Rule const rule{.learning_rate = learning_rate,
                             .beta1 = beta1,
                             .epsilon = epsilon,
                             .correct1 = corrected ? 1.0 - std::pow(beta1, t) : 1.0,
                             .correct2 = corrected ? 1.0 - std::pow(beta2, t) : 1.0};
    state.step(weights, gradient, rule,
               [this](double second, double square) { return beta2 * second + (1.0 - beta2) * square; });
  }
};
static_assert(ServerOptimizer<Adam>);

/// Yogi (Zaheer et al. 2018): the second moment grows and shrinks by a bounded step.
struct Yogi {
  using State = Moments;
  double learning_rate = 1e-2;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double epsilon = 1e-3;

  void step(std::span<float> weights, std::span<double const> gradient, Moments& state) const {
    require(beta2 >= 0.0 && beta2 <= 1.0, "Yogi", "a beta2 in [0, 1]", beta2);
    state.step(weights, gradient, {learning_rate, beta1, epsilon, epsilon * epsilon},
               [this](double second, double square) {
                 double const sign = static_cast<double>((second > square) - (second < square));
                 return second - (1.0 - beta2) * square * sign;
               });
  }
};
static_assert(ServerOptimizer<Yogi>);

/// Adagrad (Duchi et al. 2011), with a momentum as in Reddi et al. 2021 (none by default).
struct Adagrad {
  using State = Moments;
  double learning_rate = 1e-2;
  double beta1 = 0.0;
  double epsilon = 1e-3;

  void step(std::span<float> weights, std::span<double const> gradient, Moments& state) const {
    state.step(weights, gradient, {learning_rate, beta1, epsilon, epsilon * epsilon},
               [](double second, double square) { return second + square; });
  }
};
static_assert(ServerOptimizer<Adagrad>);

/// Federated optimisation (Reddi et al. 2021): the mean of the clients' weights less the global ones is a gradient, and
/// an optimiser of the server's follows it. `FedOpt<Sgd>` with rate 1 is FedAvg.
template <ServerOptimizer O = Adam>
struct FedOpt {
  using Sum = WeightSum;
  using State = typename O::State;

  O optimizer{};

  template <ParametricRanker R>
  [[nodiscard]] WeightSum sum(R const& ranker) const {
    return weight_sum_for(ranker);
  }

  template <ParametricRanker R>
  void aggregate(WeightSum total, R& ranker, State& state) const {
    if (!(total.weight > 0.0)) return;
    auto const weights = shared_parameters(ranker);
    for (std::size_t i = 0; i < weights.size(); ++i)
      total.values[i] = total.values[i] / total.weight - static_cast<double>(weights[i]);
    optimizer.step(weights, total.values, state);
  }
};
static_assert(Aggregator<FedOpt<>>);

}  // namespace fltr
