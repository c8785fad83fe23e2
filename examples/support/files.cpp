#include "files.hpp"

#include <span>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include <fltr/data/atomic_file.hpp>

namespace fltr::examples {

void write_file(std::filesystem::path const& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

void make_folder(std::filesystem::path const& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw std::runtime_error(fmt::format("cannot make the folder {}: {}", path.string(), error.message()));
  if (!std::filesystem::is_directory(path, error))
    throw std::runtime_error(fmt::format("cannot write into {}: it is not a folder", path.string()));
}

}  // namespace fltr::examples
