#include <fltr/formats/letor_double_rows.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace {

using fltr::LetorDoubleRows;
using fltr::LetorOptions;
using fltr::parse_letor_double_rows;
using fltr::ParseError;

auto bits(double value) { return std::bit_cast<std::uint64_t>(value); }

bool same_rows(LetorDoubleRows const& a, LetorDoubleRows const& b) {
  if (a.document_count != b.document_count || a.feature_count != b.feature_count || a.values.size() != b.values.size())
    return false;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (bits(a.values[i]) != bits(b.values[i])) return false;
  return true;
}

std::vector<double> row(LetorDoubleRows const& rows, std::size_t document) {
  auto const values = rows.row(document);
  return {values.begin(), values.end()};
}

// A finite double of any magnitude, as a text that may or may not give it back: one to twenty digits.
std::string random_decimal(fltr::Stream& stream) {
  double value = 0.0;
  do value = std::bit_cast<double>(std::uint64_t{stream.below(0xFFFF'FFFFU)} << 32U | stream.below(0xFFFF'FFFFU));
  while (!std::isfinite(value));
  if (stream.bernoulli(0.6)) value = stream.normal() * std::pow(10.0, stream.below(9));
  char text[400];
  char const* const form = stream.bernoulli(0.5) || std::abs(value) > 1e12 ? "%.*e" : "%.*f";
  std::snprintf(text, sizeof text, form, static_cast<int>(stream.below(20)), value);
  return std::isfinite(std::strtod(text, nullptr)) ? text : "0";
}

struct Random {
  std::string text;
  std::vector<double> values;  // 30 to a document
};

Random random_text(std::uint64_t seed, std::size_t documents) {
  fltr::Stream stream(seed);
  Random random;
  random.values.resize(documents * 30);
  for (std::size_t d = 0; d < documents; ++d) {
    random.text += std::to_string(stream.below(5)) + " qid:" + std::to_string(d / 7);
    for (std::size_t k = 0; k < 30; ++k) {
      if (k < 29 && stream.bernoulli(0.4)) continue;
      std::string const decimal = random_decimal(stream);
      random.text += ' ' + std::to_string(k + 1) + ':' + decimal;
      random.values[d * 30 + k] = std::strtod(decimal.c_str(), nullptr);
    }
    random.text += '\n';
  }
  return random;
}

}  // namespace

TEST_CASE("Values become the nearest double, and none is clamped") {
  for (char const* text : {"0.1", "1700.0052783791241", "0.30000000000000004", "9007199254740993", "1.79769313486e+308",
                           "-1e300", "1.7976931348623157e308", "1000000.5", "-16777217", "5e-324",
                           "2.4703282292062328e-324", "-2.2250738585072011e-308", "1e-400", "-0",
                           "123456789012345678901234567890", "0.000000000000000000000000000000000000000000000000001"}) {
    INFO(text);
    auto const rows = parse_letor_double_rows(std::string("0 qid:1 1:") + text + "\n", "x");
    REQUIRE(rows.feature_count == 1);
    CHECK(bits(rows.values[0]) == bits(std::strtod(text, nullptr)));
  }
}

TEST_CASE("Double rows do not depend on the number of threads or the size of chunks") {
  auto const random = random_text(1, 400);
  for (std::size_t const chunk : {1U, 37U, 5000U, 4'000'000U})
    for (std::size_t const threads : {1U, 3U}) {
      auto const rows = parse_letor_double_rows(random.text, "x", {.threads = threads, .chunk_bytes = chunk});
      CHECK(same_rows(rows, {400, 30, random.values}));
    }
}

TEST_CASE("A value beyond the range of double becomes the largest double or is refused") {
  std::string const line = "0 qid:1 1:1e400 2:-2e308\n";
  auto const largest = std::numeric_limits<double>::max();
  CHECK(row(parse_letor_double_rows(line, "x"), 0) == std::vector{largest, -largest});
  CHECK_THROWS_WITH(parse_letor_double_rows(line, "x", {.huge_values = fltr::HugeValues::reject}),
                    ContainsSubstring("x:1:11: expected a value from -1.79769e+308 to 1.79769e+308"));
  CHECK(parse_letor_double_rows("0 qid:1 1:1e300\n", "x", {.huge_values = fltr::HugeValues::reject}).values[0] ==
        1e300);
}

