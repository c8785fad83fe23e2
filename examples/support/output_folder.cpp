#include "output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include "files.hpp"
#include "option.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr std::string_view partial_ending = ".partial";

bool is_client_folder(std::string_view name) {
  constexpr std::string_view prefix = "client";
  return name.starts_with(prefix) && parse_whole(std::string(name.substr(prefix.size())));
}

/// "run.json, rounds.csv, queries.csv and 3 more"
std::string listed(std::vector<std::filesystem::path> const& files) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (auto const& file : files)
    if (names.size() < most) names.push_back(file.string());
  return join(names, ", ") + (files.size() > most ? fmt::format(" and {} more", files.size() - most) : "");
}

}  // namespace

bool is_result_file(std::string_view name) {
  constexpr std::array<std::string_view, 5> names{"run.json", "rounds.csv", "queries.csv", "curve.svg", "model.fltr"};
  auto const is_name = [&](std::string_view text) {
    return std::ranges::find(names, text) != names.end() || (text.starts_with("model-") && text.ends_with(".fltr"));
  };
  if (is_name(name)) return true;
  if (!name.ends_with(partial_ending)) return false;
  // <name>.<process>.<number>.partial
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
    if (is_name(name.substr(0, dot))) return true;
  return false;
}

std::vector<std::filesystem::path> result_files(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  auto const collect = [&](std::filesystem::path const& within) {
    for (auto const& entry : std::filesystem::directory_iterator(folder / within, error))
      if (is_result_file(entry.path().filename().string())) files.push_back(within / entry.path().filename());
  };
  collect("");
  for (auto const& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_directory(error) && is_client_folder(entry.path().filename().string()))
      collect(entry.path().filename());
  std::ranges::sort(files, {}, [](std::filesystem::path const& file) {
    return std::pair(file != "run.json", file);  // the most telling one first
  });
  return files;
}

OutputFolder::OutputFolder(std::filesystem::path folder, bool force) : folder_(std::move(folder)) {
  auto const remove_made = [this] {
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::rmdir(made->c_str());
  };
  try {
    try {
      made_ = make_folder(folder_);
      require_writable_folder(folder_);
    } catch (std::runtime_error const& error) {
      throw std::runtime_error(fmt::format("--out: {}; give a folder that can be written", error.what()));
    }
    lock();
    earlier_ = result_files(folder_);
    if (!earlier_.empty() && !force) {
      bool const finished = earlier_.front() == "run.json";
      throw UsageError(fmt::format("--out: {} holds {} ({}); give another folder, or --force to replace {}",
                                   folder_.string(),
                                   finished ? "the result of an earlier run" : "files of a run that was killed",
                                   listed(earlier_), finished ? "it" : "them"));
    }
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    remove_made();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::rmdir(made->c_str());  // unless it holds something
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFolder::lock() {
  descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;
  // File systems without locks (ENOLCK and others) have to do without.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw std::runtime_error(
        fmt::format("--out: another run is writing into {}; wait for it, or give another folder", folder_.string()));
}

void OutputFolder::add(std::string const& name) {
  auto const made = make_folder(folder_ / name);
  made_.insert(made_.end(), made.begin(), made.end());
}

void OutputFolder::replace_earlier_result(std::set<std::filesystem::path> const& written) {
  std::error_code error;
  for (auto const& file : earlier_) {
    if (written.contains(file)) continue;
    std::filesystem::remove(folder_ / file, error);
    if (file.has_parent_path()) ::rmdir((folder_ / file.parent_path()).c_str());  // if it is empty now
  }
  earlier_.clear();
}

}  // namespace fltr::examples
