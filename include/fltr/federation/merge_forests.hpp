#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <fltr/aggregators/linear_combination.hpp>
#include <fltr/aggregators/stacking.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/core/random.hpp>
#include <fltr/execution/serial.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// LambdaMART on an Execution of its own. A federation works on many clients at a time, which is no use for a few
/// organisations with many documents each: here the threads grow one tree together. The forests are those of
/// LambdaMart, unless the callback `goes_on(trees)` returns false and stops a training early. It is called before the
/// first tree of a forest and after each tree.
template <Execution E = Serial, class GoesOn = TrainsAll>
struct LambdaMartOn {
  using Message = Forest;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = std::same_as<R, Forest>;

  LambdaMart mart{};
  E execution{};
  GoesOn goes_on{};

  /// For clients with `queries` and `validation`.
  [[nodiscard]] Forest learn(Forest const& global, auto const& client, auto& session) const {
    if (client.queries.size() == 0) return Forest(global.feature_count());
    return mart.train(execution, client.queries, client.validation, session.streams, Ndcg{}, goes_on);
  }

  /// For Stacking.
  template <class Queries>
  [[nodiscard]] Forest train(Queries const& queries, Queries const& validation, Streams streams) const {
    return mart.train(execution, queries, validation, streams, Ndcg{}, goes_on);
  }
};
static_assert(ForestTrainer<LambdaMartOn<>>);

/// The paper's second way to merge, with a small LambdaMART on top.
template <Execution E = Serial, class GoesOn = TrainsAll>
[[nodiscard]] auto stacking(LambdaMart mart = {.trees = 100, .leaves = 16, .min_data = 50}, E execution = {},
                            GoesOn goes_on = {}) {
  return Stacking<LambdaMartOn<E, GoesOn>>{.trainer = {mart, execution, std::move(goes_on)}};
}

/// Forests trained apart and merged at each client (Learning to rank for non-IID datasets, 2024): one round, in which
/// every client trains LambdaMART on its own queries, gets the others' forests and merges them by its `merge` queries:
/// see `Training::ranker_of`. For populations of clients like MergingClient (partition/by_category.hpp).
template <class Merge = LinearCombination, Execution E = Serial, class GoesOn = TrainsAll>
[[nodiscard]] auto merge_forests(std::size_t features, LambdaMart learner = {}, Merge merge = {}, E execution = {},
                                 GoesOn goes_on = {}) {
  return make_federation(Forest(features), NoClicks{}, LambdaMartOn<E, GoesOn>{learner, execution, std::move(goes_on)},
                         std::move(merge));
}

}  // namespace fltr
