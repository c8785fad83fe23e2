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

  /// Trains on queries (a Dataset or a QueryPool). Where there are validation queries, training stops early, and the
  /// forest ends with the tree after which their metric was highest.
  template <Execution E, class Queries, Metric M = Ndcg>
  [[nodiscard]] Forest train(E const& execution, Queries const& queries, Queries const* validation = nullptr,
                             Streams streams = {}, M const& metric = {}) const {
    require(patience > 0, "LambdaMart", "a patience of at least one tree", patience);
    std::vector<QueryView> views = query_views(queries);
    std::size_t const features = views.empty() ? 0 : views[0].feature_count();
    Boosting training(execution, std::move(views), boosting(), streams);
    BoostedScores held_out(validation != nullptr ? query_views(*validation) : std::vector<QueryView>());
    EarlyStopping early{.patience = patience};
    std::vector<Tree> forest;
    for (std::size_t t = 0; t < trees; ++t) {
      Tree tree = training.step(execution);
      bool const adds = tree.leaf_count() > 1;
      if (!adds && query_fraction >= 1.0 && feature_fraction >= 1.0) break;  // nor would the next one
      if (adds) forest.push_back(std::move(tree));
      if (validation == nullptr) continue;
      if (adds) held_out.add(execution, forest.back());
      early.add(forest.size(), held_out.evaluate(execution, metric).mean());
      if (early.stops(forest.size())) break;
    }
    if (validation != nullptr) forest.resize(early.best);
    return Forest(std::move(forest), features);
  }

  [[nodiscard]] Forest learn(Forest const&, auto const& client, auto& session) const {
    if constexpr (requires { client.validation; })
      return train(Here{}, client.queries, &client.validation, session.streams);
    else
      return train(Here{}, client.queries, static_cast<decltype(&client.queries)>(nullptr), session.streams);
  }

 private:
  /// Clients run beside each other already.
  struct Here {
    template <class Leaf>
    [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
      return reduce_tree(0, blocks, leaf);
    }
  };
};

}  // namespace fltr
