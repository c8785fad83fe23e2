#include <fltr/core/number_text.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using fltr::number_text;

namespace {

template <class T>
std::string streamed(T number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

TEST_CASE("number_text gives integers in full") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(-17) == "-17");
  CHECK(number_text(std::uint8_t{65}) == "65");
  CHECK(number_text(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(number_text(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(number_text(true) == "1");
  CHECK(number_text(false) == "0");
}

TEST_CASE("number_text gives floating-point numbers with the characters of std::ostream") {
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(1e30F) == "1e+30");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (double const x : {0.0, -0.0, 1.0, 0.1, 1e5, 1e6, 999999.5, 1e-4, 1e-5, 123456.5, 1.5e300, 5e-324, infinity,
                         -infinity, std::numeric_limits<double>::quiet_NaN()})
    CHECK(number_text(x) == streamed(x));
  fltr::Stream stream(1);
  for (int i = 0; i < 10'000; ++i) {
    auto const any = std::bit_cast<double>(stream.bits64());
    REQUIRE(number_text(any) == streamed(any));
    double const common = static_cast<double>(stream.below(2'000'000)) / (1.0 + stream.below(1000));
    REQUIRE(number_text(common) == streamed(common));
    auto const single = std::bit_cast<float>(stream());
    REQUIRE(number_text(single) == streamed(single));
  }
}
