#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fltr::examples {

/// Whether programs write files of this name into --out: run.json, rounds.csv, queries.csv, curve.svg, model.fltr and
/// model-….fltr, and unfinished ones of these.
[[nodiscard]] bool is_result_file(std::string_view name);

/// The result files of a folder and of its folders client1, client2, …, relative to it.
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
  /// Whether there is an earlier result, which stays until `replace_earlier_result`.
  [[nodiscard]] bool has_earlier_result() const noexcept { return !earlier_.empty(); }
  /// Removes what is left of the earlier result, except the files that are to be written over.
  void replace_earlier_result(std::set<std::filesystem::path> const& written);

 private:
  void lock();

  std::filesystem::path folder_;
  int descriptor_ = -1;                         // of the folder, locked
  std::vector<std::filesystem::path> earlier_;  // files, relative to the folder
  std::vector<std::filesystem::path> made_;     // folders, outermost first
};

}  // namespace fltr::examples
