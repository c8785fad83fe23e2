#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/data/atomic_file.hpp>

namespace fltr::examples {

/// Writes the file in one go, complete or not at all.
void write_file(std::filesystem::path const& path, std::string_view bytes);

/// Makes the folder, and those above it, unless they are there. Those that are made go away again if a signal ends the
/// program while they are empty. Returns them, outermost first.
std::vector<std::filesystem::path> make_folder(std::filesystem::path const& path);

/// Throws std::runtime_error with the reason unless a file can be made in the folder.
void require_writable_folder(std::filesystem::path const& folder);

/// A text file that is written line by line and gets its name at the end. Where the disk is full in between, the lines
/// are kept in memory, and `commit` tries again.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path);

  void append(std::string_view lines);
  /// Lets others read what there is so far, under the name of the unfinished file.
  void flush();
  /// Gives the file its name. Throws std::runtime_error where it cannot be written.
  void commit();

 private:
  void give_up_if_failed();

  std::filesystem::path path_;
  std::string text_;
  std::optional<AtomicFile> file_;  // none: could not be written so far
};

/// Writes files of which one may fail without keeping the others from being written.
class OutputErrors {
 public:
  /// Calls `write()`; what it throws is kept for `finish`.
  template <class Write>
  bool attempt(Write&& write) {
    try {
      std::forward<Write>(write)();
      return true;
    } catch (std::exception const& error) {
      failures_.emplace_back(error.what());
      return false;
    }
  }
  /// Throws std::runtime_error that says which files are missing, if any is.
  void finish() const;

 private:
  std::vector<std::string> failures_;
};

}  // namespace fltr::examples
