#include <fltr/data/csv_line.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::CsvLine;

std::vector<std::vector<std::string>> lines_of(std::string_view text) {
  std::vector<std::vector<std::string>> out;
  CsvLine line;
  while (!text.empty()) {
    line.read(text, out.size() + 1, "x.csv");
    out.emplace_back();
    for (std::size_t i = 0; i < line.size(); ++i) out.back().push_back(line[i].text);
  }
  return out;
}

}  // namespace

TEST_CASE("CSV lines by RFC 4180") {
  using Lines = std::vector<std::vector<std::string>>;
  CHECK(lines_of("a,b\n1,2\n") == Lines{{"a", "b"}, {"1", "2"}});
  CHECK(lines_of("a,b\r\n1,2") == Lines{{"a", "b"}, {"1", "2"}});
  CHECK(lines_of(",\n") == Lines{{"", ""}});
  CHECK(lines_of("\"a,b\",\"say \"\"x\"\"\",\"\"\n") == Lines{{"a,b", "say \"x\"", ""}});
  CHECK(lines_of("\"a\"") == Lines{{"a"}});
  CHECK(lines_of("a\n\nb\n") == Lines{{"a"}, {""}, {"b"}});
}

TEST_CASE("CSV fields know their column, and an empty line that it is one") {
  CsvLine line;
  std::string_view text = "ab,\"c\"\"d\",e\n\n,\n";
  line.read(text, 1, "x.csv");
  REQUIRE(line.size() == 3);
  CHECK_FALSE(line.empty());
  CHECK(line[0].column == 1);
  CHECK(line[1].column == 4);
  CHECK(line[2].column == 11);
  line.read(text, 2, "x.csv");
  CHECK(line.empty());
  line.read(text, 3, "x.csv");
  CHECK_FALSE(line.empty());
  CHECK(line.size() == 2);
}

TEST_CASE("quotes that do not close or are not followed by a comma are refused where they stand") {
  CHECK_THROWS_WITH(lines_of("a\nb,\"c\n"), "x.csv:2:3: expected a closing quote on this line");
  CHECK_THROWS_WITH(lines_of("\"a\"b\n"), "x.csv:1:4: expected a comma behind the closing quote");
  CHECK_THROWS_WITH(lines_of("a,b\"c\"\n"), "x.csv:1:4: expected quotes around the whole field");
}
