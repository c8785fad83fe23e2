#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/io/lightgbm_model.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr::examples {

/// Whether the file begins as a text model of LightGBM does. Throws std::system_error if it cannot be read.
[[nodiscard]] bool is_lightgbm_model(std::filesystem::path const& file);

/// Of the option --model-base.
inline constexpr char const* model_base_help =
    "column of the first feature in LightGBM's models: 1 if it reads files with features from 1, as --export has it; "
    "0 for tables; auto: taken from the model";
[[nodiscard]] inline std::vector<std::pair<std::string, std::optional<std::size_t>>> model_bases() {
  return {{"auto", std::nullopt}, {"0", 0}, {"1", 1}};
}

/// The forest with its features counted from `base` instead of from 0, as LightGBM counts those of a file that starts
/// at 1: its column 0 is empty.
[[nodiscard]] Forest with_base(Forest const& forest, std::size_t base);
/// The other way round, for rows of so many features. Requires that no tree asks for a column before `base`.
[[nodiscard]] Forest without_base(Forest const& forest, std::size_t base, std::size_t features);

/// The column of the first feature in a model, which came from `file`, for data of so many features: `base`, or what
/// the model tells. Throws where it does not, or asks for features that the data has not.
[[nodiscard]] std::size_t base_of(LightGbmModel const& model, std::string const& file, std::size_t features,
                                  std::optional<std::size_t> base);

/// Of the option --match.
inline constexpr char const* match_help =
    "which features of the --models are the same in the --export: those of one column, or those of one name";
[[nodiscard]] inline std::vector<std::pair<std::string, SameFeature>> matches() {
  return {{"column", SameFeature::by_column}, {"name", SameFeature::by_name}};
}

/// Σ weights_i · models_i as one model. Where features do not match, the error mentions --match.
[[nodiscard]] LightGbmModel merge_models(std::span<LightGbmModel const> models, std::span<double const> weights,
                                         SameFeature same);
/// The same of files, without any data.
[[nodiscard]] LightGbmModel merge_models(std::span<std::string const> files, std::span<double const> weights,
                                         SameFeature same);

/// Text models of LightGBM, as files have them, for some data.
class GivenModels {
 public:
  /// Reads models for data of so many features. `base` is the column of the first feature in the models, see `base_of`.
  GivenModels(std::vector<std::string> const& files, std::size_t features, std::optional<std::size_t> base);

  /// Their forests over the data's features, as if clients had sent them.
  [[nodiscard]] std::vector<Sent<Forest>> forests() const;

  /// Σ weights_i · models_i as one text model, see `merge_models`. Columns are those of the files, which are columns of
  /// the same data: throws where they are not, or where names say something else than the columns.
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
