#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/data/synthetic_shape.hpp>
#include <fltr/formats/model_file.hpp>

#include "options.hpp"
#include "recorder.hpp"

namespace fltr::examples {

/// A fold that the command line specifies.
struct NamedFold : Fold {
  std::size_t number = 1;   ///< N of FoldN, else 1
  std::string name;         ///< the folder, the file or the synthetic set
  ModelInput input{};       ///< how the features were prepared; saved with the model
  std::size_t clamped = 0;  ///< values that the reader clamped
  /// A sentence about parts that have the same documents, as if one file was copied; empty if there are none.
  std::string equal_parts{};

  /// Normalises the features of a fold that is not normalised yet.
  void normalize(FittedNormalization how, Secrecy statistics = Secrecy::confidential);

  /// The largest number of grades in train, vali and test.
  [[nodiscard]] std::size_t grade_count() const noexcept;
};

/// The folds that --data, --split, --normalize and --clamp specify, loaded one at a time: one for a folder, a file or a
/// synthetic set, N for a folder of Fold1 … FoldN. The split of a single file does not depend on --seed.
class DataSource {
 public:
  /// Finds the files and loads nothing. Throws UsageError if the options contradict each other or the data.
  explicit DataSource(CommonOptions const& options);

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  /// NamedFold::name and NamedFold::number of a fold that is not loaded yet.
  [[nodiscard]] std::string const& name(std::size_t index) const { return places_.at(index).path; }
  [[nodiscard]] std::size_t number(std::size_t index) const { return places_.at(index).number; }
  /// Reads and normalises a fold.
  [[nodiscard]] NamedFold load(std::size_t index);
  /// The time of all calls of `load`.
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

/// Totals of train, vali and test. The folds of a data set divide the same queries, so one fold has all of them.
[[nodiscard]] DatasetSummary summary_of(NamedFold const& fold);

/// Throws unless the data has 2, 3 or 5 grades, for which built-in click tables exist.
void require_click_tables(NamedFold const& fold);

}  // namespace fltr::examples
