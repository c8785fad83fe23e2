#include "files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>
#include <system_error>

#include <fmt/core.h>

#include "interruption.hpp"
#include "ranks.hpp"
#include "text.hpp"

namespace fltr::examples {

void write_file(std::filesystem::path const& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

std::vector<std::filesystem::path> make_folder(std::filesystem::path const& path) {
  std::error_code error;
  std::vector<std::filesystem::path> missing;
  for (auto folder = std::filesystem::absolute(path).lexically_normal();
       !folder.empty() && !std::filesystem::exists(folder, error); folder = folder.parent_path()) {
    if (folder.has_filename()) missing.insert(missing.begin(), folder);  // "out/" ends in an empty name
    if (folder == folder.root_path()) break;
  }
  for (auto const& folder : missing) {
    std::filesystem::create_directory(folder, error);
    if (error) throw std::runtime_error(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
    remove_folder_when_killed(folder);
  }
  if (!std::filesystem::is_directory(path, error))
    throw std::runtime_error(fmt::format("{} is not a folder", path.string()));
  return missing;
}

void require_writable_folder(std::filesystem::path const& folder) {
  // Ranks on several machines may share the folder and have the same process number.
  auto const probe = folder / fmt::format(".fltr.{}.{}.partial", ::getpid(), rank_number());
  int const file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    throw std::runtime_error(fmt::format("cannot write into the folder {}: {}", folder.empty() ? "." : folder.string(),
                                         std::error_code(errno, std::generic_category()).message()));
  ::close(file);
  ::unlink(probe.c_str());
}

GrowingFile::GrowingFile(std::filesystem::path path) : path_(std::move(path)) {
  remove_partial_when_killed(path_);
  file_.emplace(path_);
}

void GrowingFile::append(std::string_view lines) {
  text_ += lines;
  if (!file_) return;
  file_->out() << lines;
  give_up_if_failed();
}

void GrowingFile::flush() {
  if (!file_) return;
  file_->out().flush();
  give_up_if_failed();
}

void GrowingFile::give_up_if_failed() {
  if (!file_->out()) file_.reset();  // frees the disk space for other files
}

void GrowingFile::finish() {
  if (file_) {
    try {
      return file_->finish();
    } catch (std::exception const&) {  // writes the file again, after its disk space was freed
    }
  }
  try {
    file_.emplace(path_);
    file_->out() << text_;
    file_->finish();
  } catch (...) {
    file_.reset();
    throw;
  }
}

void GrowingFile::commit() {
  finish();
  file_->commit();
}

void GrowingFile::commit_beside(std::string_view ending) {
  finish();
  file_->commit_beside(ending);
}

void OutputErrors::finish(std::string_view more) const {
  if (failures_.empty()) return;
  throw std::runtime_error(fmt::format("the results are complete, but {} missing: {}{}",
                                       failures_.size() == 1 ? "a file is" : "files are", join(failures_, "; "), more));
}

}  // namespace fltr::examples