TEST_CASE("feature_count sets the width of double rows, and index_base the first feature") {
  std::string const text = "0 qid:1 1:5\n\n# comment\n1 qid:2 3:7 2:0.5\n";
  auto const found = parse_letor_double_rows(text, "x");
  CHECK(found.document_count == 2);
  CHECK(found.feature_count == 3);
  CHECK(row(found, 0) == std::vector<double>{5, 0, 0});
  CHECK(row(found, 1) == std::vector<double>{0, 0.5, 7});
  CHECK(row(parse_letor_double_rows(text, "x", {.feature_count = 5}), 1) == std::vector<double>{0, 0.5, 7, 0, 0});
  CHECK(row(parse_letor_double_rows(text, "x", {.index_base = 0}), 0) == std::vector<double>{0, 5, 0, 0});
  CHECK(row(parse_letor_double_rows("0 qid:1 0:5 2:7\n", "x", {.index_base = 0, .feature_count = 4}), 0) ==
        std::vector<double>{5, 0, 7, 0});
  auto const empty = parse_letor_double_rows("0 qid:1\n0 qid:1\n", "x");
  CHECK(empty.document_count == 2);
  CHECK(empty.row(1).empty());
}

TEST_CASE("Double rows are in the order of the Dataset's documents") {
  std::string const text = "0 qid:a 1:1\n1 qid:b 1:2\n2 qid:a 1:3\n3 qid:c 1:4\n4 qid:b 1:5\n";
  LetorOptions const merge{.returning_qid = fltr::ReturningQid::merge};
  auto const data = fltr::parse_letor(text, "x", merge);
  auto const rows = parse_letor_double_rows(text, "x", merge);
  CHECK(rows.values == std::vector<double>{1, 3, 2, 5, 4});
  for (std::size_t q = 0; q < data.size(); ++q)
    for (std::size_t d = 0; d < data[q].document_count(); ++d)
      CHECK(rows.row(data.first_document(q) + d)[0] == static_cast<double>(data[q].row(d)[0]));
}

TEST_CASE("Double rows are refused at the same line and column as by parse_letor") {
  auto const where = [](auto const& parse, std::string const& text, LetorOptions const& options) {
    try {
      (void)parse(text, "bad.txt", options);
    } catch (ParseError const& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  std::string const good = "0 qid:1 1:1\n";
  for (std::string const bad :
       {"x qid:1\n", "1 1:1\n", "1 qid:1 1:nan\n", "1 qid:1 1:1 2:-inf\n", "1 qid:1 1:1 1:2\n", "1 qid:1 3:1\n",
        "1 qid:1 0:1\n", "1 qid:1 1:1x\n", "1 qid:1 1:0.12345678901234567x\n", "0 qid:2\n0 qid:1\n"})
    for (std::size_t const chunk : {1U, 1000U}) {
      INFO(bad);
      LetorOptions const options{.feature_count = 2, .threads = 2, .chunk_bytes = chunk};
      auto const message = where([](auto const&... a) { return parse_letor_double_rows(a...); }, good + bad, options);
      CHECK_THAT(message, ContainsSubstring("bad.txt:"));
      CHECK(message == where([](auto const&... a) { return fltr::parse_letor(a...); }, good + bad, options));
    }
  CHECK_THROWS_WITH(parse_letor_double_rows(good + "1 qid:1 1:nan\n", "x"),
                    ContainsSubstring("x:2:11: expected a finite decimal number"));
  CHECK_THROWS_AS(parse_letor_double_rows("# nothing\n", "x"), ParseError);
}

TEST_CASE("Double rows of a file are those of its text") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "rows.txt";
  auto const random = random_text(2, 20);
  std::ofstream(path, std::ios::binary) << random.text;
  CHECK(same_rows(fltr::read_letor_double_rows(path), {20, 30, random.values}));
  CHECK_THROWS_AS(fltr::read_letor_double_rows(folder.path() / "missing.txt"), std::system_error);
}
