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
#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// How features of two models are matched: by their names or by their columns.
enum class SameFeature : std::uint8_t { by_name, by_column };

namespace detail {

/// The union of the ranges of a feature in two training sets. An info that is not of the form "[min:max]" is replaced
/// by the other one.
template <class = void>
[[nodiscard]] std::string join_feature_infos(std::string const& a, std::string const& b) {
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
  // Each end keeps its digits.
  auto const& low = low_b < low_a ? b : a;
  auto const& high = high_b > high_a ? b : a;
  return low.substr(0, low.find(':')) + high.substr(high.find(':'));
}

}  // namespace detail

/// Σ weights_i · models_i as one model that LightGBM can load: the trees of all models with a weight other than 0, with
/// leaves multiplied by the weight. Learning rates, numbers of trees and features may differ. The merged model has the
/// features of all models; features that are new in a model follow those of the models before. Raw scores are summed:
/// if the objective transforms raw scores (to a probability), the prediction of the merged model is not the sum of the
/// predictions.
///
/// Throws std::invalid_argument if features are matched by name and only some of the models have names, if they are
/// matched by column and the names contradict this, and if the label columns differ.
template <class = void>
[[nodiscard]] LightGbmModel merge_lightgbm_models(std::span<LightGbmModel const> models,
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
        info = detail::join_feature_infos(info, model.feature_infos[f]);
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
