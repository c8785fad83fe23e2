#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fltr::examples {

/// The hash of the files that the folds of --data were read from: XXH3 (128 bits) as 32 hexadecimal digits.
class DataHash {
 public:
  /// Adds the files of a fold: of a folder as `fold_files` finds them, or a single file. Synthetic sets have no files,
  /// and a pipe cannot be read twice: they add nothing.
  void add(std::string const& data);
  /// Of one file, its hash. Of several files, the hash of their hashes, in the order in which they were added. Empty
  /// without files.
  [[nodiscard]] std::string hex() const;

 private:
  std::vector<std::string> hashes_;
};

/// The absolute path of --data; the name of a synthetic set stays as it is.
[[nodiscard]] std::string absolute_data_path(std::string const& data);

}  // namespace fltr::examples
