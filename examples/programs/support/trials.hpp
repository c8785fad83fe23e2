#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fltr/learners/random_search.hpp>

namespace fltr::examples {

/// The trials of a RandomSearch on each fold, saved in a CSV file so that an interrupted search can be continued.
class Trials {
 public:
  /// Reads the trials of the file, if it exists. With an empty path, trials are kept in memory only. Throws
  /// std::runtime_error if a line is not a trial of this search.
  Trials(std::filesystem::path file, RandomSearch const& search);

  /// The trials of a fold. `setting` describes what a trial depends on besides its parameters, for example the data.
  /// Throws std::runtime_error if the trials of the fold have another setting.
  [[nodiscard]] std::vector<Trial> const& of(std::uint64_t fold, std::string const& setting);

  /// Adds the next trial of a fold. If the file cannot be written, the trial is kept in memory, and the next
  /// `add` or `save` tries again.
  void add(std::uint64_t fold, Trial const& trial);
  /// Throws std::runtime_error if the file cannot be written.
  void save();

 private:
  struct FoldTrials {
    std::string setting;
    std::vector<Trial> trials;
  };
  std::filesystem::path file_;
  std::map<std::uint64_t, FoldTrials> by_fold_;
  bool saved_ = true;
};

}  // namespace fltr::examples
