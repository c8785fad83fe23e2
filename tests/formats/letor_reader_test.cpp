#include <fltr/formats/letor_reader.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/formats/letor_double_rows.hpp>

#include "support/catch.hpp"
#include "support/reference_letor.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

using fltr::Dataset;
using fltr::Grade;
using fltr::LetorOptions;
using fltr::parse_letor;
using fltr::ParseError;
using fltr::ReturningQid;
using fltr::testing::same_dataset;

namespace {

std::vector<float> row(Dataset const& data, std::size_t query, std::size_t document) {
  auto const values = data[query].row(document);
  return {values.begin(), values.end()};
}

std::vector<int> grades(Dataset const& data, std::size_t query) {
  auto const grades = data[query].grades();
  return {grades.begin(), grades.end()};
}

// Whether the reader and the slow one say the same about a text.
void check_against_slow(std::string const& text, LetorOptions const& options = {}) {
  INFO(text);
  auto const expected = fltr::testing::ReferenceLetor::read(text);
  std::optional<Dataset> data;
  try {
    data = parse_letor(text, "x", options);
  } catch (ParseError const& error) {
    REQUIRE(error.line() >= 1);
    REQUIRE(error.column() >= 1);
  }
  REQUIRE(data.has_value() == expected.has_value());
  if (!data) return;
  REQUIRE(data->document_count() == expected->size());
  bool any_docid = false;
  std::size_t widest = 0;
  for (auto const& document : *expected) {
    any_docid = any_docid || !document.docid.empty();
    if (!document.features.empty()) widest = std::max(widest, document.features.rbegin()->first);
  }
  REQUIRE(data->feature_count() == widest);
  REQUIRE(data->has_docids() == any_docid);
  std::size_t d = 0;
  for (std::size_t q = 0; q < data->size(); ++q)
    for (std::size_t i = 0; i < (*data)[q].document_count(); ++i, ++d) {
      auto const& document = (*expected)[d];
      REQUIRE((*data)[q].grades()[i] == document.grade);
      REQUIRE(data->qid(q) == document.qid);
      if (any_docid) REQUIRE(data->docid(d) == document.docid);
      for (std::size_t k = 0; k < data->stride(); ++k) {
        auto const found = document.features.find(k + 1);
        float const value = found != document.features.end() ? found->second : 0.0F;
        REQUIRE(std::bit_cast<std::uint32_t>((*data)[q].rows()[i * data->stride() + k]) ==
                std::bit_cast<std::uint32_t>(value));
      }
    }
}

std::string random_text(std::uint64_t seed, std::size_t documents, bool returning = false) {
  fltr::Stream stream(seed);
  std::string text;
  for (std::size_t d = 0; d < documents; ++d) {
    if (stream.below(20) == 0) text += stream.bernoulli(0.5) ? "# a comment: 7:7\n" : " \t\r\n";
    text += std::to_string(stream.below(5)) + " qid:" + std::to_string(returning ? stream.below(9) : d / 7);
    std::vector<std::uint32_t> ids(40);
    for (std::uint32_t i = 0; i < 40; ++i) ids[i] = i + 1;
    if (stream.bernoulli(0.2)) stream.shuffle(std::span(ids));
    for (auto const id : ids)
      if (stream.bernoulli(0.4)) text += ' ' + std::to_string(id) + ':' + std::to_string(stream.normal());
    if (stream.bernoulli(0.3)) text += " #docid = D" + std::to_string(d) + " inc = 1";
    text += stream.bernoulli(0.1) ? "\r\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("A LETOR text becomes a Dataset") {
  auto const data = parse_letor(
      "# Whole lines may be comments: 9:9\n"
      "2 qid:10032 1:0.056537 2:0.000000 3:0.666667 46:0.076923 #docid = GX029-35-5894638 inc = 0.0119 prob = "
      "0.139842\n"
      "0 qid:10032 1:0.279152 46:1 #docid = GX030-77-6315042 inc = 1 prob = 0.341364\n"
      "\n"
      "1 qid:A-7 3:-2.5e-1 #docid = GX140-98-13566007 inc = 1 prob = 0.0701303\n",
      "x");
  REQUIRE(data.size() == 2);
  CHECK(data.document_count() == 3);
  CHECK(data.feature_count() == 46);
  CHECK(data.grade_count() == 3);
  CHECK(data.qid(0) == "10032");
  CHECK(data.qid(1) == "A-7");
  CHECK(grades(data, 0) == std::vector{2, 0});
  CHECK(grades(data, 1) == std::vector{1});
  CHECK(row(data, 0, 0)[0] == 0.056537F);
  CHECK(row(data, 0, 0)[2] == 0.666667F);
  CHECK(row(data, 0, 0)[3] == 0.0F);
  CHECK(row(data, 0, 1)[45] == 1.0F);
  CHECK(row(data, 1, 0)[2] == -0.25F);
  CHECK(data.docid(0) == "GX029-35-5894638");
  CHECK(data.docid(2) == "GX140-98-13566007");
}

TEST_CASE("Grades may be written as decimals") {
  auto const data = parse_letor("2.0 qid:1\n3. qid:1\n0e5 qid:1\n30 qid:1\n1.000000e+00\tqid:1\n+4 qid:1\n", "x");
  CHECK(grades(data, 0) == std::vector{2, 3, 0, 30, 1, 4});
  CHECK(data.feature_count() == 0);
}

TEST_CASE("Blanks, line ends and a byte-order mark do not change the Dataset") {
  auto const expected = parse_letor("1 qid:1 1:1 2:2\n0 qid:2 1:3\n", "x");
  for (char const* text : {"1 qid:1 1:1 2:2\r\n0 qid:2 1:3\r\n",
                           "\xEF\xBB\xBF"
                           "1 qid:1 1:1 2:2\n0 qid:2 1:3\n",
                           "1\tqid:1\t1:1\t2:2\n0\tqid:2\t1:3\n", "  1  qid:1   1:1 \t 2:2  \n\t0 qid:2 1:3 \t\r\n",
                           "1 qid:1 1:1 2:2\n0 qid:2 1:3", "1 qid:1 1:1 2:2\n0 qid:2 1:3 ",
                           "1 qid:1 1:1 2:2\n0 qid:2 1:3\r", "\n\n1 qid:1 1:1 2:2#\n \n#\n0 qid:2 1:3 # x\n\n",
                           "1 qid:1 2:2 1:1\n0 qid:2 1:3 2:0\n", "1 qid:1 1:1 2:2\r\r\n0 qid:2 1:3\n# end"}) {
    INFO(text);
    CHECK(same_dataset(parse_letor(text, "x"), expected));
  }
}

TEST_CASE("Of a comment, only the docid is kept") {
  auto const text = [](std::string const& comment) { return "0 qid:1 1:1 " + comment + "\n"; };
  for (char const* comment : {"#docid = D#1", "# docid=D#1", "#\tdocid =\tD#1 inc = 1", "#docid = D#1\r"})
    CHECK(parse_letor(text(comment), "x").docid(0) == "D#1");
  for (char const* comment : {"", "#", "# 12", "#docid", "#docid =", "#docid = ", "#docids = 3", "# the docid = 3"})
    CHECK(!parse_letor(text(comment), "x").has_docids());
  auto const some = parse_letor("0 qid:1\n0 qid:1 #docid = D1\n0 qid:1\n", "x", {.chunk_bytes = 1});
  REQUIRE(some.has_docids());
  CHECK(some.docid(0).empty());
  CHECK(some.docid(1) == "D1");
  CHECK(some.docid(2).empty());
}

TEST_CASE("A file without documents is refused") {
  for (char const* text : {"", "\n", "# only a comment", "\xEF\xBB\xBF", " \t\r\n\n"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_letor(text, "x"), ParseError);
    CHECK_THROWS_WITH(parse_letor(text, "x"), ContainsSubstring("holds none"));
  }
}

TEST_CASE("A file truncated at any byte is read as the remaining text, or refused") {
  std::string const text =
      "2 qid:10 1:0.5 2:-1.25e-1 7:12345678.5 #docid = GX000-00-0000000 inc = 1 prob = 0.02\r\n"
      "0.0\tqid:10\t3:.5 1:1e400 \n"
      "1 qid:q_11 12:0.333333 4:007 # 5:5";
  for (std::size_t size = 0; size <= text.size(); ++size)
    for (std::size_t const chunk : {std::size_t{1}, std::size_t{1} << 20U})
      check_against_slow(text.substr(0, size), {.threads = 2, .chunk_bytes = chunk});
  REQUIRE(parse_letor(text, "x").document_count() == 3);
}

TEST_CASE("A file with changed bytes is read as a valid Dataset, or refused") {
  std::string const text =
      "2 qid:10 1:0.5 2:-1.25e-1 7:12 #docid = GX0 inc = 1\r\n0.0\tqid:10\t3:.5 1:1e4 \n1 qid:11 12:0.3 4:7\n";
  std::string_view const bytes("0123456789.:-+eEqid#= \t\r\n\0\x7F\xFF", 28);
  fltr::Stream stream(21);
  std::size_t accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (std::uint32_t n = 1 + stream.below(3); n > 0; --n) {
      auto const place = stream.below(static_cast<std::uint32_t>(damaged.size()));
      char const byte = bytes[stream.below(static_cast<std::uint32_t>(bytes.size()))];
      switch (stream.below(3)) {
        case 0:
          damaged[place] = byte;
          break;
        case 1:
          damaged.insert(place, 1, byte);
          break;
        default:
          damaged.erase(place, 1);
      }
    }
    check_against_slow(damaged);
    accepted += fltr::testing::ReferenceLetor::read(damaged) ? 1U : 0U;
  }
  CHECK(accepted > 300);  // both cases occur
  CHECK(accepted < 2700);
}

TEST_CASE("The Dataset does not depend on the number of threads or the size of chunks") {
  std::string const text = random_text(1, 500);
  auto const expected = parse_letor(text, "x", {.threads = 1});
  REQUIRE(expected.document_count() == 500);
  REQUIRE(expected.size() == 72);
  check_against_slow(text.substr(0, 20'000));
  for (std::size_t const chunk : {1U, 37U, 1000U, 50'000U})
    for (std::size_t const threads : {1U, 2U, 3U, 8U, 0U})
      CHECK(same_dataset(parse_letor(text, "x", {.threads = threads, .chunk_bytes = chunk}), expected));
}

TEST_CASE("The first of several errors is reported, for any number of threads") {
  std::string text = random_text(2, 300);
  auto const line_of = [&text](std::size_t at) {
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  for (std::size_t i = 5; i < 100; ++i) {
    std::size_t const at = text.find(':', i * text.size() / 100);
    text[at] = ';';
  }
  std::size_t const first = text.find(';');
  std::size_t const line_begin = text.rfind('\n', first) + 1;
  // Behind a number it is the ';' that does not fit; in "qid;" too.
  for (std::size_t const chunk : {1U, 100U, 5000U})
    for (std::size_t const threads : {1U, 2U, 8U}) try {
        (void)parse_letor(text, "x", {.threads = threads, .chunk_bytes = chunk});
        FAIL("no error");
      } catch (ParseError const& error) {
        REQUIRE(error.line() == line_of(first));
        REQUIRE(error.column() == first - line_begin + 1);
      }
}

TEST_CASE("A qid that returns is refused or merged") {
  std::string const text =
      "0 qid:a 1:1 #docid = A1\n"
      "1 qid:b 1:2\n"
      "2 qid:a 1:3 #docid = A2\n"
      "3 qid:c 1:4\n"
      "4 qid:b 1:5 #docid = B2\n";
  for (std::size_t const chunk : {1U, 1000U}) {
    try {
      (void)parse_letor(text, "x", {.chunk_bytes = chunk});
      FAIL("no error");
    } catch (ParseError const& error) {
      CHECK(error.line() == 3);
      CHECK(error.column() == 7);
      CHECK_THAT(error.what(), ContainsSubstring("query a"));
    }
    auto const data = parse_letor(text, "x", {.returning_qid = ReturningQid::merge, .chunk_bytes = chunk});
    REQUIRE(data.size() == 3);
    CHECK(data.qid(0) == "a");
    CHECK(data.qid(1) == "b");
    CHECK(data.qid(2) == "c");
    CHECK(grades(data, 0) == std::vector{0, 2});
    CHECK(grades(data, 1) == std::vector{1, 4});
    CHECK(grades(data, 2) == std::vector{3});
    CHECK(row(data, 0, 1)[0] == 3.0F);
    CHECK(row(data, 1, 1)[0] == 5.0F);
    CHECK(data.docid(0) == "A1");
    CHECK(data.docid(1) == "A2");
    CHECK(data.docid(2).empty());
    CHECK(data.docid(3) == "B2");
    CHECK(data.docid(4).empty());
  }
}

TEST_CASE("Of a returning qid and another error, the first in the file is reported") {
  auto const where = [](std::string const& text) {
    try {
      (void)parse_letor(text, "x", {.chunk_bytes = 1});
    } catch (ParseError const& error) {
      return std::pair(error.line(), error.column());
    }
    return std::pair(std::size_t{0}, std::size_t{0});
  };
  using Place = std::pair<std::size_t, std::size_t>;
  CHECK(where("0 qid:a\n0 qid:b\n0 qid:a\n0 qid:c 1:x\n") == Place(3, 7));
  CHECK(where("0 qid:a\n0 qid:b 1:x\n0 qid:a\n") == Place(2, 11));
  CHECK(where("0 qid:a\n0 qid:b\n0 qid:a 1:x\n") == Place(3, 7));
  CHECK(where("0 qid:a\n0 qid:b\nx qid:a 1:x\n") == Place(3, 1));
}

TEST_CASE("Merging does not depend on the number of threads or the size of chunks") {
  std::string const text = random_text(3, 400, true);
  auto const expected = parse_letor(text, "x", {.returning_qid = ReturningQid::merge, .threads = 1});
  REQUIRE(expected.size() == 9);
  REQUIRE(expected.document_count() == 400);
  for (std::size_t const chunk : {1U, 100U, 5000U})
    CHECK(same_dataset(
        parse_letor(text, "x", {.returning_qid = ReturningQid::merge, .threads = 3, .chunk_bytes = chunk}), expected));
}

TEST_CASE("The number of features is the largest feature number of the file") {
  for (std::size_t const chunk : {1U, 1000U}) {
    LetorOptions const options{.threads = 2, .chunk_bytes = chunk};
    CHECK(parse_letor("0 qid:1 9:1 3:2\n0 qid:1 1:1\n", "x", options).feature_count() == 9);
    CHECK(row(parse_letor("0 qid:1 9:1 3:2\n0 qid:1 1:1\n", "x", options), 0, 0)[8] == 1.0F);
    CHECK(parse_letor("0 qid:1 3:1 # 99:1\n0 qid:1\n", "x", options).feature_count() == 3);
    CHECK(parse_letor("0 qid:1 3:1\n0 qid:1:77\n", "x", options).feature_count() == 3);
    CHECK(parse_letor("0 qid:7:7\n", "x", options).feature_count() == 0);
  }
}

TEST_CASE("Rows are aligned and padded with zeros") {
  auto const data = parse_letor(random_text(4, 50), "x");
  REQUIRE(data.stride() == 40);
  auto const wide = parse_letor("0 qid:1 1:1 9:9\n1 qid:1 2:2\n", "x");
  REQUIRE(wide.stride() == 16);
  CHECK(reinterpret_cast<std::uintptr_t>(wide.parts().features.data()) % 64 == 0);
  for (std::size_t d = 0; d < 2; ++d)
    for (std::size_t k = 9; k < 16; ++k) CHECK(std::bit_cast<std::uint32_t>(wide[0].rows()[d * 16 + k]) == 0);
}

TEST_CASE("A LETOR file is read like its text") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "train.txt";
  // Sizes around a page: the reader looks ahead, but not beyond the mapping.
  std::string text = random_text(5, 20);
  text.resize(text.rfind('\n', 4000) + 1);
  for (std::size_t size = 4080; size <= 4100; ++size)
    for (bool const line_feed : {true, false}) {
      std::string padded = text + "1 qid:last 1:0.";
      padded.append(size - padded.size() - (line_feed ? 1 : 0), '5');
      if (line_feed) padded += '\n';
      REQUIRE(padded.size() == size);
      std::ofstream(path, std::ios::binary) << padded;
      REQUIRE(same_dataset(fltr::read_letor(path), parse_letor(padded, "x")));
    }
  std::ofstream(path) << "0 qid:1 1:x\n";
  CHECK_THROWS_WITH(fltr::read_letor(path), ContainsSubstring(path.string() + ":1:11: expected"));
  std::ofstream(path).flush();
  CHECK_THROWS_AS(fltr::read_letor(path), ParseError);
  CHECK_THROWS_AS(fltr::read_letor(folder.path() / "missing.txt"), std::system_error);
}

TEST_CASE("The number of clamped values is reported") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1 qid:" + std::to_string(i) + " 1:1e6 2:-1000001 3:1.79769313486e+308\n";
  for (std::size_t const chunk : {std::size_t{64}, std::size_t{1} << 20U}) {
    fltr::LetorReport report;
    auto const data = fltr::parse_letor(text, "x", {.chunk_bytes = chunk}, &report);
    CHECK(report.clamped == 200);
    CHECK(data[0].row(0)[1] == -1e6F);
    static_cast<void>(fltr::parse_letor(text, "x", {.clamp_to = 3e38, .chunk_bytes = chunk}, &report));
    CHECK(report.clamped == 100);
  }
  fltr::LetorReport report;
  // The last feature of a line is not the largest, so the text is read twice. Each value counts once.
  static_cast<void>(fltr::parse_letor("1 qid:1 9:1e7 1:1\n", "x", {}, &report));
  CHECK(report.clamped == 1);
  CHECK(fltr::parse_letor_double_rows("1 qid:1 1:1e7 2:1e400\n", "x").report.clamped == 1);
}
