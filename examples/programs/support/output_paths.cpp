#include "output_paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <fltr/formats/letor_folds.hpp>

#include "files.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

namespace {

/// Device and inode number of a regular file, if it exists.
std::optional<std::pair<dev_t, ino_t>> identity(std::filesystem::path const& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

}  // namespace

bool same_file(std::filesystem::path const& a, std::filesystem::path const& b) {
  auto const of_a = identity(a);
  auto const of_b = identity(b);
  if (of_a && of_b) return *of_a == *of_b;
  std::error_code error;
  if (std::filesystem::exists(a, error) || std::filesystem::exists(b, error)) return false;
  auto const whole = [&](std::filesystem::path const& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return whole(a) == whole(b);
}

std::vector<std::filesystem::path> data_files(std::string const& data) {
  if (data.starts_with("synthetic:")) return {};
  std::error_code error;
  std::vector<std::filesystem::path> folds{data};
  if (std::filesystem::is_directory(data, error)) {
    if (auto const folders = fold_folders(data); !folders.empty()) folds = folders;
  } else if (std::filesystem::exists(data, error)) {
    return {data};
  }
  std::vector<std::filesystem::path> files;
  for (auto const& fold : folds) {
    try {
      for (auto const& file : fold_files(fold)) files.push_back(file);
    } catch (std::runtime_error const&) {  // the program reports the error when it reads the files
    }
  }
  return files;
}

void require_writable(NamedPath const& output) {
  std::string const& option = output.option;
  std::filesystem::path const& path = output.path;
  std::error_code error;
  auto const status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status) || !path.has_filename())
    throw UsageError(fmt::format("{}: {} is a folder; give the name of a file", option, path.string()));
  auto const refuse = [&](std::string const& why) {
    throw std::runtime_error(fmt::format("{}: cannot write {}: {}", option, path.string(), why));
  };
  if (std::filesystem::exists(status) && ::access(path.c_str(), W_OK) != 0)
    refuse(std::error_code(errno, std::generic_category()).message() + "; give another file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;  // a pipe, a device
  auto const target = std::filesystem::is_symlink(path, error) ? std::filesystem::weakly_canonical(path, error) : path;
  auto const folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::exists(folder, error))
    refuse(fmt::format("there is no folder {}; create it first", folder.string()));
  if (!std::filesystem::is_directory(folder, error)) refuse(fmt::format("{} is not a folder", folder.string()));
  try {
    require_writable_folder(folder);
  } catch (std::runtime_error const& reason) {
    refuse(fmt::format("{}; give another place", reason.what()));
  }
}

void require_writable_folder_at(NamedPath const& output) {
  std::error_code error;
  auto folder = std::filesystem::absolute(output.path).lexically_normal();
  while (!std::filesystem::exists(folder, error) && folder != folder.root_path()) folder = folder.parent_path();
  if (!std::filesystem::is_directory(folder, error))
    throw UsageError(fmt::format("{}: {} is not a folder; give another one", output.option, folder.string()));
  try {
    require_writable_folder(folder);
  } catch (std::runtime_error const& reason) {
    throw std::runtime_error(fmt::format("{}: {}; give a folder that can be written", output.option, reason.what()));
  }
}

void require_distinct(std::span<NamedPath const> inputs, std::span<NamedPath const> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (NamedPath const& input : inputs)
      if (same_file(outputs[i].path, input.path))
        throw UsageError(fmt::format("{} would overwrite {}, which {} reads; give another file", outputs[i].option,
                                     input.path.string(), input.option));
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(outputs[i].path, outputs[j].path))
        throw UsageError(fmt::format("{} and {} are the same file, {}; give two", outputs[j].option, outputs[i].option,
                                     outputs[i].path.string()));
  }
}

}  // namespace fltr::examples
