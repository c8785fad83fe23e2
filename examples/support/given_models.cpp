#include "given_models.hpp"

#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fltr/io/lightgbm_reader.hpp>
#include <fltr/io/lightgbm_writer.hpp>

namespace fltr::examples {

bool is_lightgbm_model(std::filesystem::path const& file) {
  std::string first;
  std::getline(std::ifstream(file), first);
  return first == "tree" || first == "tree\r";
}

Forest with_base(Forest const& forest, std::size_t base) {
  std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
  for (Tree& tree : trees)
    for (std::uint32_t& feature : tree.feature) feature += static_cast<std::uint32_t>(base);
  return {std::move(trees), forest.feature_count() + base};
}

namespace {

/// Whether anything is known about column 0, or asked of it. Of a file whose features begin at 1, it is empty.
bool uses_first_column(LightGbmModel const& model) {
  if (model.feature_infos.empty() || model.feature_infos[0] != "none") return true;
  auto const splits = model.forest.split_importance();
  return splits[0] > 0;
}

}  // namespace

GivenModels::GivenModels(std::vector<std::string> const& files, std::size_t features, std::optional<std::size_t> base)
    : files_(files), features_(features) {
  for (std::string const& file : files_) {
    LightGbmModel const& model = models_.emplace_back(read_lightgbm_model(file));
    std::size_t const columns = model.forest.feature_count();
    auto const refuse = [&](std::string_view why) {
      throw std::runtime_error(
          fmt::format("{} has {} columns, and the data {} features: {}", file, columns, features, why));
    };
    if (!base && columns <= features && !uses_first_column(model))
      refuse("is the first feature in column 0 or 1? --model-base has to say");
    if (!base && columns == features + 1 && uses_first_column(model))
      refuse("column 0 is in use, so features are counted from it, and there is one too many");
    bases_.push_back(base ? *base : columns == features + 1 ? 1 : 0);
    if (columns > features + bases_.back()) refuse("too many, unless --model-base is 1");
    if (bases_.back() == 1 && columns > 0 && model.forest.split_importance()[0] > 0)
      refuse("it asks for column 0, which is empty where --model-base is 1");
  }
}

std::vector<Sent<Forest>> GivenModels::forests() const {
  std::vector<Sent<Forest>> forests;
  for (std::size_t m = 0; m < models_.size(); ++m) {
    Forest const forest = models_[m].forest_for_float_rows();
    std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
    for (Tree& tree : trees)
      for (std::uint32_t& feature : tree.feature) feature -= static_cast<std::uint32_t>(bases_[m]);
    forests.push_back({static_cast<ClientId>(m), Forest(std::move(trees), features_)});
  }
  return forests;
}

void GivenModels::write_merged(std::filesystem::path const& file, std::span<double const> weights) const {
  for (std::size_t m = 1; m < bases_.size(); ++m)
    if (bases_[m] != bases_[0])
      throw std::runtime_error(fmt::format("{} counts features from column {}, and {} from column {}", files_[0],
                                           bases_[0], files_[m], bases_[m]));
  write_lightgbm_model(file, merge_lightgbm_models(models_, weights, SameFeature::by_column));
}

}  // namespace fltr::examples
