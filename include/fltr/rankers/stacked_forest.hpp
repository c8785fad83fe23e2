#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/appended_scores.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// A forest over the documents' features and the scores of local forests. If the forest has no tree, the score is the
/// mean of the local scores.
struct StackedForest {
  static constexpr std::string_view model_name = "stacked_forest";

  AppendedScores local;
  Forest stacked;

  /// The number of the documents' features, without the local scores.
  [[nodiscard]] std::size_t feature_count() const noexcept { return local.own_feature_count(); }
  /// Whether the stacked forest has a tree.
  [[nodiscard]] bool learned() const noexcept { return !stacked.trees().empty(); }

  void score(QueryView query, std::span<float> scores) const {
    if (learned())
      local.score(stacked, query, scores);
    else
      local.mean(query, scores);
  }

  /// For each feature, the sum of the gains of its splits in training. The documents' features come first, then one
  /// value for each local score.
  [[nodiscard]] std::vector<double> gain_importance() const { return stacked.gain_importance(); }
  /// For each feature, the number of its splits, in the same order.
  [[nodiscard]] std::vector<double> split_importance() const { return stacked.split_importance(); }

  auto fields(auto&& visit) { return visit(local, stacked); }
  [[nodiscard]] bool consistent() const {
    return local.consistent() && stacked.feature_count() == local.feature_count();
  }

  friend bool operator==(StackedForest const&, StackedForest const&) = default;
};
static_assert(Ranker<StackedForest>);

}  // namespace fltr
