#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/formats/atomic_file.hpp>

namespace fltr::examples {

/// Writes the file in one go, complete or not at all.
void write_file(std::filesystem::path const& path, std::string_view bytes);

/// Creates the folder and its parents if they are missing. Created folders are removed again if a signal ends the
/// program while they are empty. Returns the created folders, outermost first.
std::vector<std::filesystem::path> make_folder(std::filesystem::path const& path);

/// Throws std::runtime_error with the reason unless a file can be created in the folder.
void require_writable_folder(std::filesystem::path const& folder);

/// A text file that is written line by line and gets its name at the end. If the disk is full, the lines are kept in
/// memory and `commit` tries again.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path);

  void append(std::string_view lines);
  /// Flushes the lines so far to the unfinished file, so that other programs can read them.
  void flush();
  /// Completes the unfinished file on the disk, without renaming it. Throws std::runtime_error if it cannot be written.
  /// A second call does nothing.
  void finish();
  /// Calls `finish` and gives the file its name.
  void commit();
  /// Like `commit`, but appends `ending` to the name.
  void commit_beside(std::string_view ending);

 private:
  void give_up_if_failed();

  std::filesystem::path path_;
  std::string text_;
  std::optional<AtomicFile> file_;  // empty while the file cannot be written
};

/// Writes several files. If one of them fails, the others are still written.
class OutputErrors {
 public:
  /// Calls `write()` and keeps its exception for `finish`.
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
  /// Throws a std::runtime_error that names the missing files, if there are any. Its text ends with `more`.
  void finish(std::string_view more = {}) const;

 private:
  std::vector<std::string> failures_;
};

}  // namespace fltr::examples
