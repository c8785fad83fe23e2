#include "trials.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fltr/formats/csv_reader.hpp>
#include <fltr/formats/mapped_file.hpp>

#include "files.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr std::string_view columns = "fold,trial,learning_rate,leaves,min_data,min_hessian,trees,ndcg10,setting";

struct Line {
  std::uint64_t fold = 0;
  Trial trial;
  std::string setting;
};

std::optional<Line> read_line(std::span<std::string const> fields) {
  if (fields.size() != split_text(columns, ',').size()) return std::nullopt;
  std::vector<std::optional<std::uint64_t>> whole;
  std::vector<std::optional<double>> number;
  for (std::string const& field : fields) {
    whole.push_back(parse_whole(field));
    number.push_back(parse_number(field));
  }
  if (!whole[0] || !whole[1] || !number[2] || !whole[3] || !whole[4] || !number[5] || !whole[6] || !number[7])
    return std::nullopt;
  return Line{
      *whole[0],
      {static_cast<std::uint32_t>(*whole[1]), *number[2], *whole[3], *whole[4], *number[5], *whole[6], *number[7]},
      fields[8]};
}

}  // namespace

Trials::Trials(std::filesystem::path file, RandomSearch const& search) : file_(std::move(file)) {
  if (file_.empty() || !std::filesystem::exists(file_)) return;
  MappedFile const bytes(file_);
  CsvReader csv(bytes.text(), file_.string());
  auto const refuse = [&](std::string const& why) {
    throw std::runtime_error(
        fmt::format("{}, line {}: {}", file_.string(), std::max<std::size_t>(csv.line_number(), 1), why));
  };
  if (!csv.next() || csv.line() != columns) refuse(fmt::format("required \"{}\"", columns));
  while (csv.next()) {
    auto const line = read_line(csv.fields());
    if (!line) refuse(fmt::format("required {}, got \"{}\"", columns, csv.line()));
    auto& [setting, trials] = by_fold_[line->fold];
    if (line->trial.number != trials.size())
      refuse(fmt::format("required trial {} of fold {}, got {}", trials.size(), line->fold, line->trial.number));
    if (!line->trial.tries_the_same_as(search.candidate(line->trial.number)))
      refuse("required the parameters that a search with this --seed tries; was the file written with another --seed?");
    if (!trials.empty() && line->setting != setting)
      refuse(fmt::format("required the setting of the trial before, \"{}\", got \"{}\"", setting, line->setting));
    setting = line->setting;
    trials.push_back(line->trial);
  }
}

std::vector<Trial> const& Trials::of(std::uint64_t fold, std::string const& setting) {
  auto& kept = by_fold_[fold];
  if (!kept.trials.empty() && kept.setting != setting)
    throw std::runtime_error(fmt::format("{}: required trials of fold {} with the setting \"{}\", got \"{}\"",
                                         file_.string(), fold, setting, kept.setting));
  kept.setting = setting;
  return kept.trials;
}

void Trials::add(std::uint64_t fold, Trial const& trial) {
  by_fold_[fold].trials.push_back(trial);
  saved_ = false;
  try {
    save();
  } catch (std::runtime_error const&) {  // the next `add` or `save` tries again
  }
}

void Trials::save() {
  if (file_.empty() || saved_) return;
  std::string text = std::string(columns) + '\n';
  for (auto const& [number, kept] : by_fold_)
    for (Trial const& t : kept.trials)
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", number, t.number, shortest(t.learning_rate), t.leaves,
                          t.min_data, shortest(t.min_hessian), t.trees, shortest(t.value), csv_field(kept.setting));
  write_file(file_, text);
  saved_ = true;
}

}  // namespace fltr::examples
