#pragma once

#include <cstddef>
#include <utility>

#include <fltr/aggregators/linear_combination.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/parallel_lambda_mart.hpp>
#include <fltr/learners/tree_round.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// Forests that are trained separately and merged at each client ("Learning to rank for non-IID datasets", 2024). There
/// is one round: every client trains LambdaMART on its own queries, receives the forests of the other clients, and
/// merges them on its `merge` queries. The result is `Training::ranker_of`. Requires clients with a member `merge`,
/// such as MergingClient (partition/merging_client.hpp). `merge` is LinearCombination or `stacking()`
/// (presets/stacking.hpp).
template <class Merge = LinearCombination, Execution E = Serial, Observer<TreeRound> O = NoObserver>
[[nodiscard]] auto merge_forests(std::size_t features, LambdaMart learner = {}, Merge merge = {}, E execution = {},
                                 O observer = {}) {
  return make_federation(Forest(features), NoClicks{},
                         ParallelLambdaMart<E, O>{learner, execution, std::move(observer)}, std::move(merge));
}

}  // namespace fltr
