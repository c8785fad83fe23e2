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

/// What adaptive server optimisers remember.
struct Moments {
  std::vector<double> first;
  std::vector<double> second;
  std::uint64_t steps = 0;

  /// Counts a step; the first one makes the moments.
  void begin_step(std::size_t size, double second_start = 0.0) {
    first.resize(size, 0.0);
    second.resize(size, second_start);
    ++steps;
  }
  void fields(auto&& visit) { visit(first, second, steps); }
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
    require(learning_rate >= 0.0 && std::isfinite(learning_rate), "Adam", "a finite learning_rate >= 0", learning_rate);
    state.begin_step(weights.size());
    auto const t = static_cast<double>(state.steps);
    double const correct1 = corrected ? 1.0 - std::pow(beta1, t) : 1.0;
    double const correct2 = corrected ? 1.0 - std::pow(beta2, t) : 1.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      state.first[i] = beta1 * state.first[i] + (1.0 - beta1) * gradient[i];
      state.second[i] = beta2 * state.second[i] + (1.0 - beta2) * gradient[i] * gradient[i];
      double const move = state.first[i] / correct1 / (std::sqrt(state.second[i] / correct2) + epsilon);
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + learning_rate * move);
    }
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
    require(learning_rate >= 0.0 && std::isfinite(learning_rate), "Yogi", "a finite learning_rate >= 0", learning_rate);
    state.begin_step(weights.size(), epsilon * epsilon);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double const square = gradient[i] * gradient[i];
      double const sign = static_cast<double>((state.second[i] > square) - (state.second[i] < square));
      state.first[i] = beta1 * state.first[i] + (1.0 - beta1) * gradient[i];
      state.second[i] -= (1.0 - beta2) * square * sign;
      double const move = state.first[i] / (std::sqrt(state.second[i]) + epsilon);
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + learning_rate * move);
    }
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
    require(learning_rate >= 0.0 && std::isfinite(learning_rate), "Adagrad", "a finite learning_rate >= 0",
            learning_rate);
    state.begin_step(weights.size(), epsilon * epsilon);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      state.first[i] = beta1 * state.first[i] + (1.0 - beta1) * gradient[i];
      state.second[i] += gradient[i] * gradient[i];
      double const move = state.first[i] / (std::sqrt(state.second[i]) + epsilon);
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) + learning_rate * move);
    }
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
