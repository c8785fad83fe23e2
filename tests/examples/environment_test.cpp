#include "support/environment.hpp"

#include <chrono>

#include "support/catch.hpp"

using namespace fltr::examples;

TEST_CASE("Dates are ISO 8601 in UTC, to the second") {
  std::chrono::system_clock::time_point const epoch{};
  CHECK(utc_date(epoch) == "1970-01-01T00:00:00Z");
  CHECK(utc_date(epoch + std::chrono::seconds(951'782'399)) == "2000-02-28T23:59:59Z");
}

TEST_CASE("The compiler has a name and a version") {
  CHECK_THAT(compiler_name(), ContainsSubstring(" ") && ContainsSubstring("."));
}
