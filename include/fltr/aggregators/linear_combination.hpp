#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/equal_weights.hpp>
#include <fltr/aggregators/simplex_search.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// The scores that forests give to all documents of some queries, computed once: then weights can be tried.
class ForestScores {
 public:
  /// `queries`: a Dataset or a QueryPool. The Dataset must outlive this.
  template <class Queries>
  ForestScores(std::span<Forest const> forests, Queries const& queries) : scores_(forests.size()) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      queries_.push_back(queries[q]);
      first_.push_back(scores_.empty() ? 0 : scores_.front().size());
      for (std::size_t m = 0; m < forests.size(); ++m) {
        scores_[m].resize(first_.back() + queries_.back().document_count());
        forests[m].score(queries_.back(), std::span(scores_[m]).subspan(first_.back()));
      }
    }
  }

  ForestScores(std::span<Forest const>, Dataset const&&) = delete;

  /// The metric of the lists by Σ weights_i · scores_i, to choose weights by (see SelectionMeasurer). A forest without
  /// weight is left out, whatever its scores are.
  template <Metric M>
  [[nodiscard]] Evaluation evaluate(std::span<double const> weights, M const& metric) const {
    require(weights.size() == scores_.size(), "ForestScores", "a weight for every forest", weights.size());
    SelectionMeasurer<M> measurer(metric);
    std::vector<double> sums;
    std::vector<float> combined;
    Evaluation result;
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      sums.assign(queries_[q].document_count(), 0.0);
      for (std::size_t m = 0; m < weights.size(); ++m) {
        if (weights[m] == 0.0) continue;
        for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += weights[m] * scores_[m][first_[q] + d];
      }
      combined.assign(sums.begin(), sums.end());
      result.add(measurer.measure(queries_[q], combined));
    }
    return result;
  }

 private:
  std::vector<QueryView> queries_;
  std::vector<std::size_t> first_;           // document of each query
  std::vector<std::vector<double>> scores_;  // by forest
};

/// s = Σ α_i s_i. Of many clients each has weights of its own, and all share the forests.
struct MergedForest {
  std::vector<Forest> local;    ///< in the order of the clients
  std::vector<double> weights;  ///< α_i

  /// Of two models: the weight of the second one, as the paper has it.
  [[nodiscard]] double alpha() const {
    require(weights.size() == 2, "MergedForest::alpha", "two models", weights.size());
    return weights[1];
  }
  /// All trees as one forest, leaves multiplied by α_i: for files. The same scores but for rounding.
  [[nodiscard]] Forest forest() const { return combine(local, weights); }

  void score(QueryView query, std::span<float> scores) const {
    std::vector<double> sums(scores.size()), of_one(scores.size());
    for (std::size_t m = 0; m < local.size(); ++m) {
      if (weights[m] == 0.0) continue;
      local[m].score(query, std::span(of_one));
      for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += weights[m] * of_one[d];
    }
    std::ranges::transform(sums, scores.begin(), [](double sum) { return static_cast<float>(sum); });
  }

  auto fields(auto&& visit) { return visit(local, weights); }
  /// Whether what was read has a weight for every forest.
  [[nodiscard]] bool consistent() const noexcept { return local.size() == weights.size(); }
};
static_assert(Ranker<MergedForest>);

/// Merges forests by a weighted sum of their scores, at each client by its own data: α on the simplex with the highest
/// metric on the client's `merge` queries, see SimplexSearch. Equal weights where none of them says anything. A forest
/// without trees, of a client that had nothing to learn from, has no weight. The global ranker is the sum with equal
/// weights. Gathers the forests of all clients.
struct LinearCombination {
  Ndcg metric{};
  SimplexSearch search{};

  void aggregate(std::span<Sent<Forest> const> all, Forest& ranker) const { EqualWeights{}.aggregate(all, ranker); }

  [[nodiscard]] MergedForest personalize(std::span<Sent<Forest> const> all, auto const& client) const {
    auto local = forests_of(all);
    auto weights = best_weights(local, client.merge);
    return {std::move(local), std::move(weights)};
  }

 private:
  [[nodiscard]] std::vector<double> best_weights(std::span<Forest const> local, auto const& queries) const {
    std::vector<Forest> grown;
    for (Forest const& forest : local)
      if (!forest.trees().empty()) grown.push_back(forest);
    if (grown.empty()) return std::vector<double>(local.size(), 1.0 / static_cast<double>(local.size()));
    ForestScores const scores(grown, queries);
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
