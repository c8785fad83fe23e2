#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/archetypes.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/cluster_weights.hpp>
#include <fltr/rankers/clustered_ranker.hpp>

namespace fltr {

namespace detail {

/// The State of PerCluster: one State of A per cluster; none if A has none.
template <class A>
struct ClusterStates {};
template <class A>
requires requires { typename A::State; }
struct ClusterStates<A> {
  struct State {
    std::vector<fltr::State<A>> clusters{};  ///< empty before the first round
    auto fields(auto&& visit) { return visit(clusters); }
  };
};

}  // namespace detail

/// The server of Clustered: a streaming aggregator A for each model of a ClusteredRanker, which gets the messages of
/// the clients that trained this model. A model without messages (or with fewer than A needs) does not change. The sum
/// holds one Sum of A per model; its size does not depend on the number of clients.
template <Streaming A = FedAvg>
struct PerCluster : detail::ClusterStates<A> {
  A aggregator{};

  auto members(auto&& visit) const { return visit(aggregator); }

  struct Sum {
    static constexpr bool linear = composition::adds_linearly<A>();

    std::vector<typename A::Sum> sums;
    std::vector<std::uint64_t> counts;  ///< of the messages in each sum

    void add(ClusterWeights const& message) {
      sums[message.cluster].add(static_cast<LocalWeights const&>(message));
      ++counts[message.cluster];
    }
    void merge(Sum&& other) {
      for (std::size_t c = 0; c < sums.size(); ++c) {
        if (other.counts[c] == 0) continue;
        if (counts[c] == 0)
          sums[c] = std::move(other.sums[c]);
        else
          sums[c].merge(std::move(other.sums[c]));
        counts[c] += other.counts[c];
      }
    }
    auto fields(auto&& visit) { return visit(sums, counts); }
  };

  template <class R>
  [[nodiscard]] Sum sum(ClusteredRanker<R> const& ranker) const {
    Sum out{{}, std::vector<std::uint64_t>(ranker.size())};
    for (std::size_t c = 0; c < ranker.size(); ++c) out.sums.push_back(aggregator.sum(ranker.model(c)));
    return out;
  }

  template <class R>
  void aggregate(Sum all, ClusteredRanker<R>& ranker) const
  requires std::same_as<State<A>, NoState>
  {
    NoState none;
    for (std::size_t c = 0; c < ranker.size(); ++c) aggregate_one(c, all, ranker, none);
  }
  template <class R, class States>
  void aggregate(Sum all, ClusteredRanker<R>& ranker, States& states) const
  requires(!std::same_as<State<A>, NoState>)
  {
    states.clusters.resize(ranker.size());
    for (std::size_t c = 0; c < ranker.size(); ++c) aggregate_one(c, all, ranker, states.clusters[c]);
  }

 private:
  template <class R>
  void aggregate_one(std::size_t cluster, Sum& all, ClusteredRanker<R>& ranker, State<A>& state) const {
    if (all.counts[cluster] >= minimum_messages(aggregator))
      fltr::aggregate(aggregator, std::move(all.sums[cluster]), ranker.model(cluster), state);
  }
};
static_assert(Aggregator<PerCluster<>, ClusterWeights, ClusteredRanker<archetypes::DifferentiableRanker>>);

}  // namespace fltr
