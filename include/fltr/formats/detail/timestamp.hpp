#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// The digits text[at, at + count) as a number, or nothing.
[[nodiscard]] inline std::optional<std::int64_t> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  std::int64_t value = 0;
  for (char const c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

/// A time as a number that grows with it: `2006-03-01 07:17:12` (also with T for the space, and without the time of
/// day), or an integer such as seconds since 1970. Nothing for any other text. The day of a month is not checked
/// against its length.
[[nodiscard]] inline std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  if (text.size() < 10 || text[4] != '-') {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  auto const year = digits_at(text, 0, 4);
  auto const month = digits_at(text, 5, 2);
  auto const day = digits_at(text, 8, 2);
  if (!year || !month || !day || text[7] != '-' || *month < 1 || *month > 12 || *day < 1 || *day > 31)
    return std::nullopt;
  std::int64_t const days = (*year * 12 + *month) * 31 + *day;  // the order of days is all that is needed
  if (text.size() == 10) return days * 86'400;
  auto const hour = digits_at(text, 11, 2);
  auto const minute = digits_at(text, 14, 2);
  auto const second = digits_at(text, 17, 2);
  if (text.size() != 19 || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' || text[16] != ':') return {};
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return ((days * 24 + *hour) * 60 + *minute) * 60 + *second;
}

}  // namespace fltr::detail
