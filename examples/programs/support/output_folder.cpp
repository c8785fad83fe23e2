#include "output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

namespace {

constexpr std::array<std::string_view, 3> folders{"", "client1", "client2"};

/// The text after the prefix and the digits of a number; empty if the text does not begin with them.
std::optional<std::string_view> behind_number(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  std::size_t const digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return std::nullopt;
  return text.substr(digits);
}

/// The files that a run.json lists; empty if it lists none.
std::optional<std::set<std::filesystem::path>> listed_files(std::filesystem::path const& run_json) {
  std::ifstream stream(run_json, std::ios::binary);
  auto const json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_array()) return std::nullopt;
  std::set<std::filesystem::path> files{"run.json"};
  for (auto const& file : json["files"])
    if (file.is_string()) files.insert(file.get<std::string>());
  return files;
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

bool is_result_name(std::string_view name) {
  constexpr std::array<std::string_view, 12> names{"run.json",
                                                   "rounds.csv",
                                                   "queries.csv",
                                                   "curve.svg",
                                                   "model.fltr",
                                                   "grid.csv",
                                                   "grid.json",
                                                   "grid-means.csv",
                                                   "findings.csv",
                                                   "loss-perfect.svg",
                                                   "loss-navigational.svg",
                                                   "loss-informational.svg"};
  if (std::ranges::find(names, name) != names.end()) return true;
  auto rest = behind_number(name, "model-fold");
  if (rest) rest = behind_number(*rest, "-seed");
  return rest == ".fltr";
}

bool is_remnant_name(std::string_view name) {
  if (name.ends_with(new_ending)) return is_result_name(name.substr(0, name.size() - new_ending.size()));
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    auto rest = behind_number(name.substr(dot), ".");
    if (rest) rest = behind_number(*rest, ".");
    if (rest == ".partial" && is_result_name(name.substr(0, dot))) return true;
  }
  return false;
}

std::vector<std::filesystem::path> files_named_as_results(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::path const within : folders)
    for (auto const& entry : std::filesystem::directory_iterator(folder / within, error)) {
      auto const name = entry.path().filename();
      if (is_result_name(name.string()) || is_remnant_name(name.string())) files.push_back(within / name);
    }
  std::ranges::sort(files, {}, [](std::filesystem::path const& file) {
    return std::pair(file != "run.json", file);  // run.json first
  });
  return files;
}

std::vector<std::filesystem::path> result_files(std::filesystem::path const& folder) {
  auto files = files_named_as_results(folder);
  if (auto const listed = listed_files(folder / "run.json"))
    std::erase_if(files, [&](std::filesystem::path const& file) {
      return !listed->contains(file) && !is_remnant_name(file.filename().string());
    });
  return files;
}

bool is_unfinished_result(std::filesystem::path const& folder) {
  if (folder.empty()) return false;
  std::ifstream stream(folder / "run.json", std::ios::binary);
  if (!stream) return true;
  auto const json = nlohmann::json::parse(stream, nullptr, false);
  return json.is_object() && json.value("interrupted", false);
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
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::rmdir(made->c_str());  // fails if it is not empty
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFolder::lock() {
  descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;
  // On file systems without locks (ENOLCK and others) the folder is used without a lock.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw std::runtime_error(
        fmt::format("--out: another run is writing into {}; wait for it, or give another folder", folder_.string()));
}

void OutputFolder::add(std::string const& name) {
  auto const made = make_folder(folder_ / name);
  made_.insert(made_.end(), made.begin(), made.end());
}

bool OutputFolder::has_earlier_result() const {
  return std::ranges::any_of(
      earlier_, [](std::filesystem::path const& file) { return is_result_name(file.filename().string()); });
}

void OutputFolder::remove_remnants() {
  std::error_code error;
  for (auto const& file : earlier_)
    if (is_remnant_name(file.filename().string())) std::filesystem::remove(folder_ / file, error);
}

void OutputFolder::remove_earlier_result(std::set<std::filesystem::path> const& written) {
  std::error_code error;
  for (auto const& file : earlier_) {
    if (written.contains(file)) continue;
    std::filesystem::remove(folder_ / file, error);
    if (file.has_parent_path()) ::rmdir((folder_ / file.parent_path()).c_str());  // fails if it is not empty
  }
  earlier_.clear();
}

}  // namespace fltr::examples
