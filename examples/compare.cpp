// Whether one method beats another: a paired t-test over the test queries that two --out folders have results for.
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "support/comparison.hpp"
#include "support/program.hpp"
#include "support/query_results.hpp"
#include "support/terminal.hpp"

namespace {

using namespace fltr::examples;

QueryResults results_in(std::filesystem::path const& folder) {
  std::filesystem::path const file = folder / "queries.csv";
  if (!std::filesystem::exists(file))
    throw std::runtime_error(
        fmt::format("there is no {}; give a folder that a program wrote with --out", file.string()));
  return read_query_results(file);
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
  Program program("compare",
                  "Compares two trainings query by query: mean nDCG@10 of the test queries after the last round, each "
                  "query averaged over the repeats of its fold, and Student's paired t-test of the difference.");
  program.positional("DIR_A", folder_a, "what a program wrote with --out");
  program.positional("DIR_B", folder_b, "the same, of the method to compare with, on the same data");
  return program.run(argc, argv, [&] {
    QueryResults const a = results_in(folder_a);
    QueryResults const b = results_in(folder_b);
    auto const rows = compare_queries(a, b);
    std::string name_a = name_of(folder_a);
    std::string name_b = name_of(folder_b);
    if (name_a == name_b) {
      name_a = folder_a.string();
      name_b = folder_b.string();
    }
    bool const utf8 = Terminal::of(stdout).utf8;
    fmt::print("nDCG@10 of the test queries; the difference is {} {} {}, p is two-sided\n\n", name_a, utf8 ? "−" : "-",
               name_b);
    fmt::print("{}\n", comparison_table(rows, name_a, name_b, utf8));
    fmt::print("{} of {}, {} of {}\n", runs_text(a), folder_a.string(), runs_text(b), folder_b.string());
  });
}
