#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/aggregators/equal_weights.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/rankers/appended_scores.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/stacked_forest.hpp>

namespace fltr {

namespace detail {
FLTR_HOOK(merge_validation);
}  // namespace detail

/// A **ForestTrainer** trains a forest: `t.train(queries, validation, streams)`, const, with two Datasets. It may stop
/// early by the validation queries. `validation` may be empty.
///
/// Models: ParallelLambdaMart, a LambdaMart with the Execution that it trains on (see fltr::stacking).
template <class T>
concept ForestTrainer = requires(T const& t, Dataset const& queries, Streams streams) {
  { t.train(queries, queries, streams) } -> std::same_as<Forest>;
};

/// Merges forests by stacking. Each client appends the scores of all forests to the features of its `merge` queries and
/// trains a new forest on them. A client with `merge_validation` queries uses them for early stopping. If a client has
/// no merge queries, or training gives no tree, its ranker is the mean of the scores. The global ranker is the sum with
/// equal weights. Gathers the forests of all clients.
template <ForestTrainer Trainer>
struct Stacking {
  Trainer trainer{};
  std::uint64_t seed = 1;  ///< of the trainer's random numbers

  void aggregate(std::span<ClientMessage<Forest> const> all, Forest& ranker) const {
    EqualWeights{}.aggregate(all, ranker);
  }

  [[nodiscard]] StackedForest personalize(std::span<ClientMessage<Forest> const> all, auto const& client) const {
    auto forests = detail::forests_of(all);
    std::size_t features = client.merge.size() > 0 ? client.merge[0].feature_count() : 0;
    for (Forest const& forest : forests) features = std::max(features, forest.feature_count());
    AppendedScores local(std::move(forests), features);
    Forest stacked(local.feature_count());
    if (client.merge.size() > 0) {
      Dataset const queries = local.append_to(client.merge);
      Dataset validation;
      if constexpr (detail::NamesHook_merge_validation<std::remove_cvref_t<decltype(client)>>) {
        static_assert(
            requires { local.append_to(client.merge_validation); },
            "fltr: the client's member 'merge_validation' must be a QueryPool");
        validation = local.append_to(client.merge_validation);
      }
      Forest const trained = trainer.train(queries, validation, Streams{seed, 0, client.id});
      if (!trained.trees().empty()) stacked = trained;
    }
    require(stacked.feature_count() == local.feature_count(), "Stacking",
            "a trained forest of " + std::to_string(local.feature_count()) + " features", stacked.feature_count());
    return {std::move(local), stacked};
  }
};

}  // namespace fltr
