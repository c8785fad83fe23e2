#include "support/bench_file.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace fltr::benchmarks;

TEST_CASE("bench.json is a list of objects with the keys name, baseline, ratio and median_ns") {
  std::vector<Row> const rows{{"score", "stream", 1.25, 104.0}, {"\"\\\n", "µ", 0.5, 1e9}};
  CHECK(bench_text(rows) ==
        "[\n"
        "  {\"name\": \"score\", \"baseline\": \"stream\", \"ratio\": 1.25, \"median_ns\": 104},\n"
        "  {\"name\": \"\\\"\\\\\\u000a\", \"baseline\": \"µ\", \"ratio\": 0.5, \"median_ns\": 1e+09}\n"
        "]\n");
  CHECK(parse_bench(bench_text(rows), "file") == rows);
  CHECK(parse_bench(bench_text({}), "file").empty());
}

TEST_CASE("White space between the parts of bench.json does not matter") {
  CHECK(parse_bench("\t[{\"name\":\"a\",\r\n\"baseline\":\"b\",\"ratio\":2,\"median_ns\" : 3.5e1}]", "file") ==
        std::vector<Row>{{"a", "b", 2.0, 35.0}});
}

TEST_CASE("A file of another form is an error with its name and the position") {
  auto const error_of = [](std::string const& text) -> std::string {
    try {
      (void)parse_bench(text, "old.json");
    } catch (std::runtime_error const& error) {
      return error.what();
    }
    return "no error";
  };
  std::string const row = R"({"name": "a", "baseline": "b", "ratio": 2, "median_ns": 3})";
  CHECK(error_of("[" + row + "]") == "no error");
  CHECK_THAT(error_of(""), ContainsSubstring("old.json: byte 1: expected '['"));
  CHECK_THAT(error_of("{}"), ContainsSubstring("old.json: byte 1: expected '['"));
  CHECK_THAT(error_of("[" + row), ContainsSubstring("old.json: byte 60: expected ']'"));
  CHECK_THAT(error_of("[" + row + "] x"), ContainsSubstring("old.json: byte 62: expected the end"));
  CHECK_THAT(error_of("[" + row + "," + row + "]"), ContainsSubstring("each name once, got a twice"));
  CHECK_THAT(error_of(R"([{"names": "a"}])"), ContainsSubstring("expected the key \"name\""));
  CHECK_THAT(error_of(R"([{"name": "a)"), ContainsSubstring("expected a closing '\"'"));
  CHECK_THAT(error_of(R"([{"name": "\q"}])"), ContainsSubstring("escapes"));
  for (auto const* number : {"-2", "0", "nan", "inf", "\"2\"", "1e999", ""})
    CHECK_THAT(error_of(std::string(R"([{"name": "a", "baseline": "b", "ratio": )") + number + "}]"),
               ContainsSubstring("expected a positive number"));
}

TEST_CASE("A file that cannot be read is an error with its name") {
  CHECK_THROWS_WITH(read_bench("no/such/file.json"), "cannot read no/such/file.json");
}
