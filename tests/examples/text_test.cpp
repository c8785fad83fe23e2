#include "support/text.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace fltr::examples;

TEST_CASE("Shortest decimals read back exactly") {
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(3) == "3");
  CHECK(shortest(1.0 / 3) == "0.3333333333333333");
  CHECK(shortest(1e-5) == "1e-05");
  CHECK(shortest(std::numeric_limits<double>::infinity()) == "inf");
  for (double const value : {0.1 + 0.2, std::sqrt(2.0), 5e-324, 1.7976931348623157e308})
    CHECK(std::strtod(shortest(value).c_str(), nullptr) == value);
}

TEST_CASE("Large numbers, rates and durations are abbreviated") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(abbreviated(950) == "950");
  CHECK(abbreviated(12345) == "12.3k");
  CHECK(abbreviated(999'900) == "1M");
  CHECK(abbreviated(std::nan("")) == "-");
  CHECK(duration(0.4249) == "0.42 s");
  CHECK(duration(12.34) == "12.3 s");
  CHECK(duration(245) == "4:05");
  CHECK(duration(7390) == "2:03:10");
  CHECK(duration(-1) == "-");
}

TEST_CASE("A text with anything besides a number is not a number") {
  CHECK(parse_number(".5") == 0.5);
  CHECK(parse_number("-1e-3") == -0.001);
  for (auto const* text : {"", " ", "nan", "inf", "-inf", "1e400", "1,5", "0.5 ", "x1"})
    CHECK_FALSE(parse_number(text));
  CHECK(parse_whole("18446744073709551615") == 18446744073709551615ULL);
  for (auto const* text : {"", "-1", "+1", "1.0", "1e3", "18446744073709551616", " 1"}) CHECK_FALSE(parse_whole(text));
}

TEST_CASE("Splitting keeps empty parts") {
  CHECK(split_text("", ',').empty());
  CHECK(split_text("a", ',') == std::vector<std::string>{"a"});
  CHECK(split_text("a,,b,", ',') == std::vector<std::string>{"a", "", "b", ""});
  CHECK(join({"a", "b"}, ", ") == "a, b");
}

TEST_CASE("CSV fields are quoted where RFC 4180 requires it") {
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_field("carriage\rreturn") == "\"carriage\rreturn\"");
  CHECK(csv_field("").empty());
}

TEST_CASE("XML text is escaped, and bytes that are not UTF-8 become U+FFFD") {
  CHECK(xml_text("<a & \"b\">") == "&lt;a &amp; &quot;b&quot;&gt;");
  CHECK(xml_text("€") == "€");
  CHECK(xml_text(std::string("\0", 1)) == "\xEF\xBF\xBD");
  CHECK(xml_text("\xc3") == "\xEF\xBF\xBD");                          // cut in the middle of a character
  CHECK(xml_text("\xed\xa0\x80").find('\xed') == std::string::npos);  // a surrogate
  CHECK(xml_text("\xc0\xaf").find('\xc0') == std::string::npos);      // a slash in too many bytes
}

TEST_CASE("Lines break at blanks") {
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("extraordinarily long", 5) == std::vector<std::string>{"extraordinarily", "long"});
  CHECK(wrapped("ä ö ü", 3) == std::vector<std::string>{"ä ö", "ü"});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("Errors of the library lose the names of its types and members, and nothing else") {
  CHECK(without_library_names("ByLabel: required at least 3 clients, got 2") == "required at least 3 clients, got 2");
  CHECK(without_library_names("Training::forget: required a client, got 7") == "required a client, got 7");
  CHECK(without_library_names("a.txt:3:1: expected one query, but it came before (see ReturningQid::merge)") ==
        "a.txt:3:1: expected one query, but it came before");
  for (auto const* text : {"--clients: required 1, got 0", "Fold1/x: required a folder", "two Words: required 1, got 2",
                           "no value (see --clamp)", "Fold1: no train.txt", "--data: required a (see the help", ""})
    CHECK(without_library_names(text) == text);
}

TEST_CASE("A long path is shortened to whole names") {
  std::string const path = "/home/somebody/data/MQ2008/Fold1";
  CHECK(shortened_path(path, 40) == path);
  CHECK(shortened_path(path, 32) == path);
  CHECK(shortened_path(path, 31) == ".../somebody/data/MQ2008/Fold1");
  CHECK(shortened_path(path, 20) == ".../MQ2008/Fold1");
  CHECK(shortened_path(path, 15) == ".../Fold1");
  CHECK(shortened_path(path, 2) == ".../Fold1");
  CHECK(shortened_path("/data/MQ2008/", 9) == ".../MQ2008/");
  CHECK(shortened_path("synthetic:mq2007:0.05", 3) == "synthetic:mq2007:0.05");
  CHECK(shortened_path("", 0).empty());
}
