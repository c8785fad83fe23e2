#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fltr/io/lightgbm_model.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr::examples {

/// The forest with its features counted from `base` instead of from 0, as LightGBM counts those of a file that starts
/// at 1: its column 0 is empty.
[[nodiscard]] Forest with_base(Forest const& forest, std::size_t base);

/// Text models of LightGBM, as files have them.
class GivenModels {
 public:
  /// `base`: the column of the data's first feature in the models.
  GivenModels(std::vector<std::string> const& files, std::size_t base);

  /// Their forests over the data's features, as if clients had sent them. Throws where a model asks for other ones.
  [[nodiscard]] std::vector<Sent<Forest>> forests(std::size_t features) const;

  /// Σ weights_i · models_i as one text model. Columns are those of the files, which are columns of the same data.
  void write_merged(std::filesystem::path const& file, std::span<double const> weights) const;

 private:
  std::vector<std::string> files_;
  std::size_t base_;
  std::vector<LightGbmModel> models_;
};

}  // namespace fltr::examples
