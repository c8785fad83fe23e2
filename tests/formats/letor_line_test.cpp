#include <fltr/formats/detail/letor_line.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"

using fltr::LetorOptions;
using fltr::parse_letor;
using fltr::ParseError;

namespace {

struct Malformed {
  std::string text;
  std::size_t line;
  std::size_t column;
  std::string expected;
  LetorOptions options = {};
};

// However the text is cut and whoever reads it, the error is the same.
void check(Malformed const& bad) {
  INFO(bad.text);
  for (std::size_t const chunk : {std::size_t{1}, std::size_t{20}, std::size_t{4} << 20U})
    for (std::size_t const threads : {1U, 3U}) {
      LetorOptions options = bad.options;
      options.chunk_bytes = chunk;
      options.threads = threads;
      try {
        (void)parse_letor(bad.text, "bad.txt", options);
        FAIL("no error");
      } catch (ParseError const& error) {
        CHECK(error.line() == bad.line);
        CHECK(error.column() == bad.column);
        CHECK_THAT(error.what(), ContainsSubstring(bad.expected));
        CHECK_THAT(error.what(), ContainsSubstring("bad.txt:" + std::to_string(bad.line) + ':' +
                                                   std::to_string(bad.column) + ": expected "));
      }
    }
}

}  // namespace

TEST_CASE("Malformed grades are refused with line and column") {
  std::string const good = "0 qid:1 1:1\n";
  check({good + "x qid:1 1:1\n", 2, 1, "grade"});
  check({good + "-1 qid:1 1:1\n", 2, 1, "integer of 0 to 30"});
  check({good + "31 qid:1 1:1\n", 2, 1, "integer of 0 to 30"});
  check({good + "1.5 qid:1 1:1\n", 2, 1, "integer of 0 to 30"});
  check({good + "nan qid:1 1:1\n", 2, 1, "grade"});
  check({good + "1e400 qid:1 1:1\n", 2, 1, "integer of 0 to 30"});
  check({good + "1x qid:1 1:1\n", 2, 2, "blank behind the grade"});
  check({good + "qid:1 1:1\n", 2, 1, "grade"});
  check({good + "\x01", 2, 1, "grade"});
  check({good + std::string("\0\0\0", 3), 2, 1, "grade"});
  check({"\xFF\xFE" + good, 1, 1, "grade"});  // UTF-16
}

TEST_CASE("Malformed queries are refused with line and column") {
  std::string const good = "0 qid:1 1:1\n";
  check({good + "1 1:1\n", 2, 3, "'qid:'"});
  check({good + "1\n", 2, 2, "blank behind the grade"});
  check({good + "1 \n", 2, 3, "'qid:'"});
  check({good + "1 quid:1\n", 2, 4, "'qid:'"});
  check({good + "1 qid=1\n", 2, 6, "'qid:'"});
  check({good + "1 qid:\n", 2, 7, "query's name"});
  check({good + "1 qid: 1:1\n", 2, 7, "query's name"});
  check({good + "1 qid:#x\n", 2, 7, "query's name"});
  check({good + "1 qid:1\v1:1\n", 2, 8, "blank"});
}

TEST_CASE("Malformed features are refused with line and column") {
  std::string const good = "# comment\n\n0 qid:1 1:1\n";
  check({good + "1 qid:1 1:1 x:2\n", 4, 13, "feature's number"});
  check({good + "1 qid:1 1:1 2\n", 4, 14, "':'"});
  check({good + "1 qid:1 1:1 2 3:1\n", 4, 14, "':'"});
  check({good + "1 qid:1 1:1 :2\n", 4, 13, "feature's number"});
  check({good + "1 qid:1 -1:2\n", 4, 9, "feature's number"});
  check({good + "1 qid:1 1:1  0:2\n", 4, 14, "numbered from 1"});
  check({good + "1 qid:1 1:1 2:2 1:3\n", 4, 17, "each feature once"});
  check({good + "1 qid:1 2:1 02:1\n", 4, 13, "each feature once"});
  check({good + "1 qid:1 1:1\r2:1\n", 4, 12, "blank"});
}

