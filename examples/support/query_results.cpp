#include "query_results.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fltr/data/mapped_file.hpp>

#include "text.hpp"

namespace fltr::examples {

namespace {

/// The lines of a text, with numbers from 1. They end in a line feed, or in both characters of other systems.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    std::size_t const end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// What a header says: the names of the metrics, or nothing where it is not one of queries.csv.
std::vector<std::string> metrics_in(std::string_view header) {
  auto const required = split_text(query_columns, ',');
  auto names = csv_fields(header).value_or(std::vector<std::string>{});
  if (names.size() < required.size() || !std::equal(required.begin(), required.end(), names.begin())) return {};
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(required.size()));
  return names;
}

}  // namespace

QueryResults read_query_results(std::filesystem::path const& file, std::string_view metric) {
  MappedFile const bytes(file);
  Lines lines(bytes.text());
  auto const refuse = [&](std::string const& why) {
    throw std::runtime_error(fmt::format("{}, line {}: {}", file.string(), lines.number(), why));
  };
  std::string_view const header = lines.next().value_or("");
  auto const metrics = metrics_in(header);
  if (metrics.empty())
    throw std::runtime_error(fmt::format("{}, line 1: required \"{}\" and the names of metrics, got \"{}\"",
                                         file.string(), query_columns, header));
  auto const asked = std::ranges::find(metrics, metric);
  if (asked == metrics.end())
    throw std::runtime_error(
        fmt::format("{}, line 1: there is no metric {}, only {}", file.string(), metric, join(metrics, ", ")));
  constexpr std::size_t keys = 4;  // run, seed, fold, qid
  std::size_t const column = keys + static_cast<std::size_t>(asked - metrics.begin());

  using SeedAndFold = std::pair<std::uint64_t, std::uint64_t>;
  std::map<std::uint64_t, SeedAndFold> runs;
  std::map<QueryKey, std::map<std::uint64_t, double>> by_run;
  while (auto const line = lines.next()) {
    auto const fields = csv_fields(*line);
    if (!fields || fields->size() != keys + metrics.size())
      refuse(fmt::format("required {} fields ({}), got \"{}\"", keys + metrics.size(), header, *line));
    auto const whole = [&](std::size_t i, std::string_view name, std::uint64_t least) {
      auto const value = parse_whole((*fields)[i]);
      if (!value || *value < least)
        refuse(fmt::format("{} has to be a whole number from {}, got \"{}\"", name, least, (*fields)[i]));
      return *value;
    };
    std::uint64_t const run = whole(0, "run", 1);
    SeedAndFold const setting{whole(1, "seed", 0), whole(2, "fold", 1)};
    if (runs.emplace(run, setting).first->second != setting)
      refuse(fmt::format("run {} has another seed or fold than before", run));
    std::string const& qid = (*fields)[3];
    if (qid.empty()) refuse("the qid is missing");
    auto const value = parse_number((*fields)[column]);
    if (!value || *value < 0 || *value > 1)
      refuse(fmt::format("{} has to be a number from 0 to 1, got \"{}\"", metric, (*fields)[column]));
    if (!by_run[{setting.second, qid}].emplace(run, *value).second)
      refuse(fmt::format("query {} is in run {} twice", qid, run));
  }

  std::map<std::uint64_t, std::size_t> runs_of_fold;
  for (auto const& [run, setting] : runs) ++runs_of_fold[setting.second];
  QueryResults results{.file = file, .runs = runs.size(), .values = {}};
  for (auto const& [query, values] : by_run) {
    std::size_t const expected = runs_of_fold[query.fold];
    if (values.size() != expected)
      throw std::runtime_error(fmt::format("{}: query {} of fold {} is in {} of {} runs", file.string(), query.qid,
                                           query.fold, values.size(), expected));
    double sum = 0;
    for (auto const& [run, value] : values) sum += value;
    results.values.emplace_hint(results.values.end(), query, sum / static_cast<double>(expected));
  }
  return results;
}

}  // namespace fltr::examples
