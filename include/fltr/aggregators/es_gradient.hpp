#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/noise.hpp>
#include <fltr/messages/evolution_message.hpp>

namespace fltr {

/// Σ_c weight_c · noise_c, the noise rebuilt from each message's seed: nothing is kept of a message.
struct NoiseSum {
  static constexpr bool linear = true;

  std::vector<double> values;
  std::uint64_t count = 0;
  bool antithetic = true;

  /// The noise of a message counts ½ (m⁺ − m⁻) with antithetic perturbations, m otherwise: m the mean of the
  /// measurements.
  void add(EvolutionMessage const& message) {
    ++count;
    std::size_t const n = message.metrics.size();
    std::size_t const positive = positive_interactions(n, antithetic);
    double plus = 0.0;
    double minus = 0.0;
    for (std::size_t i = 0; i < n; ++i) (i < positive ? plus : minus) += static_cast<double>(message.metrics[i]);
    double weight = positive > 0 ? plus / static_cast<double>(positive) : 0.0;
    if (antithetic) weight = n > positive ? 0.5 * (weight - minus / static_cast<double>(n - positive)) : 0.0;
    if (weight == 0.0) return;
    noise_.resize(values.size());
    NormalNoise(message.seed).fill(noise_);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * static_cast<double>(noise_[i]);
  }

  void merge(NoiseSum const& other) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
    count += other.count;
  }

  auto fields(auto&& visit) { return visit(values, count, antithetic); }

 private:
  std::vector<float> noise_;  // room for one perturbation
};

/// The server of FOLtR-ES: the gradient (1 / σN) Σ_c weight_c · noise_c, noise ~ N(0, I), and an optimiser that climbs
/// it. `noise_std` and `antithetic` are those of the clients' EvolutionStrategy.
template <ServerOptimizer O = Adam>
struct EsGradient {
  using Sum = NoiseSum;
  using State = typename O::State;

  O optimizer{};
  double noise_std = 0.01;  ///< σ
  bool antithetic = true;

  template <ParametricRanker R>
  [[nodiscard]] NoiseSum sum(R const& ranker) const {
    NoiseSum out;
    out.values.resize(shared_parameters(ranker).size());
    out.antithetic = antithetic;
    return out;
  }

  template <ParametricRanker R>
  void aggregate(NoiseSum total, R& ranker, State& state) const {
    require(noise_std > 0.0 && std::isfinite(noise_std), "EsGradient", "a finite noise_std > 0", noise_std);
    if (total.count == 0) return;
    double const scale = 1.0 / (noise_std * static_cast<double>(total.count));
    for (double& v : total.values) v *= scale;
    optimizer.step(shared_parameters(ranker), total.values, state);
  }
};

}  // namespace fltr
