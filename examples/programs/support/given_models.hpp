#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/formats/merge_lightgbm_models.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr::examples {

/// The help text and the values of the option --model-base.
inline constexpr char const* model_base_help =
    "column of the first feature in LightGBM models: 1 for a model trained on a file with features from 1 (and for "
    "--export), 0 for a model trained on a table; auto: derived from the model";
[[nodiscard]] inline std::vector<std::pair<std::string, std::optional<std::size_t>>> model_bases() {
  return {{"auto", std::nullopt}, {"0", 0}, {"1", 1}};
}

/// The column of the first feature in a LightGBM model from `file`, see lightgbm_first_column. Throws
/// std::runtime_error with a text that names the file and --model-base.
[[nodiscard]] std::size_t first_column_of(LightGbmModel const& model, std::string const& file, std::size_t features,
                                          std::optional<std::size_t> base);

/// The help text and the values of the option --match.
inline constexpr char const* match_help =
    "how features of different --models are matched in the --export: by column or by name";
[[nodiscard]] inline std::vector<std::pair<std::string, SameFeature>> matches() {
  return {{"column", SameFeature::by_column}, {"name", SameFeature::by_name}};
}

/// Σ weights_i · models_i as one model, see merge_lightgbm_models. The error for features that do not match names
/// --match.
[[nodiscard]] LightGbmModel merge_models(std::span<LightGbmModel const> models, std::span<double const> weights,
                                         SameFeature same);
/// The same for the models in files.
[[nodiscard]] LightGbmModel merge_models(std::span<std::string const> files, std::span<double const> weights,
                                         SameFeature same);

/// LightGBM text models from files, for data of a given number of features.
class GivenModels {
 public:
  /// Reads the models. `base` is the column of the first feature in each, see first_column_of.
  GivenModels(std::vector<std::string> const& files, std::size_t features, std::optional<std::size_t> base);

  /// The forests for rows of the data, one message per model.
  [[nodiscard]] std::vector<ClientMessage<Forest>> forests() const;

  /// Σ weights_i · models_i as one text model, see merge_models. Throws std::runtime_error if models that are matched
  /// by column have their first feature in different columns, or if names that are matched contradict the columns of
  /// the data.
  [[nodiscard]] LightGbmModel merged(std::span<double const> weights, SameFeature same) const;

 private:
  void require_one_base() const;
  void require_names_of_the_data() const;

  std::vector<std::string> files_;
  std::size_t features_;
  std::vector<LightGbmModel> models_;
  std::vector<std::size_t> bases_;  // of each model
};

}  // namespace fltr::examples
