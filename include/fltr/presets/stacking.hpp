#pragma once

#include <utility>

#include <fltr/aggregators/stacking.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/parallel_lambda_mart.hpp>
#include <fltr/learners/tree_round.hpp>

namespace fltr {

/// The aggregator Stacking, with a small LambdaMART as the model that combines the forests' scores: the second merging
/// method of "Learning to rank for non-IID datasets" (2024). Used as the argument `merge` of merge_forests.
template <Execution E = Serial, Observer<TreeRound> O = NoObserver>
[[nodiscard]] auto stacking(LambdaMart mart = {.trees = 100, .leaves = 16, .min_data = 50}, E execution = {},
                            O observer = {}) {
  static_assert(ForestTrainer<ParallelLambdaMart<E, O>>);
  return Stacking<ParallelLambdaMart<E, O>>{.trainer = {mart, execution, std::move(observer)}};
}

}  // namespace fltr
