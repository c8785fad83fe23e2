#pragma once

#include <cstddef>
#include <span>

#include <fltr/aggregators/server_optimizers.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealable.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// Federated optimisation (Reddi et al. 2021): the gradient is the weighted mean of the clients' weights minus the
/// global weights, and a server optimiser follows it. `FedOpt<Sgd>` with learning rate 1 is FedAvg.
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

  /// See Sealable: the client adds its update.
  [[nodiscard]] Contribution contribution(LocalWeights const& message, std::span<float const> broadcast) const {
    return update_of(message, broadcast);
  }
  [[nodiscard]] WeightSum restored(ContributionSum const& sum, std::span<float const> broadcast) const {
    return weight_sum_of(sum, broadcast);
  }
};
static_assert(Aggregator<FedOpt<>> && Sealable<FedOpt<>, LocalWeights>);

}  // namespace fltr
