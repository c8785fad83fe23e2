#include "support/json.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

using namespace fltr::examples;

TEST_CASE("Numbers that are not finite are null, and an infinite epsilon is the text inf") {
  double const infinity = std::numeric_limits<double>::infinity();
  CHECK(number_or_null(0.25) == 0.25);
  CHECK(number_or_null(std::nan("")).is_null());
  CHECK(number_or_null(infinity).is_null());
  CHECK(number_or_inf(infinity) == "inf");
  CHECK(number_or_inf(-infinity).is_null());
  CHECK(number_or_inf(std::nan("")).is_null());
  CHECK(number_or_inf(4.5) == 4.5);
}

TEST_CASE("A JSON file keeps the order of its keys, and bytes that are not UTF-8 become U+FFFD") {
  CHECK(json_file(Json{{"z", "a\"\xff"}, {"a", 1}}) == "{\n  \"z\": \"a\\\"\xEF\xBF\xBD\",\n  \"a\": 1\n}\n");
}
