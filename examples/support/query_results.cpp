#include "query_results.hpp"

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

}  // namespace

QueryResults read_query_results(std::filesystem::path const& file) {
  MappedFile const bytes(file);
  Lines lines(bytes.text());
  auto const refuse = [&](std::string const& why) {
    throw std::runtime_error(fmt::format("{}, line {}: {}", file.string(), lines.number(), why));
  };
  if (auto const header = lines.next(); header != query_columns)
    throw std::runtime_error(
        fmt::format("{}, line 1: required \"{}\", got \"{}\"", file.string(), query_columns, header.value_or("")));

  using SeedAndFold = std::pair<std::uint64_t, std::uint64_t>;
  std::map<std::uint64_t, SeedAndFold> runs;
  std::map<QueryKey, std::map<std::uint64_t, double>> by_run;
  while (auto const line = lines.next()) {
    auto const fields = csv_fields(*line);
    if (!fields || fields->size() != 5)
      refuse(fmt::format("required five fields ({}), got \"{}\"", query_columns, *line));
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
    auto const ndcg = parse_number((*fields)[4]);
    if (!ndcg || *ndcg < 0 || *ndcg > 1)
      refuse(fmt::format("ndcg10 has to be a number from 0 to 1, got \"{}\"", (*fields)[4]));
    if (!by_run[{setting.second, qid}].emplace(run, *ndcg).second)
      refuse(fmt::format("query {} is in run {} twice", qid, run));
  }

  std::map<std::uint64_t, std::size_t> runs_of_fold;
  for (auto const& [run, setting] : runs) ++runs_of_fold[setting.second];
  QueryResults results{.file = file, .runs = runs.size(), .ndcg10 = {}};
  for (auto const& [query, values] : by_run) {
    std::size_t const expected = runs_of_fold[query.fold];
    if (values.size() != expected)
      throw std::runtime_error(fmt::format("{}: query {} of fold {} is in {} of {} runs", file.string(), query.qid,
                                           query.fold, values.size(), expected));
    double sum = 0;
    for (auto const& [run, ndcg] : values) sum += ndcg;
    results.ndcg10.emplace_hint(results.ndcg10.end(), query, sum / static_cast<double>(expected));
  }
  return results;
}

}  // namespace fltr::examples
