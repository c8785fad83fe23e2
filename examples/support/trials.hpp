#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fltr/learners/random_search.hpp>

namespace fltr::examples {

/// The trials of a RandomSearch on each fold, kept in a CSV file so that a search that was interrupted can go on.
class Trials {
 public:
  /// Reads those that the file has, if there is one. An empty path keeps them in memory only. Throws
  /// std::runtime_error where a line is no trial, or one that this search would not make.
  Trials(std::filesystem::path file, RandomSearch const& search);

  /// Those of a fold. `setting` is what trials depend on besides their parameters: the data, for one. Throws
  /// std::runtime_error where there are trials of another setting.
  [[nodiscard]] std::vector<Trial> const& of(std::uint64_t fold, std::string const& setting);

  /// Adds the next trial of a requested fold. If the file cannot be written, the trial is kept in memory, and the next
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
