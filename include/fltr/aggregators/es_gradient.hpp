#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/noise_sum.hpp>
#include <fltr/aggregators/server_optimizers.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealable.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/evolution_message.hpp>

namespace fltr {

/// The server of FOLtR-ES. The gradient is (1 / σN) Σ_c weight_c · noise_c with noise_c ~ N(0, I), where N is the
/// number of messages. A server optimiser follows it. The weight of a client is ½ (m⁺ − m⁻) with antithetic
/// perturbations, else m, the mean of its measurements. `noise_std` and `antithetic` must equal the values of the
/// clients' EvolutionStrategy.
template <ServerOptimizer O = Adam>
struct EsGradient {
  using Sum = detail::NoiseSum;
  using State = typename O::State;

  O optimizer{};
  double noise_std = 0.01;  ///< σ
  bool antithetic = true;

  template <ParametricRanker R>
  [[nodiscard]] Sum sum(R const& ranker) const {
    Sum out;
    out.values.resize(shared_parameters(ranker).size());
    out.antithetic = antithetic;
    return out;
  }

  template <ParametricRanker R>
  void aggregate(Sum total, R& ranker, State& state) const {
    require(noise_std > 0.0 && std::isfinite(noise_std), "EsGradient", "a finite noise_std > 0", noise_std);
    if (total.count == 0) return;
    double const scale = 1.0 / (noise_std * static_cast<double>(total.count));
    for (double& v : total.values) v *= scale;
    optimizer.step(shared_parameters(ranker), total.values, state);
  }

  /// See Sealable: the client computes weight · noise. Sealed messages are as large as the model: a seed and a few
  /// measurements cannot be added up.
  [[nodiscard]] Contribution contribution(EvolutionMessage const& message, std::span<float const> broadcast) const {
    Sum own;
    own.values.resize(broadcast.size());
    own.antithetic = antithetic;
    own.add(message);
    return {own.values, 1};
  }
  [[nodiscard]] Sum restored(ContributionSum const& sum, std::span<float const>) const {
    Sum out;
    out.values = sum.values;
    out.count = sum.count;
    out.antithetic = antithetic;
    return out;
  }
};
static_assert(Aggregator<EsGradient<>, EvolutionMessage> && Sealable<EsGradient<>, EvolutionMessage>);

}  // namespace fltr
