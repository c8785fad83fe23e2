#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fltr::examples {

/// What follows the name of a file that could not take the place of an earlier result: "model.fltr.new".
inline constexpr std::string_view new_ending = ".new";

/// Whether programs write files of this name into --out: run.json, rounds.csv, queries.csv, curve.svg, model.fltr and
/// model-fold<number>-seed<number>.fltr.
[[nodiscard]] bool is_result_name(std::string_view name);
/// Whether it is such a name with .<number>.<number>.partial (unfinished) or .new behind it.
[[nodiscard]] bool is_remnant_name(std::string_view name);

/// The files of a folder and of its folders client1 and client2 that have a name of either kind, relative to it.
[[nodiscard]] std::vector<std::filesystem::path> files_named_as_results(std::filesystem::path const& folder);
/// Those among them that a run wrote: if there is a run.json that lists its files, these files and the remnants; else
/// all of them.
[[nodiscard]] std::vector<std::filesystem::path> result_files(std::filesystem::path const& folder);

/// The folder of --out. As long as this lives no other process gets it: the lock is one of the operating system and
/// ends with the process, however that ends. If nothing was put into it, folders that were made for it go away.
class OutputFolder {
 public:
  /// Makes the folder if it is not there. Throws std::runtime_error where it cannot be written or another process has
  /// it, and UsageError where it holds the result of an earlier run, unless `force`.
  OutputFolder(std::filesystem::path folder, bool force);
  OutputFolder(OutputFolder const&) = delete;
  OutputFolder& operator=(OutputFolder const&) = delete;
  ~OutputFolder();

  /// Makes a folder in it.
  void add(std::string const& name);
  /// Whether there are files of an earlier result that are finished.
  [[nodiscard]] bool has_earlier_result() const;
  /// Removes unfinished and new files beside the earlier result.
  void remove_remnants();
  /// Removes what is left of the earlier result, except the files that were written over.
  void remove_earlier_result(std::set<std::filesystem::path> const& written);

 private:
  void lock();

  std::filesystem::path folder_;
  int descriptor_ = -1;                         // of the folder, locked
  std::vector<std::filesystem::path> earlier_;  // files, relative to the folder
  std::vector<std::filesystem::path> made_;     // folders, outermost first
};

}  // namespace fltr::examples
