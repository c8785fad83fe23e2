#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fltr::examples {

/// The ending of a new file that could not replace an earlier result: "model.fltr.new".
inline constexpr std::string_view new_ending = ".new";

/// Whether programs write files of this name into --out: run.json, rounds.csv, queries.csv, curve.svg, model.fltr and
/// model-fold<number>-seed<number>.fltr; for a grid: grid.csv, grid.json, grid-means.csv,
/// findings.csv and loss-<behaviour>.svg.
[[nodiscard]] bool is_result_name(std::string_view name);
/// Whether the name is such a name followed by .<number>.<number>.partial (an unfinished file) or .new.
[[nodiscard]] bool is_remnant_name(std::string_view name);

/// The files in a folder and in its subfolders client1 and client2 that have a name of either kind. Paths are
/// relative to the folder.
[[nodiscard]] std::vector<std::filesystem::path> files_named_as_results(std::filesystem::path const& folder);
/// The files of files_named_as_results that a run wrote. If a run.json lists its files: the listed files, and all
/// .partial and .new files. Otherwise: all files.
[[nodiscard]] std::vector<std::filesystem::path> result_files(std::filesystem::path const& folder);

/// Whether a folder holds no finished result: only files of a run that was killed, or the result of a run that a signal
/// ended.
[[nodiscard]] bool is_unfinished_result(std::filesystem::path const& folder);

/// The folder of --out, locked against other processes while this object exists. The operating system releases the lock
/// when the process ends. Folders that were created for --out are removed if they stay empty.
class OutputFolder {
 public:
  /// Creates the folder if it is missing. Throws std::runtime_error if the folder cannot be written or another process
  /// has locked it, and UsageError if it contains the result of an earlier run, unless `force`.
  OutputFolder(std::filesystem::path folder, bool force);
  OutputFolder(OutputFolder const&) = delete;
  OutputFolder& operator=(OutputFolder const&) = delete;
  ~OutputFolder();

  /// Creates a subfolder.
  void add(std::string const& name);
  /// Whether the folder contains finished files of an earlier result.
  [[nodiscard]] bool has_earlier_result() const;
  /// Removes the .partial and .new files of earlier runs.
  void remove_remnants();
  /// Removes the files of the earlier result, except those in `written`.
  void remove_earlier_result(std::set<std::filesystem::path> const& written);

 private:
  void lock();

  std::filesystem::path folder_;
  int descriptor_ = -1;                         // of the folder, locked
  std::vector<std::filesystem::path> earlier_;  // files, relative to the folder
  std::vector<std::filesystem::path> made_;     // created folders, outermost first
};

}  // namespace fltr::examples
