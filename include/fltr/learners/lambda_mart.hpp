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

FLTR_HOOK(validation);

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
  [[nodiscard]] bool stops(std::size_t trees) const noexcept { return trees - best >= patience; }
  /// The forest up to the best tree.
  [[nodiscard]] Forest best_of(Forest const& forest) const {
    auto const trees = forest.trees().first(best);
    return {{trees.begin(), trees.end()}, forest.feature_count()};
  }
};

/// The default callback: it never stops training early.
struct TrainsAll {
  bool operator()(std::vector<Tree> const&) const noexcept { return true; }
};

/// LambdaMART (Burges 2010): a forest of regression trees, each one a step of gradient boosting along LambdaRank's
/// gradients, grown leaf by leaf on features in bins.
///
/// The same forest on any Execution, bit by bit. In a federation, a client trains on its queries alone; one that has
/// `validation` queries stops early on them.
struct LambdaMart {
  using Message = Forest;
  static constexpr bool shows_lists = false;
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
  std::size_t patience = 100;     ///< trees without a better validation metric, after which training stops; 0: never
  LambdaOptions lambda{};
  Binning binning{};

  [[nodiscard]] BoostingOptions boosting() const {
    return {learning_rate, query_fraction, feature_fraction, {leaves, min_data, min_hessian, l2}, lambda, binning};
  }

  /// Trains on queries (a Dataset or a QueryPool) as long as `goes_on(trees)` says so, which is asked before the first
  /// tree and after each. A step in which nothing can be split ends the training or, where queries or features are
  /// sampled, adds no tree.
  template <Execution E, QueriesByNumber Queries, class GoesOn>
  [[nodiscard]] Forest train_while(E const& execution, Queries const& queries, Streams streams,
                                   GoesOn const& goes_on) const {
    std::vector<QueryView> views = query_views(queries);
    std::size_t const features = views.empty() ? 0 : views[0].feature_count();
    bool const samples = query_fraction < 1.0 || feature_fraction < 1.0;
    Boosting training(execution, std::move(views), boosting(), streams);
    std::vector<Tree> forest;
    bool more = goes_on(std::as_const(forest));
    for (std::size_t step = 0; step < trees && more; ++step) {
      Tree tree = training.step(execution);
      if (tree.leaf_count() == 1 && !samples) break;  // and so would be the next one
      if (tree.leaf_count() == 1) continue;
      forest.push_back(std::move(tree));
      more = goes_on(std::as_const(forest));
    }
    return Forest(std::move(forest), features);
  }

  /// Trains all trees.
  template <Execution E, QueriesByNumber Queries>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Streams streams = {}) const {
    return train_while(execution, queries, streams, TrainsAll{});
  }

  /// The same with validation queries: training stops early, and the forest ends with the tree after which their metric
  /// was highest (see SelectionMeasurer). Where the metric skips all of them, or with a patience of 0, all trees are
  /// trained and kept. `goes_on(trees)` is called as in `train_while` and may stop training after any tree.
  template <Execution E, QueriesByNumber Queries, QueriesByNumber Validation, Metric M = Ndcg, class GoesOn = TrainsAll>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Validation const& validation,
                             Streams streams = {}, M const& metric = {}, GoesOn const& goes_on = {}) const {
    BoostedScores held_out(query_views(validation));
    if (patience == 0 || held_out.evaluate(execution, metric).queries == 0)
      return train_while(execution, queries, streams, goes_on);
    EarlyStopping early{.patience = patience};
    auto const forest = train_while(execution, queries, streams, [&](std::vector<Tree> const& so_far) {
      if (so_far.empty()) return goes_on(so_far);
      held_out.add(execution, so_far.back());
      early.add(so_far.size(), held_out.evaluate_for_selection(execution, metric).mean());
      return goes_on(so_far) && !early.stops(so_far.size());
    });
    return early.best_of(forest);
  }

  [[nodiscard]] Forest learn(Forest const& global, auto const& client, auto& session) const {
    if (client.queries.size() == 0) return Forest(global.feature_count());
    if constexpr (NamesHook_validation<std::remove_cvref_t<decltype(client)>>) {
      static_assert(
          requires { requires QueriesByNumber<std::remove_cvref_t<decltype(client.validation)>>; },
          "fltr: the client's member 'validation' must be a QueryPool");
      return train(Here{}, client.queries, client.validation, session.streams);
    } else {
      return train(Here{}, client.queries, session.streams);
    }
  }

 private:
  /// Clients run beside each other already.
  struct Here {
    static constexpr bool shares_memory = true;
    template <class Leaf>
    [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
      return reduce_tree(0, blocks, leaf);
    }
  };
};
static_assert(Learner<LambdaMart, Forest>);

}  // namespace fltr
