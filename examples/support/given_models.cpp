#include "given_models.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include <fltr/io/lightgbm_reader.hpp>
#include <fltr/io/lightgbm_writer.hpp>

namespace fltr::examples {

Forest with_base(Forest const& forest, std::size_t base) {
  std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
  for (Tree& tree : trees)
    for (std::uint32_t& feature : tree.feature) feature += static_cast<std::uint32_t>(base);
  return {std::move(trees), forest.feature_count() + base};
}

GivenModels::GivenModels(std::vector<std::string> const& files, std::size_t base) : files_(files), base_(base) {
  for (std::string const& file : files_) models_.push_back(read_lightgbm_model(file));
}

std::vector<Sent<Forest>> GivenModels::forests(std::size_t features) const {
  std::vector<Sent<Forest>> forests;
  for (std::size_t m = 0; m < models_.size(); ++m) {
    std::size_t const columns = models_[m].forest.feature_count();
    if (columns > features + base_)
      throw std::runtime_error(fmt::format("{} has {} columns, and the data {} features{}", files_[m], columns,
                                           features, columns == features + 1 ? "; see --model-base" : ""));
    Forest const forest = models_[m].forest.for_float_rows();
    std::vector<Tree> trees(forest.trees().begin(), forest.trees().end());
    for (Tree& tree : trees)
      for (std::uint32_t& feature : tree.feature) {
        if (feature < base_)
          throw std::runtime_error(
              fmt::format("{} asks for column {}, and its first feature is column {}", files_[m], feature, base_));
        feature -= static_cast<std::uint32_t>(base_);
      }
    forests.push_back({static_cast<ClientId>(m), Forest(std::move(trees), features)});
  }
  return forests;
}

void GivenModels::write_merged(std::filesystem::path const& file, std::span<double const> weights) const {
  write_lightgbm_model(file, merge_lightgbm_models(models_, weights, SameFeature::by_column));
}

}  // namespace fltr::examples
