#pragma once

#include <filesystem>
#include <string_view>

namespace fltr::examples {

/// Writes the file in one go, complete or not at all.
void write_file(std::filesystem::path const& path, std::string_view bytes);

/// Makes the folder, and those above it, unless they are there.
void make_folder(std::filesystem::path const& path);

}  // namespace fltr::examples
