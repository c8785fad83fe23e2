#include "given_models.hpp"

#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fltr/data/mapped_file.hpp>
#include <fltr/io/lightgbm_lines.hpp>
#include <fltr/io/lightgbm_reader.hpp>

namespace fltr::examples {

bool is_lightgbm_model(std::filesystem::path const& file) {
  MappedFile const mapped(file);
  LightGbmLines lines(mapped.text(), file.string());
  lines.skip_empty();
  return lines.line() == "tree";
}

Forest with_base(Forest const& forest, std::size_t base) {
  std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
  for (Tree& tree : trees)
    for (std::uint32_t& feature : tree.feature) feature += static_cast<std::uint32_t>(base);
  return {std::move(trees), forest.feature_count() + base};
}

Forest without_base(Forest const& forest, std::size_t base, std::size_t features) {
  std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
  for (Tree& tree : trees)
    for (std::uint32_t& feature : tree.feature) feature -= static_cast<std::uint32_t>(base);
  return {std::move(trees), features};
}

namespace {

/// Whether anything is known about column 0, or asked of it. Of a file whose features begin at 1, it is empty.
bool uses_first_column(LightGbmModel const& model) {
  if (model.feature_infos.empty() || model.feature_infos[0] != "none") return true;
  auto const splits = model.forest.split_importance();
  return splits[0] > 0;
}

}  // namespace

std::size_t base_of(LightGbmModel const& model, std::string const& file, std::size_t features,
                    std::optional<std::size_t> base) {
  std::size_t const columns = model.forest.feature_count();
  auto const refuse = [&](std::string_view why) {
    throw std::runtime_error(
        fmt::format("{} has {} columns, and the data {} features: {}", file, columns, features, why));
  };
  if (!base && columns <= features && !uses_first_column(model))
    refuse("is the first feature in column 0 or 1? --model-base has to say");
  if (!base && columns == features + 1 && uses_first_column(model))
    refuse("column 0 is in use, so features are counted from it, and there is one too many");
  std::size_t const first = base ? *base : columns == features + 1 ? 1 : 0;
  if (columns > features + first) refuse("too many, unless --model-base is 1");
  if (first == 1 && columns > 0 && model.forest.split_importance()[0] > 0)
    refuse("it asks for column 0, which is empty where --model-base is 1");
  return first;
}

LightGbmModel merge_models(std::span<LightGbmModel const> models, std::span<double const> weights, SameFeature same) {
  try {
    return merge_lightgbm_models(models, weights, same);
  } catch (std::invalid_argument const& error) {
    throw std::runtime_error(fmt::format("{}; --match says which features are the same", error.what()));
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
      throw std::runtime_error(fmt::format("{} has scores that no float can hold", file));
    bases_.push_back(base_of(model, file, features, base));
  }
}

std::vector<Sent<Forest>> GivenModels::forests() const {
  std::vector<Sent<Forest>> forests;
  for (std::size_t m = 0; m < models_.size(); ++m)
    forests.push_back(
        {static_cast<ClientId>(m), without_base(models_[m].forest_for_float_rows(), bases_[m], features_)});
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
      throw std::runtime_error(fmt::format("{} counts features from column {}, and {} from column {}", files_[0],
                                           bases_[0], files_[m], bases_[m]));
}

/// The data knows features by their columns alone: a name has to stand for one of them, in all models.
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
          throw std::runtime_error(
              fmt::format("'{}' is feature {} of {}, and '{}' feature {} of {}, but --data has features by column, not "
                          "by name: merge by --weights, or leave --match out",
                          other.name, other.feature + 1, files_[other.model], use.name, use.feature + 1, files_[m]));
    }
}

}  // namespace fltr::examples
