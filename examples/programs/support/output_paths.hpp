#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fltr::examples {

/// A file or folder that an option names.
struct NamedPath {
  std::string option;  ///< "--export"
  std::filesystem::path path;
};

/// Whether both paths name the same file, directly or through links. Pipes and devices never count as the same file.
[[nodiscard]] bool same_file(std::filesystem::path const& a, std::filesystem::path const& b);

/// The files that --data reads: none for a synthetic set; the files of the folds for a folder or a prefix such as
/// Yahoo/set1; otherwise the path itself.
[[nodiscard]] std::vector<std::filesystem::path> data_files(std::string const& data);

/// Throws if the file cannot be written: UsageError if the path is a folder, std::runtime_error if
/// its folder is missing or not writable.
void require_writable(NamedPath const& output);

/// The same for a folder. The folder and its parents may be missing.
void require_writable_folder_at(NamedPath const& output);

/// Throws UsageError if an output would destroy an input or another output.
void require_distinct(std::span<NamedPath const> inputs, std::span<NamedPath const> outputs);

}  // namespace fltr::examples
