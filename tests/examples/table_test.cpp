#include "support/table.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace fltr::examples;

TEST_CASE("Columns are aligned by characters, not by bytes") {
  Table table({"result", "mean"});
  table.add({"a", "0.50 ± 0.10"});
  table.add({"größe", "1"});
  CHECK(table.text(true) ==
        "result         mean\n"
        "───────────────────\n"
        "a       0.50 ± 0.10\n"
        "größe             1\n");
  CHECK_THAT(table.text(false), ContainsSubstring("\n-------------------\n"));
}

TEST_CASE("A deviation that is NaN is not shown") {
  CHECK(mean_and_deviation(0.46214, 0.01231, 4, true) == "0.4621 ± 0.0123");
  CHECK(mean_and_deviation(0.46214, 0.01231, 4, false) == "0.4621 +- 0.0123");
  CHECK(mean_and_deviation(0.46214, std::nan(""), 4, true) == "0.4621");
  CHECK(mean_and_deviation(std::nan(""), 0, 4, true) == "-");
}
