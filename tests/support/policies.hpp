#pragma once

#include <utility>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr::testing {

/// The malicious clients of an attack: the `count` clients with the lowest ids.
struct FirstClients {
  ClientId count = 0;
  [[nodiscard]] bool contains(ClientId client) const { return client < count; }
};

/// FedAvg with a seal that hides nothing: a sealed message only has another type.
struct SealedFedAvg {
  struct Wire {
    LocalWeights inner;
    auto fields(auto&& visit) { return visit(inner); }
  };
  struct Sum {
    static constexpr bool linear = true;
    WeightSum total;
    void add(Wire const& wire) { total.add(wire.inner); }
    void merge(Sum const& other) { total.merge(other.total); }
    auto fields(auto&& visit) { return visit(total); }
  };
  [[nodiscard]] Wire seal(LocalWeights message, SealContext const&) const { return {std::move(message)}; }
  [[nodiscard]] Sum sum(ParametricRanker auto const& ranker) const { return {weight_sum_for(ranker)}; }
  void aggregate(Sum const& all, ParametricRanker auto& ranker) const { FedAvg{}.aggregate(all.total, ranker); }
};

}  // namespace fltr::testing
