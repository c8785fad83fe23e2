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

/// The files that --data stands for: none of a synthetic set; those of the folds in a folder, or of a prefix such as
/// Yahoo/set1; else itself.
[[nodiscard]] std::vector<std::string> data_files(std::string const& data);

/// Throws where a file could not be written at the end of a run: UsageError for a folder in place of a file,
/// std::runtime_error where its folder is missing or nothing can be written there.
void require_writable(NamedPath const& output);

/// The same for a folder, which may be missing, and those above it too.
void require_writable_folder_at(NamedPath const& output);

/// Throws UsageError where an output would destroy an input or another output.
void require_distinct(std::span<NamedPath const> inputs, std::span<NamedPath const> outputs);

}  // namespace fltr::examples
