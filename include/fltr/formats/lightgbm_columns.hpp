#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/tree.hpp>

/// LightGBM numbers the columns of a model from 0. If it was trained on a file whose features are numbered from 1,
/// column 0 is empty and feature 1 is in column 1: the first feature's column is 1. If it was trained on a table, it is
/// 0. A Forest of this library has its first feature in column 0.
namespace fltr {

/// The forest with its first feature in column `first_column` instead of column 0, as a model for LightGBM.
[[nodiscard]] inline Forest to_lightgbm_columns(Forest const& forest, std::size_t first_column) {
  std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
  for (Tree& tree : trees)
    for (std::uint32_t& feature : tree.feature) feature += static_cast<std::uint32_t>(first_column);
  return {std::move(trees), forest.feature_count() + first_column};
}

/// The inverse: a forest of LightGBM, whose first feature is in column `first_column`, for rows of `feature_count`
/// features. Throws std::invalid_argument if a tree splits on a column before `first_column` or after the last
/// feature.
[[nodiscard]] inline Forest from_lightgbm_columns(Forest const& forest, std::size_t first_column,
                                                  std::size_t feature_count) {
  std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
  for (Tree& tree : trees)
    for (std::uint32_t& feature : tree.feature) {
      require(feature >= first_column, "from_lightgbm_columns",
              "splits on columns from " + std::to_string(first_column), feature);
      feature -= static_cast<std::uint32_t>(first_column);
    }
  return {std::move(trees), feature_count};
}

/// The column of the first feature in a model, 0 or 1, for data of `feature_count` features. The column is 1 if the
/// model has one column more than the data has features and does not use column 0. It is 0 if the model does not have
/// more columns than the data has features and uses column 0. A model uses column 0 if a tree splits on it, or if its
/// training data had values in it. `given`, if it has a value, replaces this rule.
///
/// Throws std::invalid_argument if the rule does not decide, or if the model has more columns than the data provides.
[[nodiscard]] inline std::size_t lightgbm_first_column(LightGbmModel const& model, std::size_t feature_count,
                                                       std::optional<std::size_t> given = std::nullopt) {
  std::size_t const columns = model.forest.feature_count();
  bool const splits_on_column_0 = columns > 0 && model.forest.split_importance()[0] > 0;
  bool const uses_column_0 = model.feature_infos.empty() || model.feature_infos[0] != "none" || splits_on_column_0;
  auto const refuse = [&](std::string_view why) {
    throw std::invalid_argument(std::to_string(columns) + " columns in the model, " + std::to_string(feature_count) +
                                " features in the data: " + std::string(why));
  };
  if (!given && columns <= feature_count && !uses_column_0)
    refuse("the column of the first feature may be 0 or 1, because the model does not use column 0");
  if (!given && columns == feature_count + 1 && uses_column_0)
    refuse("the model uses column 0, so its first feature is in column 0, and it has one column too many");
  std::size_t const first = given ? *given : columns == feature_count + 1 ? 1 : 0;
  if (columns > feature_count + first)
    refuse("too many columns if the first feature is in column " + std::to_string(first));
  if (first == 1 && splits_on_column_0)
    refuse("the model splits on column 0, which is empty if the first feature is in column 1");
  return first;
}

}  // namespace fltr
