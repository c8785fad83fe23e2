#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/aggregators/appended_scores.hpp>
#include <fltr/aggregators/equal_weights.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

FLTR_HOOK(merge_validation);

/// Trains a forest: `t.train(queries, validation, streams)`. Where there are validation queries, it may stop early.
template <class T>
concept ForestTrainer = requires(T const& t, Dataset const& queries, Streams streams) {
  { t.train(queries, queries, streams) } -> std::same_as<Forest>;
};

/// A forest over the documents' features and the scores of the local forests. Where it has no tree, since there was
/// nothing to learn from, the mean of the local scores.
struct StackedForest {
  static constexpr std::string_view model_name = "stacked_forest";

  AppendedScores local;
  Forest stacked;

  /// Of the documents: the local scores are not among them.
  [[nodiscard]] std::size_t feature_count() const noexcept { return local.own_feature_count(); }
  [[nodiscard]] bool learned() const noexcept { return !stacked.trees().empty(); }

  void score(QueryView query, std::span<float> scores) const {
    if (learned())
      local.score(stacked, query, scores);
    else
      local.mean(query, scores);
  }

  /// By feature, those of the documents first and then one for each local score: what its splits gained in training.
  [[nodiscard]] std::vector<double> gain_importance() const { return stacked.gain_importance(); }
  /// Likewise: how many splits ask for it.
  [[nodiscard]] std::vector<double> split_importance() const { return stacked.split_importance(); }

  auto fields(auto&& visit) { return visit(local, stacked); }
  [[nodiscard]] bool consistent() const {
    return local.consistent() && stacked.feature_count() == local.feature_count();
  }

  friend bool operator==(StackedForest const&, StackedForest const&) = default;
};
static_assert(Ranker<StackedForest>);

/// Merges forests by stacking: at each client the scores of all forests become features of its `merge` queries, on
/// which a new forest is trained. A client with `merge_validation` queries stops that training early by them. Where a
/// client has no merge queries, or no tree grows on them, its ranker says the mean of the scores. The global ranker is
/// the sum with equal weights. Gathers the forests of all clients.
template <ForestTrainer Trainer>
struct Stacking {
  Trainer trainer{};
  std::uint64_t seed = 1;  ///< of what the trainer samples

  void aggregate(std::span<Sent<Forest> const> all, Forest& ranker) const { EqualWeights{}.aggregate(all, ranker); }

  [[nodiscard]] StackedForest personalize(std::span<Sent<Forest> const> all, auto const& client) const {
    auto forests = forests_of(all);
    std::size_t features = client.merge.size() > 0 ? client.merge[0].feature_count() : 0;
    for (Forest const& forest : forests) features = std::max(features, forest.feature_count());
    AppendedScores local(std::move(forests), features);
    Forest stacked(local.feature_count());
    if (client.merge.size() > 0) {
      Dataset const queries = local.append_to(client.merge);
      Dataset validation;
      if constexpr (NamesHook_merge_validation<std::remove_cvref_t<decltype(client)>>) {
        static_assert(
            requires { local.append_to(client.merge_validation); },
            "fltr: the client's member 'merge_validation' must be a QueryPool");
        validation = local.append_to(client.merge_validation);
      }
      Forest const trained = trainer.train(queries, validation, Streams{seed, 0, client.id});
      if (!trained.trees().empty()) stacked = trained;
    }
    require(stacked.feature_count() == local.feature_count(), "Stacking",
            "a forest of " + std::to_string(local.feature_count()) + " features", stacked.feature_count());
    return {std::move(local), std::move(stacked)};
  }
};

}  // namespace fltr
