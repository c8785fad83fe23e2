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
  /// Reads those that the file has, if there is one. An empty path keeps them in memory only.
  /// `setting` is what trials depend on besides their parameters. Throws std::runtime_error where a line is no trial,
  /// or one that this search would not make.
  Trials(std::filesystem::path file, RandomSearch const& search, std::string setting);

  [[nodiscard]] std::vector<Trial> const& of(std::uint64_t fold) { return by_fold_[fold]; }

  /// Keeps one more, the next of its fold.
  void add(std::uint64_t fold, Trial const& trial);

 private:
  std::filesystem::path file_;
  std::string setting_;
  std::map<std::uint64_t, std::vector<Trial>> by_fold_;
};

}  // namespace fltr::examples
