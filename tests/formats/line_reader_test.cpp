#include <fltr/formats/detail/line_reader.hpp>

#include "support/catch.hpp"

using fltr::detail::LineReader;

TEST_CASE("Lines end in LF or CR LF, and the last line may have no end") {
  LineReader lines("one\r\n\ntwo");
  CHECK(lines.number() == 0);
  REQUIRE(lines.next());
  CHECK(lines.line() == "one");
  CHECK(lines.number() == 1);
  CHECK(lines.offset() == 0);
  REQUIRE(lines.next());
  CHECK(lines.line().empty());
  CHECK(lines.offset() == 5);
  REQUIRE(lines.next());
  CHECK(lines.line() == "two");
  CHECK(lines.number() == 3);
  CHECK(lines.offset() == 6);
  CHECK_FALSE(lines.next());
  CHECK(lines.line().empty());
  CHECK(lines.number() == 3);
  CHECK(lines.offset() == 9);
}

TEST_CASE("A byte-order mark is not part of the first line") {
  LineReader lines("\xEF\xBB\xBFone\n");
  REQUIRE(lines.next());
  CHECK(lines.line() == "one");
  CHECK(lines.offset() == 3);
  CHECK_FALSE(lines.next());
  CHECK_FALSE(LineReader("").next());
}
