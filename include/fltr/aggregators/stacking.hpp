#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/appended_scores.hpp>
#include <fltr/aggregators/equal_weights.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// Trains a forest: `t.train(queries, validation, streams)`. Where there are validation queries, it may stop early.
template <class T>
concept ForestTrainer = requires(T const& t, Dataset const& queries, Streams streams) {
  { t.train(queries, queries, streams) } -> std::same_as<Forest>;
};

/// A forest over the documents' features and the scores of the local forests.
struct StackedForest {
  AppendedScores local;
  Forest stacked;

  void score(QueryView query, std::span<float> scores) const { local.score(stacked, query, scores); }

  /// By feature, those of the documents first and then one for each local score: what its splits gained in training.
  [[nodiscard]] std::vector<double> gain_importance() const { return stacked.gain_importance(); }
  /// Likewise: how many splits ask for it.
  [[nodiscard]] std::vector<double> split_importance() const { return stacked.split_importance(); }
};
static_assert(Ranker<StackedForest>);

/// Merges forests by stacking: at each client the scores of all forests become features of its `merge` queries, on
/// which a new forest is trained. A client with `merge_validation` queries stops that training early by them. The
/// global ranker is the sum with equal weights. Gathers the forests of all clients.
template <ForestTrainer Trainer>
struct Stacking {
  Trainer trainer{};
  std::uint64_t seed = 1;  ///< of what the trainer samples

  void aggregate(std::span<Sent<Forest> const> all, Forest& ranker) const { EqualWeights{}.aggregate(all, ranker); }

  [[nodiscard]] StackedForest personalize(std::span<Sent<Forest> const> all, auto const& client) const {
    require(client.merge.size() > 0, "Stacking", "merge queries at every client", client.merge.size());
    AppendedScores local(forests_of(all), client.merge[0].feature_count());
    Dataset const queries = local.append_to(client.merge);
    Dataset validation;
    if constexpr (requires { client.merge_validation; }) validation = local.append_to(client.merge_validation);
    auto stacked = trainer.train(queries, validation, Streams{seed, 0, client.id});
    return {std::move(local), std::move(stacked)};
  }
};

}  // namespace fltr
