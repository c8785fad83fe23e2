#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// What a LightGBM text model says: a forest, and what its features are called. Read by `read_lightgbm_model`, written
/// by `write_lightgbm_model`.
///
/// The forest's scores are LightGBM's raw scores, or their mean where LightGBM averages trees (a random forest). Its
/// columns are LightGBM's: a file whose features are numbered from 1 has an empty column 0 there, so read it with
/// `LetorOptions{.index_base = 0}`: to the bit by `read_letor_rows`, or as a Dataset of floats for
/// `forest_for_float_rows`.
struct LightGbmModel {
  Forest forest;
  std::vector<std::string> feature_names;  ///< one per feature, without blanks
  std::vector<std::string> feature_infos;  ///< one per feature: "[min:max]" in the training data, or "none"
  std::string objective = "lambdarank";    ///< empty: none, predictions are raw scores
  std::int32_t label_index = 0;            ///< the column of the label in a table; not one of the features
  bool float_rows = false;                 ///< trained on rows of floats, as ours are; LightGBM's are doubles

  LightGbmModel() = default;
  /// A forest that was trained here. Features have the names that LightGBM gives where there are none: Column_0,
  /// Column_1, …
  explicit LightGbmModel(Forest trained)
      : forest(std::move(trained)), feature_infos(forest.feature_count(), "none"), float_rows(true) {
    for (std::size_t f = 0; f < forest.feature_count(); ++f) feature_names.push_back(default_name(f));
  }

  [[nodiscard]] static std::string default_name(std::size_t feature) { return "Column_" + std::to_string(feature); }
  [[nodiscard]] bool has_default_names() const {
    for (std::size_t f = 0; f < feature_names.size(); ++f)
      if (feature_names[f] != default_name(f)) return false;
    return true;
  }

  /// The forest for rows of floats, to which the doubles that LightGBM was trained on have to be rounded.
  [[nodiscard]] Forest forest_for_float_rows() const { return float_rows ? forest : forest.for_float_rows(); }

  friend bool operator==(LightGbmModel const&, LightGbmModel const&) = default;
};

/// Which features of two models are the same: those of one name, or those of one column.
enum class SameFeature : std::uint8_t { by_name, by_column };

/// The range of a feature in either of two training sets; what is not of the form "[min:max]" gives way.
[[nodiscard]] inline std::string join_feature_infos(std::string const& a, std::string const& b) {
  auto const range = [](std::string const& text, double& low, double& high) {
    char const* const end = text.data() + text.size();
    if (text.size() < 5 || text.front() != '[' || text.back() != ']') return false;
    auto const first = std::from_chars(text.data() + 1, end, low);
    if (first.ec != std::errc{} || *first.ptr != ':') return false;
    auto const second = std::from_chars(first.ptr + 1, end, high);
    return second.ec == std::errc{} && second.ptr == end - 1;
  };
  double low_a = 0, high_a = 0, low_b = 0, high_b = 0;
  if (!range(b, low_b, high_b)) return a == "none" ? b : a;
  if (!range(a, low_a, high_a)) return b;
  // Each end keeps its text: it was a decimal number before, and no digit of it changes.
  auto const& low = low_b < low_a ? b : a;
  auto const& high = high_b > high_a ? b : a;
  return low.substr(0, low.find(':')) + high.substr(high.find(':'));
}

/// Σ weights_i · models_i as one model, in LightGBM too: all trees, leaves multiplied by the weight of their model (of
/// a model without weight, none). The learning rates are in the leaves, so they may differ, and so may the numbers of
/// trees and the features: the merged model has all features of all models, new ones behind those of the models before.
/// What is added up are raw scores: where the objective makes something else of them (a probability), that is not the
/// sum of what the models say.
///
/// Throws std::invalid_argument where features are matched by name and only some of the models name theirs, where they
/// are matched by column and their names say something else, and where labels are in different columns.
[[nodiscard]] inline LightGbmModel merge_lightgbm_models(std::span<LightGbmModel const> models,
                                                         std::span<double const> weights,
                                                         SameFeature same = SameFeature::by_name) {
  require(!models.empty(), "merge_lightgbm_models", "at least one model", models.size());
  require(models.size() == weights.size(), "merge_lightgbm_models",
          "as many weights as models, " + std::to_string(models.size()), weights.size());
  auto const unnamed = std::ranges::count_if(models, &LightGbmModel::has_default_names);
  require(same == SameFeature::by_column || unnamed == 0 || static_cast<std::size_t>(unnamed) == models.size(),
          "merge_lightgbm_models", "feature names in all models or in none (or SameFeature::by_column)",
          std::to_string(unnamed) + " of " + std::to_string(models.size()) + " models without");

  LightGbmModel merged;
  merged.objective = models.front().objective;
  merged.label_index = models.front().label_index;
  merged.float_rows = std::ranges::all_of(models, &LightGbmModel::float_rows);
  std::unordered_map<std::string, std::uint32_t> column_of;
  std::vector<Tree> trees;
  for (std::size_t i = 0; i < models.size(); ++i) {
    LightGbmModel const& model = models[i];
    require(std::isfinite(weights[i]), "merge_lightgbm_models", "finite weights", weights[i]);
    require(model.label_index == merged.label_index, "merge_lightgbm_models",
            "labels in column " + std::to_string(merged.label_index) + " of the data", model.label_index);
    if (model.objective != merged.objective) merged.objective.clear();
    std::vector<std::uint32_t> columns(model.feature_names.size());
    for (std::size_t f = 0; f < columns.size(); ++f) {
      auto const next = static_cast<std::uint32_t>(merged.feature_names.size());
      columns[f] = same == SameFeature::by_column ? static_cast<std::uint32_t>(f)
                                                  : column_of.try_emplace(model.feature_names[f], next).first->second;
      if (columns[f] == next) {
        merged.feature_names.push_back(model.feature_names[f]);
        merged.feature_infos.push_back(model.feature_infos[f]);
      } else {
        auto& info = merged.feature_infos[columns[f]];
        info = join_feature_infos(info, model.feature_infos[f]);
        auto& name = merged.feature_names[columns[f]];
        if (name == LightGbmModel::default_name(f)) name = model.feature_names[f];
        require(model.feature_names[f] == name || model.feature_names[f] == LightGbmModel::default_name(f),
                "merge_lightgbm_models", "'" + name + "' as the name of column " + std::to_string(f),
                "'" + model.feature_names[f] + "'");
      }
    }
    if (weights[i] == 0.0) continue;
    for (Tree tree : model.forest.trees()) {
      for (auto& feature : tree.feature) feature = columns[feature];
      tree.scale(weights[i]);
      trees.push_back(std::move(tree));
    }
  }
  std::set<std::string_view> distinct;
  for (auto const& name : merged.feature_names)
    require(distinct.insert(name).second, "merge_lightgbm_models", "each name in one column", "'" + name + "' in two");
  merged.forest = Forest(std::move(trees), merged.feature_names.size());
  return merged;
}

}  // namespace fltr
