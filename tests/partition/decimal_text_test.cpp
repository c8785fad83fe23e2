#include <fltr/partition/detail/decimal_text.hpp>

#include <charconv>
#include <limits>

#include "support/catch.hpp"

using fltr::detail::decimal_text;
using fltr::detail::three_decimals;

TEST_CASE("Numbers are written as printf writes them in the locale C") {
  CHECK(three_decimals(0.0) == "0.000");
  CHECK(three_decimals(0.9996) == "1.000");
  CHECK(three_decimals(0.0625) == "0.062");  // an exact tie goes to the even digit
  CHECK(three_decimals(-1234.5) == "-1234.500");
  CHECK(three_decimals(std::numeric_limits<double>::lowest()).size() == 314);  // a sign, 309 digits, ".000"
  CHECK(decimal_text(0.00001, std::chars_format::general, 5) == "1e-05");
  CHECK(decimal_text(1.0 / 3, std::chars_format::general, 5) == "0.33333");
  CHECK(decimal_text(76.38, std::chars_format::general, 5) == "76.38");
  CHECK(decimal_text(123456.0, std::chars_format::general, 5) == "1.2346e+05");
}
