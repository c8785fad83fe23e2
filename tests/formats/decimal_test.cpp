#include <fltr/formats/detail/decimal.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

struct Read {
  bool valid;
  std::size_t size;  // bytes up to the end, or up to what does not fit
  double value;
  float nearest;  // only where the double is within float
};

Read read(std::string text) {
  std::size_t const size = text.size();
  text += '\n' + std::string(fltr::detail::decimal_read_ahead, '7');  // digits behind the end must not matter
  auto const number = fltr::detail::read_decimal(text.data());
  Read result{number.valid, static_cast<std::size_t>(number.end - text.data()), 0.0, 0.0F};
  if (number.valid) {
    REQUIRE(result.size <= size);
    result.value = number.to_double();
    if (std::abs(result.value) <= static_cast<double>(std::numeric_limits<float>::max()))
      result.nearest = number.to_float(result.value);
  }
  return result;
}

auto bits(double value) { return std::bit_cast<std::uint64_t>(value); }
auto bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// The C library is the oracle: it rounds to the nearest, ties to even.
void check(std::string const& text) {
  INFO(text);
  auto const got = read(text);
  REQUIRE(got.valid);
  CHECK(got.size == text.size());
  double const expected = std::strtod(text.c_str(), nullptr);
  CHECK(bits(got.value) == bits(expected));
  if (std::abs(expected) <= static_cast<double>(std::numeric_limits<float>::max()))
    CHECK(bits(got.nearest) == bits(std::strtof(text.c_str(), nullptr)));
  double quick = 0.0;
  std::string const line = text + '\n' + std::string(fltr::detail::decimal_read_ahead, '7');
  if (char const* const end = fltr::detail::read_short_decimal(line.data(), quick)) {
    CHECK(end == line.data() + text.size());
    CHECK(bits(quick) == bits(expected));
  }
}

}  // namespace

TEST_CASE("Decimals of every form are read as the nearest double and float") {
  for (char const* text : {"0",
                           "-0",
                           "+0",
                           "1",
                           "-1",
                           "+1",
                           "5.",
                           ".5",
                           "-.5",
                           "007",
                           "0.1",
                           "12345678",
                           "1234567.1234567",
                           "0.12345678",
                           "123456789012345678",
                           "1234567890123456789",
                           "12345678901234567890",
                           "0.1234567890123456789012345",
                           "9007199254740993",
                           "9007199254740992.5",
                           "1e22",
                           "1e23",
                           "123e-22",
                           "123e-23",
                           "1E5",
                           "1e+5",
                           "1e05",
                           "1.5e-3",
                           "1.79769313486e+308",
                           "1.7976931348623157e308",
                           "4.9e-324",
                           "2.2250738585072011e-308",
                           "0e999",
                           "0.0e-999",
                           "100000000000000000000000000000000000000000e-40",
                           "3.4028235e38",
                           "1.17549435e-38"})
    check(text);
}

TEST_CASE("A decimal is rounded to float once, not first to double") {
  // Halfway between the floats 16777216 and 16777218, and a little more: by way of double the little is lost.
  check("16777217");
  check("16777219");
  check("16777217.000000000000000001");
  check("-16777217.000000000000000001");
  check("1.00000017881393432617187499");  // halfway between 1 + 2^-23 and 1 + 2^-22, a little less
  check("1.00000017881393432617187500");
  check("1.00000017881393432617187501");
  // Subnormal floats: half of the least one is 7.006492321624085e-46.
  for (char const* text : {"1e-45", "7.0e-46", "7.0064923216240853e-46", "7.0064923216240854e-46", "7.1e-46", "1e-60",
                           "-1e-45", "1.1e-38", "5.877471754111438e-39"})
    check(text);
}

TEST_CASE("Numbers beyond the range of double become infinite or zero, never NaN") {
  auto const infinity = std::numeric_limits<double>::infinity();
  CHECK(read("1e400").value == infinity);
  CHECK(read("-1e400").value == -infinity);
  CHECK(read("1e99999999999999999999999999").value == infinity);
  CHECK(read("1" + std::string(400, '0')).value == infinity);
  CHECK(read("0." + std::string(400, '0') + "1e800").value == infinity);
  CHECK(bits(read("1e-400").value) == bits(0.0));
  CHECK(bits(read("-1e-400").value) == bits(-0.0));
  CHECK(bits(read("1e-99999999999999999999999999").value) == bits(0.0));
  CHECK(bits(read("0." + std::string(400, '0') + "1").value) == bits(0.0));
  CHECK(bits(read("1" + std::string(400, '0') + "e-800").value) == bits(0.0));
  CHECK(read("1" + std::string(400, '0') + "e-400").value == 1.0);
}

