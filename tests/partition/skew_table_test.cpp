#include <fltr/partition/skew_table.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include "support/catch.hpp"

using fltr::SkewReport;
using fltr::table;

namespace {

SkewReport two_clients() {
  SkewReport report;
  report.clients = {{7, 3, 2, 4, 0.25}, {8, 12, 1, 0, 0.0}};
  report.grade_counts = {1, 3, 0, 0};
  report.whole = {1, 3};
  report.queries = 3;
  report.documents = 4;
  report.interactions = 15;
  report.without_documents = 1;
  report.mean_divergence = 0.25;
  return report;
}

}  // namespace

TEST_CASE("The table has a row for each client and one for the whole") {
  CHECK(table(two_clients()) ==
        "client  queries  documents  interactions  divergence  grade 0  grade 1\n"
        "7             2          4             3       0.250    0.250    0.750\n"
        "8             1          0            12       0.000    0.000    0.000\n"
        "all 2         3          4            15       0.250    0.250    0.750\n"
        "Divergence: Jensen-Shannon of a client's grades from those of all clients, base 2; in the last row the mean. "
        "Grades only: intents, click behaviour and quantity do not count. 1 clients have no documents.\n");
}

TEST_CASE("The table summarises many clients by minimum, quartiles and maximum") {
  SkewReport report;
  for (std::uint32_t i = 0; i < 1001; ++i) {
    report.clients.push_back({i, 1 + i % 5, 1000 - i, 10, 0.001 * i});
    report.grade_counts.push_back(10);
  }
  report.whole = {10'010};
  std::string const text = table(report);
  CHECK(std::ranges::count(text, '\n') == 8);
  CHECK(text.find("minimum           0         10             1       0.000    1.000\n") != std::string::npos);
  CHECK(text.find("quartile 1      250         10             2       0.250    1.000\n") != std::string::npos);
  CHECK(text.find("median          500         10             3       0.500    1.000\n") != std::string::npos);
  CHECK(text.find("maximum        1000         10             5       1.000    1.000\n") != std::string::npos);
  CHECK(std::ranges::count(table(report, {.most_rows = 2000}), '\n') == 1004);  // header, clients, the whole, the note
}
