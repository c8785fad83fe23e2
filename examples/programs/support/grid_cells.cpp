#include "grid_cells.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/core/sha256.hpp>
#include <fltr/formats/csv_reader.hpp>
#include <fltr/formats/mapped_file.hpp>

#include "files.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

namespace {

std::string content_of(std::filesystem::path const& path) {
  MappedFile const file(path);
  return std::string(file.text());
}

template <class T>
std::string field(std::optional<T> const& value) {
  if (!value) return "";
  if constexpr (std::floating_point<T>)
    return shortest(*value);
  else
    return std::to_string(*value);
}

std::string line_of(GridKey const& key, GridResult const& result, std::string const& mark) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", key.fold, key.seed, name_of(key.clicks),
                     name_of(key.defence), name_of(key.attack), key.malicious, key.assumed,
                     std::isnan(result.ndcg10) ? "" : shortest(result.ndcg10), field(result.target_rank),
                     field(result.caught), field(result.false_alarms), field(result.alarm_round), mark);
}

/// A field that is empty or a number. Sets `fault` if it is neither.
std::optional<std::uint32_t> whole_or_none(std::string const& text, bool& fault) {
  if (text.empty()) return std::nullopt;
  auto const value = parse_whole(text);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) {
    fault = true;
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*value);
}

std::optional<double> number_or_none(std::string const& text, bool& fault) {
  auto const value = parse_number(text);
  if (!value && !text.empty()) fault = true;
  return value;
}

std::optional<std::pair<GridKey, GridResult>> read_line(std::span<std::string const> fields) {
  if (fields.size() != split_text(grid_columns(), ',').size()) return std::nullopt;
  auto const fold = parse_whole(fields[0]);
  auto const seed = parse_whole(fields[1]);
  auto const clicks = kind_of(click_names(), fields[2]);
  auto const defence = defence_named(fields[3]);
  auto const attack = kind_of(attack_names(), fields[4]);
  bool fault = false;
  auto const malicious = whole_or_none(fields[5], fault);
  auto const assumed = whole_or_none(fields[6], fault);
  auto const ndcg = number_or_none(fields[7], fault);
  GridResult const result{.ndcg10 = ndcg.value_or(std::numeric_limits<double>::quiet_NaN()),
                          .target_rank = number_or_none(fields[8], fault),
                          .caught = whole_or_none(fields[9], fault),
                          .false_alarms = whole_or_none(fields[10], fault),
                          .alarm_round = whole_or_none(fields[11], fault)};
  if (fault || !fold || !seed || !clicks || !defence || !attack || !malicious || !assumed) return std::nullopt;
  return std::pair(GridKey{*fold, *seed, *clicks, *defence, *attack, *malicious, *assumed}, result);
}

std::string mark_of(Json const& setting) {
  Sha256 hash;
  std::string const text = setting.dump(-1, ' ', false, Json::error_handler_t::replace);
  hash.update(text);
  return hash.hex().substr(0, 12);
}

/// "--rounds 500": a setting for people.
std::string setting_text(std::string const& key, Json const& value) {
  std::string option = "--" + key;
  std::ranges::replace(option, '_', '-');
  if (value.is_null()) return "no " + option;
  return fmt::format("{} {}", option, value.is_string() ? value.get<std::string>() : value.dump());
}

/// The first option in which two settings differ, for an error.
std::string difference(Json const& earlier, Json const& now) {
  for (auto const& [key, value] : now.items())
    if (!earlier.contains(key) || earlier.at(key) != value)
      return fmt::format("{}, not with {}", setting_text(key, earlier.contains(key) ? earlier.at(key) : Json()),
                         setting_text(key, value));
  return "other options";
}

}  // namespace

std::string const& grid_columns() {
  static std::string const columns =
      "fold,seed,clicks,aggregator,attack,malicious,assumed_malicious,offline_ndcg10,target_rank,caught,false_alarms,"
      "alarm_round,setting";
  return columns;
}

GridCells::GridCells(std::filesystem::path folder, Json setting, bool force)
    : folder_(std::move(folder)), setting_(std::make_unique<Json>(std::move(setting))), mark_(mark_of(*setting_)) {
  auto const csv = folder_ / "grid.csv";
  auto const json = folder_ / "grid.json";
  if (folder_.empty() || force || !std::filesystem::exists(csv)) return;
  auto const earlier =
      std::filesystem::exists(json) ? Json::parse(content_of(json), nullptr, false) : Json(Json::value_t::discarded);
  if (!earlier.is_object())
    throw UsageError(fmt::format("--out: {} has no options in {}; give another folder, or --force to start again",
                                 csv.string(), json.filename().string()));
  if (earlier != *setting_)
    throw UsageError(
        fmt::format("--out: the grid in {} was trained with {}; give the same options, another folder, or --force to "
                    "start again",
                    folder_.string(), difference(earlier, *setting_)));
  read(content_of(csv));
}

void GridCells::open() {
  if (file_ >= 0 || folder_.empty()) return;
  auto const csv = folder_ / "grid.csv";
  try {
    if (size_ == 0) {  // grid.csv without grid.json would be refused
      std::filesystem::remove(csv);
      write_file(folder_ / "grid.json", json_file(*setting_));
    }
  } catch (std::exception const&) {
    return;
  }
  file_ = ::open(csv.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) return;
  if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) ::close(std::exchange(file_, -1));  // removes a torn line
}

GridCells::~GridCells() {
  if (file_ >= 0) ::close(file_);
}

void GridCells::read(std::string const& text) {
  std::string const file = (folder_ / "grid.csv").string();
  std::size_t const complete = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (complete == 0) return;  // killed within the first line
  std::string_view const lines = std::string_view(text).substr(0, complete);
  CsvReader csv(lines, file);
  auto const refuse = [&](std::string const& required) {
    throw std::runtime_error(fmt::format("{}, line {}: required {}, got \"{}\"", file, csv.line_number(), required,
                                         std::string(csv.line())));
  };
  if (!csv.next() || csv.line() != grid_columns()) refuse('"' + grid_columns() + '"');
  while (csv.next()) {
    auto const cell = read_line(csv.fields());
    if (!cell) refuse("the values of " + grid_columns());
    if (csv.fields().back() != mark_) refuse(fmt::format("the setting {} of grid.json", mark_));
    results_[cell->first] = cell->second;
  }
  size_ = complete;
}

void GridCells::append() {
  if (file_ < 0) return;
  std::string const text = (size_ == 0 ? grid_columns() + '\n' : "") + unwritten_;
  auto const written = ::write(file_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) {
    size_ += text.size();
    unwritten_.clear();
  } else if (written > 0 && ::ftruncate(file_, static_cast<off_t>(size_)) != 0) {  // a full disk: no half line stays
    ::close(std::exchange(file_, -1));
  }
}

void GridCells::add(GridKey const& key, GridResult const& result) {
  results_[key] = result;
  if (folder_.empty()) return;
  open();
  unwritten_ += line_of(key, result, mark_);
  append();
}

void GridCells::finish() {
  if (folder_.empty() || results_.empty()) return;
  if (size_ == 0) write_file(folder_ / "grid.json", json_file(*setting_));
  std::string text = grid_columns() + '\n';
  for (auto const& [key, result] : results_) text += line_of(key, result, mark_);
  write_file(folder_ / "grid.csv", text);
  size_ = text.size();
  if (file_ >= 0) ::close(std::exchange(file_, -1));  // of the file that was replaced
  unwritten_.clear();
}

}  // namespace fltr::examples