TEST_CASE("Text that is not a decimal is refused at the first byte that does not fit") {
  for (auto const& [text, size] : {std::pair{"", 0},
                                   {"-", 1},
                                   {"+", 1},
                                   {".", 1},
                                   {"-.", 2},
                                   {"nan", 0},
                                   {"-inf", 1},
                                   {"abc", 0},
                                   {"1e", 2},
                                   {"1e+", 3},
                                   {"1.5E-x", 5},
                                   {"--1", 1},
                                   {"e5", 0},
                                   {".e5", 1}}) {
    INFO(text);
    auto const got = read(text);
    CHECK(!got.valid);
    CHECK(got.size == static_cast<std::size_t>(size));
  }
  // The rest is the caller's to judge.
  for (auto const& [text, size] : {std::pair{"1.2.3", 3}, {"0x1p3", 1}, {"1,5", 1}, {"1e5e5", 3}, {"12ab", 2}}) {
    INFO(text);
    auto const got = read(text);
    CHECK(got.valid);
    CHECK(got.size == static_cast<std::size_t>(size));
  }
}

TEST_CASE("Random decimals are read as by the C library") {
  fltr::Stream stream(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = stream.bernoulli(0.3) ? "-" : "";
    for (auto digits = stream.below(12); digits > 0; --digits) text += static_cast<char>('0' + stream.below(10));
    if (stream.bernoulli(0.7)) {
      text += '.';
      for (auto digits = stream.below(stream.bernoulli(0.1) ? 40 : 10); digits > 0; --digits)
        text += static_cast<char>('0' + stream.below(10));
    }
    text += static_cast<char>('0' + stream.below(10));
    if (stream.bernoulli(0.3)) text += "e" + std::to_string(static_cast<int>(stream.below(90)) - 45);
    check(text);
  }
}

TEST_CASE("The shortest decimal of a float is read as that float") {
  fltr::Stream stream(12);
  for (int i = 0; i < 50'000; ++i) {
    auto const value = std::bit_cast<float>(stream());
    if (!std::isfinite(value)) continue;
    std::array<char, 64> text{};
    auto* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    std::string const shortest(text.data(), end);
    REQUIRE(bits(read(shortest).nearest) == bits(value));
  }
}

TEST_CASE("rounds_twice_right is false exactly halfway between two floats and for subnormal floats") {
  auto const expected = [](double value) {
    if (value == 0.0) return true;
    if (std::abs(value) < static_cast<double>(std::numeric_limits<float>::min())) return false;
    // Halfway: of the 52 bits of the mantissa, the last 29 are a one and 28 zeros. Then value has the same distance to
    // the floats on both sides.
    int exponent = 0;
    double const scaled = std::ldexp(std::frexp(value, &exponent), 25);
    return !(std::floor(scaled) == scaled && std::fmod(scaled, 2.0) != 0.0);
  };
  fltr::Stream stream(31);
  std::size_t halfway = 0;
  auto const check = [&](std::uint64_t bits) {
    auto const value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) return;
    if (!expected(value)) ++halfway;
    REQUIRE(fltr::detail::Decimal::rounds_twice_right(value) == expected(value));
  };
  for (double const value : {0.0, -0.0, 0x1p-126, -0x1p-126, 0x1p-127, 0x1.fffffffffffffp-127, 1.0 + 0x1p-24, 1e-320})
    check(std::bit_cast<std::uint64_t>(value));
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    std::uint64_t const bits = stream.bits64();
    check(bits);
    check((bits & ~std::uint64_t{0x1FFF'FFFF}) | 0x1000'0000U);         // halfway
    check((bits & 0x800F'FFFF'FFFF'FFFFU) | ((0x380 + i % 3) << 52U));  // around the smallest normal float
    check(bits & 0x8000'0000'0000'00FFU);                               // subnormal doubles and zeros
  }
  CHECK(halfway > 100'000);
}
