// Compares two methods by paired t-tests over the test queries, and over the seeds, of two --out folders.
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "support/comparison.hpp"
#include "support/program.hpp"
#include "support/query_results.hpp"
#include "support/terminal.hpp"

namespace {

using namespace fltr::examples;

QueryResults results_in(std::filesystem::path const& folder, QueryMetric const& metric) {
  std::filesystem::path const file = folder / "queries.csv";
  if (!std::filesystem::exists(file))
    throw std::runtime_error(
        fmt::format("there is no {}; give a folder that a program wrote with --out", file.string()));
  return read_query_results(file, metric.column);
}

/// The last part of the path, also of "out/" and ".".
std::string name_of(std::filesystem::path const& folder) {
  std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.has_filename() ? path.filename().string() : folder.string();
}

std::string runs_text(QueryResults const& results) {
  return results.runs == 1 ? "1 run" : fmt::format("{} runs", results.runs);
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path folder_a;
  std::filesystem::path folder_b;
  std::size_t chosen = 0;  // of query_metrics
  std::vector<std::pair<std::string, std::size_t>> choices;
  for (QueryMetric const& metric : query_metrics) choices.emplace_back(metric.column, choices.size());
  Program program(
      "compare",
      "Compares two trainings query by query: a metric's mean over the test queries after the last round, each "
      "query averaged over the repeats of its fold, and Student's paired t-test of the difference. That p is "
      "conditional on the trained models. If both folders have at least two seeds in common, a second paired t-test "
      "compares the means of the seeds, each over its folds.");
  program.positional("DIR_A", folder_a, "the folder that a program wrote with --out");
  program.positional("DIR_B", folder_b, "the folder of the other method, on the same data");
  program.choice("--metric", chosen, std::move(choices), "the metric to compare");
  return program.run(argc, argv, [&] {
    if (!first_rank_works_alone()) return;
    std::error_code none;
    if (std::filesystem::equivalent(folder_a, folder_b, none))
      throw UsageError(
          fmt::format("required two folders, got {} twice: its difference from itself is 0", folder_a.string()));
    QueryMetric const& metric = query_metrics[chosen];
    QueryResults const a = results_in(folder_a, metric);
    QueryResults const b = results_in(folder_b, metric);
    auto const rows = compare_queries(a, b);
    std::string name_a = name_of(folder_a);
    std::string name_b = name_of(folder_b);
    if (name_a == name_b) {
      name_a = folder_a.string();
      name_b = folder_b.string();
    }
    bool const utf8 = Terminal::of(stdout).utf8;
    fmt::print("{} of the test queries; the difference is {} {} {}, p is two-sided\n\n", metric.name, name_a,
               utf8 ? "−" : "-", name_b);
    fmt::print("{}\n", comparison_table(rows, name_a, name_b, utf8));
    if (a.values == b.values)
      fmt::print("the values of all {} queries are equal, as for the same models\n", a.values.size());
    fmt::print("{}", seed_text(compare_seeds(a, b)));
    fmt::print("{} of {}, {} of {}\n", runs_text(a), folder_a.string(), runs_text(b), folder_b.string());
  });
}
