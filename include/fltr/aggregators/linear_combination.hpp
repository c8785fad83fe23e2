#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/forest_scores.hpp>
#include <fltr/aggregators/equal_weights.hpp>
#include <fltr/aggregators/simplex_search.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/merged_forest.hpp>

namespace fltr {

/// Merges forests by a weighted sum of their scores. Each client chooses its own weights α on the simplex: those with
/// the highest metric on its `merge` queries (see SimplexSearch). The weights are equal if no merge query distinguishes
/// them. A forest without trees has weight 0. The global ranker is the sum with equal weights. Gathers the forests of
/// all clients.
struct LinearCombination {
  Ndcg metric{};
  SimplexSearch search{};

  void aggregate(std::span<ClientMessage<Forest> const> all, Forest& ranker) const {
    EqualWeights{}.aggregate(all, ranker);
  }

  [[nodiscard]] MergedForest personalize(std::span<ClientMessage<Forest> const> all, auto const& client) const {
    auto local = detail::forests_of(all);
    auto weights = best_weights(local, client.merge);
    return {std::move(local), std::move(weights)};
  }

 private:
  [[nodiscard]] std::vector<double> best_weights(std::span<Forest const> local, auto const& queries) const {
    std::vector<Forest> grown;  // forests with trees
    for (Forest const& forest : local)
      if (!forest.trees().empty()) grown.push_back(forest);
    if (grown.empty()) return std::vector<double>(local.size(), 1.0 / static_cast<double>(local.size()));
    detail::ForestScores const scores(grown, queries);
    auto const of_grown =
        search.best(grown.size(), [&](std::span<double const> tried) { return scores.evaluate(tried, metric).mean(); });
    std::vector<double> weights;
    auto next = of_grown.begin();
    for (Forest const& forest : local) weights.push_back(forest.trees().empty() ? 0.0 : *next++);
    return weights;
  }
};
static_assert(Aggregator<LinearCombination, Forest, Forest>);

}  // namespace fltr
