#include "query_results.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fltr/formats/csv_reader.hpp>
#include <fltr/formats/mapped_file.hpp>

#include "text.hpp"

namespace fltr::examples {

namespace {

/// The names of the metrics in a header; empty if it is not a header of queries.csv.
std::vector<std::string> metrics_in(std::span<std::string const> header) {
  auto const required = split_text(query_columns, ',');
  if (header.size() < required.size() || !std::equal(required.begin(), required.end(), header.begin())) return {};
  auto const metrics = header.subspan(required.size());
  return {metrics.begin(), metrics.end()};
}

}  // namespace

QueryResults read_query_results(std::filesystem::path const& file, std::string_view metric) {
  MappedFile const bytes(file);
  CsvReader csv(bytes.text(), file.string());
  auto const refuse = [&](std::string const& why) {
    throw std::runtime_error(fmt::format("{}, line {}: {}", file.string(), csv.line_number(), why));
  };
  csv.next();
  std::string const header(csv.line());
  auto const metrics = metrics_in(csv.fields());
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
  while (csv.next()) {
    auto const fields = csv.fields();
    if (fields.size() != keys + metrics.size())
      refuse(fmt::format("required {} fields ({}), got \"{}\"", keys + metrics.size(), header, csv.line()));
    auto const whole = [&](std::size_t i, std::string_view name, std::uint64_t least) {
      auto const value = parse_whole(fields[i]);
      if (!value || *value < least)
        refuse(fmt::format("{} has to be a whole number from {}, got \"{}\"", name, least, fields[i]));
      return *value;
    };
    std::uint64_t const run = whole(0, "run", 1);
    SeedAndFold const setting{whole(1, "seed", 0), whole(2, "fold", 1)};
    if (runs.emplace(run, setting).first->second != setting)
      refuse(fmt::format("run {} has another seed or fold than before", run));
    std::string const& qid = fields[3];
    if (qid.empty()) refuse("the qid is missing");
    auto const value = parse_number(fields[column]);
    if (!value || *value < 0 || *value > 1)
      refuse(fmt::format("{} has to be a number from 0 to 1, got \"{}\"", metric, fields[column]));
    if (!by_run[{setting.second, qid}].emplace(run, *value).second)
      refuse(fmt::format("query {} is in run {} twice", qid, run));
  }

  std::map<std::uint64_t, std::size_t> runs_of_fold;
  for (auto const& [run, setting] : runs) ++runs_of_fold[setting.second];
  QueryResults results{.file = file, .runs = runs.size(), .values = {}, .run_means = {}};
  std::map<RunKey, std::pair<double, std::size_t>> run_sums;  // and the number of values
  for (auto const& [query, values] : by_run) {
    std::size_t const expected = runs_of_fold[query.fold];
    if (values.size() != expected)
      throw std::runtime_error(fmt::format("{}: query {} of fold {} is in {} of {} runs", file.string(), query.qid,
                                           query.fold, values.size(), expected));
    double sum = 0;
    for (auto const& [run, value] : values) {
      sum += value;
      auto const& [seed, fold] = runs.at(run);
      auto& of_run = run_sums[{fold, seed}];
      of_run.first += value;
      ++of_run.second;
    }
    results.values.emplace_hint(results.values.end(), query, sum / static_cast<double>(expected));
  }
  for (auto const& [run, of_run] : run_sums)
    results.run_means.emplace(run, of_run.first / static_cast<double>(of_run.second));
  return results;
}

}  // namespace fltr::examples
