#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/tree.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/learners/boosted_scores.hpp>
#include <fltr/learners/boosting.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// Remembers after how many trees a metric was highest.
struct EarlyStopping {
  std::size_t patience = 100;
  std::size_t best = 0;  ///< trees
  double value = -std::numeric_limits<double>::infinity();

  void add(std::size_t trees, double metric) noexcept {
    if (!(metric > value)) return;
    best = trees;
    value = metric;
  }
  [[nodiscard]] bool stops(std::size_t trees) const noexcept { return trees >= best + patience; }
};

/// LambdaMART (Burges 2010): a forest of regression trees, each one a step of gradient boosting along LambdaRank's
/// gradients, grown leaf by leaf on features in bins.
///
/// The same forest on any Execution, bit by bit. In a federation, a client trains on its queries alone; one that has
/// `validation` queries stops early on them.
struct LambdaMart {
  using Message = Forest;
  template <class R>
  static constexpr bool trains = std::same_as<R, Forest>;

  std::size_t trees = 100;
  std::size_t leaves = 31;  ///< of a tree, at most
  double learning_rate = 0.1;
  std::size_t min_data = 20;      ///< documents in a leaf
  double min_hessian = 1e-3;      ///< sum of hessians in a leaf
  double l2 = 0.0;                ///< λ, added to every sum of hessians
  double query_fraction = 1.0;    ///< of the queries, drawn for each tree
  double feature_fraction = 1.0;  ///< of the features, drawn for each tree
  std::size_t patience = 100;     ///< trees without a better validation metric, after which training stops
  LambdaOptions lambda{};
  Binning binning{};

  [[nodiscard]] BoostingOptions boosting() const {
    return {learning_rate, query_fraction, feature_fraction, {leaves, min_data, min_hessian, l2}, lambda, binning};
  }

  /// Trains on queries (a Dataset or a QueryPool).
  template <Execution E, QueriesByNumber Queries>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Streams streams = {}) const {
    return boost(execution, query_views(queries), streams, [](auto const&) { return true; });
  }

  /// The same with validation queries: training stops early, and the forest ends with the tree after which their metric
  /// was highest. Where the metric skips all of them, there is nothing to stop by.
  template <Execution E, QueriesByNumber Queries, QueriesByNumber Validation, Metric M = Ndcg>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Validation const& validation,
                             Streams streams = {}, M const& metric = {}) const {
    require(patience > 0, "LambdaMart", "a patience of at least one tree", patience);
    BoostedScores held_out(query_views(validation));
    if (held_out.evaluate(execution, metric).queries == 0) return train(execution, queries, streams);
    EarlyStopping early{.patience = patience};
    auto const forest = boost(execution, query_views(queries), streams, [&](std::vector<Tree> const& trees_so_far) {
      held_out.add(execution, trees_so_far.back());
      early.add(trees_so_far.size(), held_out.evaluate(execution, metric).mean());
      return !early.stops(trees_so_far.size());
    });
    auto const best = forest.trees().first(early.best);
    return Forest({best.begin(), best.end()}, forest.feature_count());
  }

  [[nodiscard]] Forest learn(Forest const& global, auto const& client, auto& session) const {
    if (client.queries.size() == 0) return Forest(global.feature_count());
    if constexpr (requires { client.validation; })
      return train(Here{}, client.queries, client.validation, session.streams);
    else
      return train(Here{}, client.queries, session.streams);
  }

 private:
  /// Clients run beside each other already.
  struct Here {
    template <class Leaf>
    [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
      return reduce_tree(0, blocks, leaf);
    }
  };

  /// Adds trees until there are enough, or `goes_on(trees)` says no, or nothing can be learned any more.
  template <Execution E, class GoesOn>
  [[nodiscard]] Forest boost(E const& execution, std::vector<QueryView> queries, Streams streams,
                             GoesOn const& goes_on) const {
    std::size_t const features = queries.empty() ? 0 : queries[0].feature_count();
    bool const samples = query_fraction < 1.0 || feature_fraction < 1.0;
    Boosting training(execution, std::move(queries), boosting(), streams);
    std::vector<Tree> forest;
    for (std::size_t t = 0; t < trees; ++t) {
      Tree tree = training.step(execution);
      if (tree.leaf_count() == 1 && !samples) break;  // and so would be the next one
      if (tree.leaf_count() == 1) continue;
      forest.push_back(std::move(tree));
      if (!goes_on(forest)) break;
    }
    return Forest(std::move(forest), features);
  }
};
static_assert(Learner<LambdaMart, Forest>);

}  // namespace fltr
