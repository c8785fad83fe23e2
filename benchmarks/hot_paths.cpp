// Measures all hot paths and prints one table: hot_paths [--json FILE] [--rounds N] [SUITE...]
// A ratio is a time divided by that of the baseline named beside it.
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hot_paths/suites.hpp"
#include "support/bench_file.hpp"
#include "support/time_text.hpp"

namespace {

using namespace fltr::benchmarks;

struct Suite {
  std::string_view name;
  std::vector<Row> (*run)(std::size_t rounds);
  std::size_t rounds;
};

constexpr Suite suites[] = {
    {"letor", letor, 9},
    {"interaction", interaction, 15},
    {"neural", neural, 15},
    {"federation", federation, 15},
    {"evolution", evolution, 15},
    {"ips", ips, 15},
    {"evaluation", evaluation, 15},
    {"boosting", boosting, 7},
    {"forest", forest, 7},
    {"robust", robust, 15},
    {"compilation", compilation, 3},
};

struct Options {
  std::string json;
  std::optional<std::size_t> rounds;
  std::vector<Suite> chosen;
};

std::size_t positive(std::string_view text) {
  std::size_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    throw std::invalid_argument("--rounds: required a whole number >= 1, got " + std::string(text));
  return value;
}

Suite named(std::string_view name) {
  std::string names;
  for (auto const& suite : suites) {
    if (suite.name == name) return suite;
    names.append(names.empty() ? "" : ", ").append(suite.name);
  }
  throw std::invalid_argument("required --json FILE, --rounds N or a suite (" + names + "), got " + std::string(name));
}

Options read(std::vector<std::string> const& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    bool const has_value = arguments[i] == "--json" || arguments[i] == "--rounds";
    if (has_value && i + 1 == arguments.size())
      throw std::invalid_argument(arguments[i] + ": required a value, got none");
    if (arguments[i] == "--json")
      options.json = arguments[++i];
    else if (arguments[i] == "--rounds")
      options.rounds = positive(arguments[++i]);
    else
      options.chosen.push_back(named(arguments[i]));
  }
  if (options.chosen.empty()) options.chosen.assign(std::begin(suites), std::end(suites));
  return options;
}

void print(std::vector<Row> const& rows) {
  for (Row const& row : rows)
    std::printf("%-56s %-48s %8.3f %12s\n", row.name.c_str(), row.baseline.c_str(), row.ratio,
                time_text(row.median_ns).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = read({argv + 1, argv + argc});
  } catch (std::exception const& error) {
    std::fprintf(stderr, "hot_paths: %s\n", error.what());
    return 2;
  }
  try {
    std::printf("%-56s %-48s %8s %12s\n", "name", "baseline", "ratio", "median time");
    std::vector<Row> all;
    for (auto const& suite : options.chosen) {
      auto const rows = suite.run(options.rounds.value_or(suite.rounds));
      print(rows);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    if (!options.json.empty()) write_bench(options.json, all);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "hot_paths: %s\n", error.what());
    return 1;
  }
}
