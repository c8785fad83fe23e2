// Compares two files that the target bench wrote: compare_bench OLD.json NEW.json
// Prints for each name the ratio to its baseline in both files, and the quotient of the two ratios.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/bench_file.hpp"

namespace {

using fltr::benchmarks::Row;

Row const* find(std::vector<Row> const& rows, std::string const& name) {
  auto const found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

void print(std::vector<Row> const& before, std::vector<Row> const& now) {
  std::printf("%-56s %10s %10s %8s\n", "name", "old ratio", "new ratio", "new/old");
  for (Row const& row : before) {
    Row const* const other = find(now, row.name);
    if (other == nullptr)
      std::printf("%-56s %10.3f %10s %8s missing in the new file\n", row.name.c_str(), row.ratio, "-", "-");
    else if (other->baseline != row.baseline)
      std::printf("%-56s %10.3f %10.3f %8s the baseline was '%s' and is '%s'\n", row.name.c_str(), row.ratio,
                  other->ratio, "-", row.baseline.c_str(), other->baseline.c_str());
    else
      std::printf("%-56s %10.3f %10.3f %8.3f\n", row.name.c_str(), row.ratio, other->ratio, other->ratio / row.ratio);
  }
  for (Row const& row : now)
    if (find(before, row.name) == nullptr)
      std::printf("%-56s %10s %10.3f %8s missing in the old file\n", row.name.c_str(), "-", row.ratio, "-");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: compare_bench OLD.json NEW.json\n", stderr);
    return 2;
  }
  try {
    print(fltr::benchmarks::read_bench(argv[1]), fltr::benchmarks::read_bench(argv[2]));
  } catch (std::exception const& error) {
    std::fprintf(stderr, "compare_bench: %s\n", error.what());
    return 2;
  }
}
