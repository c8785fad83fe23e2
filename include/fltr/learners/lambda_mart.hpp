#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/boosting/boosted_scores.hpp>
#include <fltr/boosting/boosting.hpp>
#include <fltr/boosting/query_views.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/learners/early_stopping.hpp>
#include <fltr/learners/tree_round.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

namespace detail {
FLTR_HOOK(validation);
}

/// LambdaMART (Burges 2010): a forest of regression trees. Each tree is a step of gradient boosting along LambdaRank's
/// gradients and is grown leaf by leaf on binned features.
///
/// The forest has the same bits on any Execution. In a federation a client trains on its own queries; if the client has
/// a member `validation` (a QueryPool), training stops early on those queries.
struct LambdaMart {
  using Message = Forest;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = std::same_as<R, Forest>;

  std::size_t trees = 100;
  std::size_t leaves = 31;  ///< of a tree, at most
  double learning_rate = 0.1;
  std::size_t min_data = 20;      ///< fewest documents in a leaf
  double min_hessian = 1e-3;      ///< smallest sum of hessians in a leaf
  double l2 = 0.0;                ///< λ, added to every sum of hessians
  double query_fraction = 1.0;    ///< of the queries, drawn for each tree
  double feature_fraction = 1.0;  ///< of the features, drawn for each tree
  std::size_t patience = 100;     ///< trees without a better validation metric, after which training stops; 0: never
  LambdaOptions lambda{};
  Binning binning{};

  [[nodiscard]] BoostingOptions boosting() const {
    return {learning_rate, query_fraction, feature_fraction, {leaves, min_data, min_hessian, l2}, lambda, binning};
  }

  /// Trains on queries (a Dataset or a QueryPool). `observer(TreeRound)` is called before the first tree and after each
  /// tree; an observer that returns false ends the training. A step in which no leaf can be split ends the training,
  /// too. If queries or features are sampled, such a step adds no tree and the training goes on.
  template <Execution E, QuerySet Queries, Observer<TreeRound> O = NoObserver>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Streams streams = {},
                             O&& observer = {}) const {
    std::vector<QueryView> views = query_views(queries);
    std::size_t const features = views.empty() ? 0 : views[0].feature_count();
    bool const samples = query_fraction < 1.0 || feature_fraction < 1.0;
    Boosting training(execution, std::move(views), boosting(), streams);
    std::vector<Tree> forest;
    bool more = observe(observer, TreeRound{forest, {}});
    for (std::size_t step = 0; step < trees && more; ++step) {
      Tree tree = training.step(execution);
      if (tree.leaf_count() == 1 && !samples) break;  // the next step would give the same tree
      if (tree.leaf_count() == 1) continue;
      forest.push_back(std::move(tree));
      more = observe(observer, TreeRound{forest, {}});
    }
    return Forest(std::move(forest), features);
  }

  /// Trains with validation queries: training stops after `patience` trees without a higher metric, and the forest ends
  /// with the tree after which the metric was highest (see SelectionMeasurer). If the metric skips all validation
  /// queries, or the patience is 0, all trees are trained and kept. The observer is called as above, with the
  /// validation metric.
  template <Execution E, QuerySet Queries, QuerySet Validation, Metric M = Ndcg, Observer<TreeRound> O = NoObserver>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Validation const& validation,
                             Streams streams = {}, M const& metric = {}, O&& observer = {}) const {
    BoostedScores held_out(query_views(validation));
    if (patience == 0 || held_out.evaluate(execution, metric).queries == 0)
      return train(execution, queries, streams, observer);
    EarlyStopping early{.patience = patience};
    auto const forest = train(execution, queries, streams, [&](TreeRound round) {
      if (round.trees.empty()) return observe(observer, round);
      held_out.add(execution, round.trees.back());
      round.validation = held_out.evaluate_for_selection(execution, metric).mean();
      early.add(round.trees.size(), *round.validation);
      return observe(observer, round) && !early.stops(round.trees.size());
    });
    return early.best_of(forest);
  }

  [[nodiscard]] Forest learn(Forest const& global, auto const& client, auto& session) const {
    if (client.queries.size() == 0) return Forest(global.feature_count());
    auto const after_tree = [&](TreeRound const&) { session.interruption_point(client.queries.size()); };
    // One client trains on one thread: the federation runs several clients at the same time.
    if constexpr (detail::NamesHook_validation<std::remove_cvref_t<decltype(client)>>) {
      static_assert(
          requires { requires QuerySet<std::remove_cvref_t<decltype(client.validation)>>; },
          "fltr: the client's member 'validation' must be a QueryPool");
      return train(Serial{}, client.queries, client.validation, session.streams, Ndcg{}, after_tree);
    } else {
      return train(Serial{}, client.queries, session.streams, after_tree);
    }
  }
};
static_assert(Learner<LambdaMart, Forest>);

}  // namespace fltr
