#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/data/synthetic_shape.hpp>
#include <fltr/io/model_file.hpp>

#include "options.hpp"
#include "recorder.hpp"

namespace fltr::examples {

/// A fold as the command line asks for it.
struct NamedFold : Fold {
  std::size_t number = 1;   ///< N of FoldN, else 1
  std::string name;         ///< of the folder, the file or the synthetic set
  ModelInput input{};       ///< how the features were prepared; saved with the model
  std::size_t clamped = 0;  ///< values that the reader clamped

  /// Normalises the features of a fold that is not normalised yet.
  void normalize(FittedNormalization how);

  /// The most grades that a part has.
  [[nodiscard]] std::size_t grade_count() const noexcept;
};

/// The folds that --data, --split, --normalize and --clamp specify, loaded one at a time: one for a folder, a file or a
/// synthetic set, N for a folder of Fold1 … FoldN. The split of a single file does not depend on --seed.
class DataSource {
 public:
  /// Looks at what there is and loads nothing. Throws UsageError where the options contradict each other or the data.
  explicit DataSource(CommonOptions const& options);

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  /// Reads and normalises a fold.
  [[nodiscard]] NamedFold load(std::size_t index);
  /// All that `load` took.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

 private:
  struct Place {
    std::string path;
    std::size_t number = 1;
  };

  CommonOptions const* options_;
  std::optional<SyntheticShape> synthetic_;
  double scale_ = 1;  // of its queries
  std::vector<Place> places_;
  double seconds_ = 0;
};

/// Totals of a fold's three parts: the folds of a set hold the same queries, so one fold is the whole set.
[[nodiscard]] DatasetSummary summary_of(NamedFold const& fold);

/// Throws where the built-in click tables, of 2, 3 and 5 grades, do not fit the data.
void require_click_tables(NamedFold const& fold);

}  // namespace fltr::examples
