#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/rankers/forest.hpp>

namespace fltr {

/// The content of a LightGBM text model: a forest and the names of its features. Read by `read_lightgbm_model`, written
/// by `write_lightgbm_model`.
///
/// The forest's scores are LightGBM's raw scores, or their mean if LightGBM averages trees (a random forest). Its
/// columns are LightGBM's. LightGBM gives a file whose features are numbered from 1 an empty column 0: either read the
/// documents with `LetorOptions{.index_base = 0}`, by `read_letor_double_rows` for bit-identical scores or as a Dataset
/// of floats for `forest_for_float_rows`; or renumber the columns (see lightgbm_columns.hpp).
struct LightGbmModel {
  Forest forest;
  std::vector<std::string> feature_names;  ///< one per feature, without blanks
  std::vector<std::string> feature_infos;  ///< one per feature: "[min:max]" in the training data, or "none"
  std::string objective = "lambdarank";    ///< empty: predictions are raw scores
  std::int32_t label_index = 0;            ///< the column of the label in a table; the label is not a feature
  bool float_rows = false;                 ///< trained on rows of floats by this library; LightGBM trains on doubles

  LightGbmModel() = default;
  /// A forest that this library trained. Features get LightGBM's default names: Column_0, Column_1, …
  explicit LightGbmModel(Forest const& trained)
      : forest(trained), feature_infos(forest.feature_count(), "none"), float_rows(true) {
    for (std::size_t f = 0; f < forest.feature_count(); ++f) feature_names.push_back(default_name(f));
  }

  [[nodiscard]] static std::string default_name(std::size_t feature) { return "Column_" + std::to_string(feature); }
  [[nodiscard]] bool has_default_names() const {
    for (std::size_t f = 0; f < feature_names.size(); ++f)
      if (feature_names[f] != default_name(f)) return false;
    return true;
  }

  /// The forest with thresholds for rows of floats, which are the rounded doubles on which LightGBM was trained.
  [[nodiscard]] Forest forest_for_float_rows() const { return float_rows ? forest : forest.for_float_rows(); }

  friend bool operator==(LightGbmModel const&, LightGbmModel const&) = default;
};

}  // namespace fltr
