#include <fltr/formats/csv_reader.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::CsvReader;

std::vector<std::vector<std::string>> lines_of(std::string_view text) {
  std::vector<std::vector<std::string>> out;
  CsvReader csv(text, "x.csv");
  while (csv.next()) out.emplace_back(csv.fields().begin(), csv.fields().end());
  return out;
}

}  // namespace

TEST_CASE("CSV fields are read as RFC 4180 defines them") {
  using Lines = std::vector<std::vector<std::string>>;
  CHECK(lines_of("").empty());
  CHECK(lines_of("a,b\n1,2\n") == Lines{{"a", "b"}, {"1", "2"}});
  CHECK(lines_of("a,b\r\n1,2") == Lines{{"a", "b"}, {"1", "2"}});
  CHECK(lines_of(",\n") == Lines{{"", ""}});
  CHECK(lines_of("\"a,b\",\"say \"\"x\"\"\",\"\"\n") == Lines{{"a,b", "say \"x\"", ""}});
  CHECK(lines_of("\"a\"") == Lines{{"a"}});
}

TEST_CASE("A CSV reader skips empty lines and a byte-order mark") {
  using Lines = std::vector<std::vector<std::string>>;
  CHECK(lines_of("a\n\n\r\nb\n\n") == Lines{{"a"}, {"b"}});
  CHECK(lines_of("\xEF\xBB\xBF\"a\"\n") == Lines{{"a"}});
}

TEST_CASE("A CSV reader knows the line, its number and the columns of its fields") {
  CsvReader csv("\nab,\"c\"\"d\",e\n,\n", "x.csv");
  REQUIRE(csv.next());
  CHECK(csv.line() == "ab,\"c\"\"d\",e");
  CHECK(csv.line_number() == 2);
  CHECK_THROWS_WITH(csv.fail(0, "expected x"), "x.csv:2:1: expected x");
  CHECK_THROWS_WITH(csv.fail(1, "expected x"), "x.csv:2:4: expected x");
  CHECK_THROWS_WITH(csv.fail(2, "expected x"), "x.csv:2:11: expected x");
  CHECK_THROWS_WITH(csv.fail(3, "expected x"), "x.csv:2:1: expected x");
  REQUIRE(csv.next());
  CHECK(csv.fields().size() == 2);
  CHECK_FALSE(csv.next());
}

TEST_CASE("A quote without a closing quote, or without a comma behind it, is refused with its line and column") {
  CHECK_THROWS_WITH(lines_of("a\nb,\"c\n"), "x.csv:2:3: expected a closing quote on this line");
  CHECK_THROWS_WITH(lines_of("\"a\"b\n"), "x.csv:1:4: expected a comma behind the closing quote");
  CHECK_THROWS_WITH(lines_of("a,b\"c\"\n"), "x.csv:1:4: expected quotes around the whole field");
}