TEST_CASE("A feature number above the limit is refused before memory is allocated") {
  check({"0 qid:1 1:1 4294967297:1\n", 1, 13, "at most 16384 (feature_limit)"});
  check({"0 qid:1 1:1 1000000000:1\n", 1, 13, "at most 16384"});
  check({"0 qid:1 16385:1\n", 1, 9, "at most 16384"});
  check({"0 qid:1 18446744073709551617:1\n", 1, 9, "at most 16384"});  // 2^64 + 1
  check({"0 qid:1 " + std::string(70, '9') + ":1\n", 1, 9, "at most 16384"});
  check({"0 qid:1 1" + std::string(69, '0') + ":1\n", 1, 9, "at most 16384"});  // 0 modulo 2^64
  check({"0 qid:1 101:1\n", 1, 9, "at most 100", {.feature_limit = 100}});
  CHECK(parse_letor("0 qid:1 16384:1\n", "x").feature_count() == 16'384);
  CHECK(parse_letor("0 qid:1 0000000000000012:1\n", "x").feature_count() == 12);
  CHECK(parse_letor("0 qid:1 20000:1\n", "x", {.feature_limit = 20'000}).feature_count() == 20'000);
}

TEST_CASE("Malformed values are refused with line and column") {
  std::string const good = "0 qid:1 1:1\n";
  check({good + "1 qid:1 1:\n", 2, 11, "finite decimal number"});
  check({good + "1 qid:1 1: 2:1\n", 2, 11, "finite decimal number"});
  check({good + "1 qid:1 1:x\n", 2, 11, "finite decimal number"});
  check({good + "1 qid:1 1:1x 2:1\n", 2, 12, "blank"});
  check({good + "1 qid:1 1:1:2\n", 2, 12, "blank"});
  check({good + "1 qid:1 1:1,5\n", 2, 12, "blank"});
  check({good + "1 qid:1 1:0x10\n", 2, 12, "blank"});
  check({good + "1 qid:1 1:1e\n", 2, 13, "finite decimal number"});
  check({good + "1 qid:1 1:-\n", 2, 12, "finite decimal number"});
  check({good + "1 qid:1 1:.\n", 2, 12, "finite decimal number"});
  check({good + std::string("1 qid:1 1:1\0 2:1\n", 17), 2, 12, "blank"});
  for (std::string const word : {"nan", "NaN", "inf", "INF", "infinity", "nan(1)"})
    check({good + "1 qid:1 1:1 2:" + word + "\n", 2, 15, "finite decimal number"});
  check({good + "1 qid:1 1:1 2:-inf\n", 2, 16, "finite decimal number"});
}

TEST_CASE("A feature beyond feature_count is refused") {
  check({"0 qid:1 1:1 2:1\n1 qid:1 1:1 3:1\n", 2, 13, "at most 2 (feature_count)", {.feature_count = 2}});
  check({"0 qid:1 0:1 2:1\n", 1, 13, "at most 1 (feature_count)", {.index_base = 0, .feature_count = 2}});
  auto const data = parse_letor("0 qid:1 1:1 2:1\n", "x", {.feature_count = 5});
  CHECK(data.feature_count() == 5);
  CHECK(data[0].row(0)[1] == 1.0F);
  CHECK(data[0].row(0)[4] == 0.0F);
  CHECK(parse_letor("0 qid:1 1:1 20000:1\n", "x", {.feature_count = 20'000}).feature_count() == 20'000);
}

TEST_CASE("Feature 0 is valid with index_base 0 only") {
  auto const data = parse_letor("0 qid:1 0:5 2:7\n", "x", {.index_base = 0});
  CHECK(data.feature_count() == 3);
  CHECK(std::vector<float>(data[0].row(0).begin(), data[0].row(0).end()) == std::vector<float>{5, 0, 7});
}

TEST_CASE("Values beyond clamp_to are clamped or rejected") {
  std::string const line = "0 qid:1 1:1.79769313486e+308 2:-1e400 3:1000000 4:1000000.5 5:-1000001 6:1e-400\n";
  auto const data = parse_letor(line, "x");
  CHECK(std::vector<float>(data[0].row(0).begin(), data[0].row(0).end()) ==
        std::vector<float>{1e6F, -1e6F, 1e6F, 1e6F, -1e6F, 0.0F});
  auto const wider = parse_letor(line, "x", {.clamp_to = static_cast<double>(std::numeric_limits<float>::max())});
  CHECK(wider[0].row(0)[0] == std::numeric_limits<float>::max());
  CHECK(wider[0].row(0)[4] == -1000001.0F);
  check({line, 1, 11, "from -1e+06 to 1e+06 (clamp_to)", {.huge_values = fltr::HugeValues::reject}});
  check({"0 qid:1 1:1\n0 qid:1 2:-1000000.1\n",
         2,
         11,
         "from -1e+06 to 1e+06 (clamp_to)",
         {.huge_values = fltr::HugeValues::reject}});
  auto const lowest = parse_letor("0 qid:1 1:-1000000\n", "x", {.huge_values = fltr::HugeValues::reject});
  CHECK(lowest[0].row(0)[0] == -1e6F);
}

TEST_CASE("LetorOptions outside their ranges are refused") {
  std::string const line = "0 qid:1 1:1\n";
  CHECK_THROWS_WITH(parse_letor(line, "x", {.index_base = 2}), ContainsSubstring("required index_base 0 or 1, got 2"));
  for (double const clamp : {0.0, -1.0, 1e39, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(parse_letor(line, "x", {.clamp_to = clamp}), std::invalid_argument);
  CHECK_THROWS_AS(parse_letor(line, "x", {.feature_limit = 0}), std::invalid_argument);
  CHECK_THROWS_AS(parse_letor(line, "x", {.chunk_bytes = 0}), std::invalid_argument);
}
