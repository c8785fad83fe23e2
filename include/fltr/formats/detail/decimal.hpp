#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// A decimal number in a text: `[+-] digits [. digits] [e [+-] digits]`, with at least one digit before or after the
/// point. read_decimal finds the parts; to_double and to_float compute the number.
struct Decimal {
  char const* begin = nullptr;  ///< after the sign
  char const* end = nullptr;    ///< after the number; if `valid` is false, the byte that does not fit
  std::uint64_t mantissa = 0;   ///< all digits, if there are at most 19
  std::int64_t exponent = 0;    ///< of the last digit
  std::size_t digits = 0;
  bool negative = false;
  bool valid = false;

  /// The nearest double; ±infinity beyond the range of double, never NaN. Requires `valid`.
  [[nodiscard]] double to_double() const noexcept {
    double magnitude = 0.0;
    if (!exact_in_double(magnitude)) {
      if (std::from_chars(begin, end, magnitude).ec != std::errc{})
        magnitude = is_large() ? std::numeric_limits<double>::infinity() : 0.0;
    }
    return negative ? -magnitude : magnitude;
  }

  /// The nearest float, given `value`, the nearest double. Requires |value| within the range of float.
  [[nodiscard]] float to_float(double value) const noexcept {
    float magnitude = 0.0F;
    if (rounds_twice_right(value) || std::from_chars(begin, end, magnitude).ec != std::errc{})
      return static_cast<float>(value);
    return negative ? -magnitude : magnitude;
  }

  /// Whether rounding to double and then to float equals rounding once. False if it may differ: the double is halfway
  /// between two floats, or the float is subnormal. There is no branch, because the digits are random.
  [[nodiscard]] static bool rounds_twice_right(double value) noexcept {
    constexpr auto smallest = std::bit_cast<std::uint64_t>(static_cast<double>(std::numeric_limits<float>::min()));
    auto const bits = std::bit_cast<std::uint64_t>(value);
    unsigned const halfway = (bits & 0x1FFF'FFFFU) == 0x1000'0000U ? 1 : 0;
    // The shift removes the sign. Zero becomes the largest integer, so that it is not tiny.
    unsigned const tiny = (bits << 1U) - 1 < (smallest << 1U) - 1 ? 1 : 0;
    return (halfway | tiny) == 0;
  }

 private:
  // Clinger (1990): a mantissa below 2^53 and a power of ten up to 10^22 are exact doubles, so one operation rounds
  // once.
  [[nodiscard]] bool exact_in_double(double& magnitude) const noexcept {
    static constexpr std::array<double, 23> power_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits > 19 || mantissa >> 53U != 0 || exponent < -22 || exponent > 22) return false;
    magnitude = static_cast<double>(mantissa);
    if (exponent < 0)
      magnitude /= power_of_ten[static_cast<std::size_t>(-exponent)];
    else
      magnitude *= power_of_ten[static_cast<std::size_t>(exponent)];
    return true;
  }

  // from_chars reports the same error for too large and too small: the place of the leading digit decides.
  [[nodiscard]] bool is_large() const noexcept {
    auto place = exponent + static_cast<std::int64_t>(digits);
    for (char const* at = begin; at != end && (*at == '0' || *at == '.'); ++at) place -= *at == '0' ? 1 : 0;
    return place > 0;
  }
};

[[nodiscard]] constexpr bool is_digit(char byte) noexcept { return static_cast<unsigned char>(byte - '0') < 10; }

/// The number of bytes after the byte that ends a number which the functions below may read.
inline constexpr std::size_t decimal_read_ahead = 16;

