#include "given_models.hpp"

#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <fltr/formats/lightgbm_columns.hpp>
#include <fltr/formats/lightgbm_reader.hpp>

namespace fltr::examples {

std::size_t first_column_of(LightGbmModel const& model, std::string const& file, std::size_t features,
                            std::optional<std::size_t> base) {
  try {
    return lightgbm_first_column(model, features, base);
  } catch (std::invalid_argument const& error) {
    throw std::runtime_error(
        fmt::format("{}: {}; --model-base sets the column of the first feature", file, error.what()));
  }
}

LightGbmModel merge_models(std::span<LightGbmModel const> models, std::span<double const> weights, SameFeature same) {
  try {
    return merge_lightgbm_models(models, weights, same);
  } catch (std::invalid_argument const& error) {
    throw std::runtime_error(fmt::format("{}; --match sets how features are matched", error.what()));
  }
}

LightGbmModel merge_models(std::span<std::string const> files, std::span<double const> weights, SameFeature same) {
  std::vector<LightGbmModel> models;
  for (std::string const& file : files) models.push_back(read_lightgbm_model(file));
  return merge_models(models, weights, same);
}

GivenModels::GivenModels(std::vector<std::string> const& files, std::size_t features, std::optional<std::size_t> base)
    : files_(files), features_(features) {
  for (std::string const& file : files_) {
    LightGbmModel const& model = models_.emplace_back(read_lightgbm_model(file));
    if (model.forest.score_bound() > static_cast<double>(std::numeric_limits<float>::max()))
      throw std::runtime_error(fmt::format("{} has scores beyond the range of float", file));
    bases_.push_back(first_column_of(model, file, features, base));
  }
}

std::vector<ClientMessage<Forest>> GivenModels::forests() const {
  std::vector<ClientMessage<Forest>> forests;
  for (std::size_t m = 0; m < models_.size(); ++m)
    forests.push_back(
        {static_cast<ClientId>(m), from_lightgbm_columns(models_[m].forest_for_float_rows(), bases_[m], features_)});
  return forests;
}

LightGbmModel GivenModels::merged(std::span<double const> weights, SameFeature same) const {
  if (same == SameFeature::by_column)
    require_one_base();
  else
    require_names_of_the_data();
  return merge_models(models_, weights, same);
}

void GivenModels::require_one_base() const {
  for (std::size_t m = 1; m < bases_.size(); ++m)
    if (bases_[m] != bases_[0])
      throw std::runtime_error(fmt::format("{} has its first feature in column {}, {} has it in column {}", files_[0],
                                           bases_[0], files_[m], bases_[m]));
}

/// The data has no feature names: each name must belong to the same feature in all models.
void GivenModels::require_names_of_the_data() const {
  struct Use {
    std::size_t feature = 0;
    std::string name;
    std::size_t model = 0;
  };
  std::map<std::string, Use> by_name;
  std::map<std::size_t, Use> by_feature;
  for (std::size_t m = 0; m < models_.size(); ++m)
    for (std::size_t column = bases_[m]; column < models_[m].feature_names.size(); ++column) {
      Use const use{column - bases_[m], models_[m].feature_names[column], m};
      for (Use const& other :
           {by_name.try_emplace(use.name, use).first->second, by_feature.try_emplace(use.feature, use).first->second})
        if (other.feature != use.feature || other.name != use.name)
          throw std::runtime_error(fmt::format(
              "'{}' is feature {} of {}, '{}' is feature {} of {}, but --data has no feature names to match: "
              "give --weights instead of --data, or leave --match out",
              other.name, other.feature + 1, files_[other.model], use.name, use.feature + 1, files_[m]));
    }
}

}  // namespace fltr::examples
