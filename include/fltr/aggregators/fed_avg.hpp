#pragma once

#include <cstddef>
#include <span>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealable.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// Federated averaging (McMahan et al. 2017): θ ← Σ n_c θ_c / Σ n_c, where n_c is the number of interactions of client
/// c. Without any interaction the ranker does not change.
struct FedAvg {
  using Sum = WeightSum;

  template <ParametricRanker R>
  [[nodiscard]] WeightSum sum(R const& ranker) const {
    return weight_sum_for(ranker);
  }

  template <ParametricRanker R>
  void aggregate(WeightSum const& total, R& ranker) const {
    if (!(total.weight > 0.0)) return;
    auto const weights = shared_parameters(ranker);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(total.values[i] / total.weight);
  }

  /// See Sealable: the client adds its update.
  [[nodiscard]] Contribution contribution(LocalWeights const& message, std::span<float const> broadcast) const {
    return update_of(message, broadcast);
  }
  [[nodiscard]] WeightSum restored(ContributionSum const& sum, std::span<float const> broadcast) const {
    return weight_sum_of(sum, broadcast);
  }
};
static_assert(Aggregator<FedAvg> && Sealable<FedAvg, LocalWeights>);

}  // namespace fltr