/// The digits at the beginning of a block of eight bytes.
class DigitBlock {
 public:
  explicit DigitBlock(char const* at) noexcept {
    static_assert(std::endian::native == std::endian::little, "the first byte of a text is the lowest of a word");
    std::memcpy(&word_, at, sizeof word_);
    word_ ^= 0x3030'3030'3030'3030U;  // digits become 0 to 9
    // Any other byte has its high bit set, or gets it by adding 0x76. A carry reaches only later bytes.
    std::uint64_t const other = ((word_ + 0x7676'7676'7676'7676U) | word_) & 0x8080'8080'8080'8080U;
    size_ = static_cast<unsigned>(std::countr_zero(other)) / 8;
  }

  [[nodiscard]] unsigned size() const noexcept { return size_; }

  /// The value of the digits, without a branch on their number. Requires size() < 8.
  [[nodiscard]] std::uint64_t value() const noexcept { return join((word_ << (56 - 8 * size_)) << 8U); }

  /// value · 10^size() + the digits.
  [[nodiscard]] std::uint64_t append_to(std::uint64_t value) const noexcept {
    return value * power_of_ten[size_] + join(size_ == 8 ? word_ : (word_ << (56 - 8 * size_)) << 8U);
  }

  static constexpr std::array<std::uint32_t, 9> power_of_ten{1,       10,        100,        1'000,      10'000,
                                                             100'000, 1'000'000, 10'000'000, 100'000'000};

 private:
  // The digits are at the high end, preceded by zeros: neighbours are combined to pairs, fours and all eight.
  static std::uint64_t join(std::uint64_t word) noexcept {
    word = (10 * word + (word >> 8U)) & 0x00FF'00FF'00FF'00FFU;
    word = (100 * word + (word >> 16U)) & 0x0000'FFFF'0000'FFFFU;
    return (10'000 * word + (word >> 32U)) & 0xFFFF'FFFFU;
  }

  std::uint64_t word_;
  unsigned size_;
};

/// Reads all digits at `at`: value = value · 10^n + digits. Returns the first byte that is not a digit. `value`
/// is meaningless after more than 19 digits.
[[nodiscard]] inline char const* read_digits(char const* at, std::uint64_t& value) noexcept {
  for (;;) {
    DigitBlock const block(at);
    value = block.append_to(value);
    at += block.size();
    if (block.size() < 8) return at;
  }
}

/// Reads a number of the most common form: up to seven digits, a point, up to seven digits, then a blank or line end.
/// Such a number is the quotient of two exact doubles. Returns the end of the number, or nullptr for any other form,
/// which read_decimal reads. No branch depends on the digits.
[[gnu::always_inline]] inline char const* read_short_decimal(char const* at, double& value) noexcept {
  static constexpr std::array<double, 9> power_of_ten{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  bool const negative = *at == '-';
  DigitBlock const whole(at + negative);
  char const* const point = at + negative + whole.size();
  char const* const fraction = point + (*point == '.');
  DigitBlock const parts(fraction);
  char const* const end = fraction + parts.size();
  bool const is_short = whole.size() < 8 && parts.size() < 8 && end > at + negative + (*point == '.');
  if (!is_short || static_cast<unsigned char>(*end) > ' ') [[unlikely]]
    return nullptr;
  std::uint64_t const mantissa = whole.value() * DigitBlock::power_of_ten[parts.size()] + parts.value();
  double const magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa)) / power_of_ten[parts.size()];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | (std::uint64_t{negative} << 63U));
  return end;
}

/// Reads the number that starts at `at`. A byte that is not part of a number (a blank, the end of the line) must
/// follow, and decimal_read_ahead bytes after it must be readable.
[[nodiscard, gnu::noinline]] inline Decimal read_decimal(char const* at) noexcept {
  Decimal number;
  number.negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  number.begin = at;
  std::uint64_t mantissa = 0;
  char const* const point = read_digits(at, mantissa);
  char const* const fraction = point + (*point == '.' ? 1 : 0);
  at = read_digits(fraction, mantissa);  // reads no digit if there is no point
  number.exponent = fraction - at;
  number.digits = static_cast<std::size_t>((point - number.begin) + (at - fraction));
  number.mantissa = mantissa;
  number.end = at;
  if (number.digits == 0) return number;
  if (*at == 'e' || *at == 'E') [[unlikely]] {
    ++at;
    bool const down = *at == '-';
    if (*at == '-' || *at == '+') ++at;
    number.end = at;
    if (!is_digit(*at)) return number;
    std::int64_t power = 0;
    for (; is_digit(*at); ++at) power = std::min<std::int64_t>(10 * power + (*at - '0'), 1'000'000'000'000);
    number.exponent += down ? -power : power;
    number.end = at;
  }
  number.valid = true;
  return number;
}

}  // namespace fltr::detail
