#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/core.h>

namespace fltr::examples {

std::string shortest(double value) {
  std::array<char, 32> buffer;
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

std::string abbreviated(double value) {
  if (!std::isfinite(value)) return "-";
  for (auto const& [unit, suffix] : {std::pair{1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}})
    if (value >= unit * 0.9995) return fmt::format("{:.3g}{}", value / unit, suffix);
  return fmt::format("{:.3g}", value);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  if (seconds < 0.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  auto const whole = static_cast<std::uint64_t>(std::min(std::round(seconds), 1e15));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split_text(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::size_t const cut = text.find(separator);
    parts.emplace_back(text.substr(0, cut));
    if (cut == std::string_view::npos) break;
    text.remove_prefix(cut + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

std::string join(std::vector<std::string> const& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

namespace {

/// The length of the well-formed UTF-8 character at the front, or 0.
std::size_t utf8_length(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  std::size_t const length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  if (length == 3) {
    unsigned const second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;  // too long; a surrogate
    if (first == 0xEF && second == 0xBF && byte(2) >= 0xBE) return 0;                    // U+FFFE, U+FFFF
  }
  if (length == 4 && ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))) return 0;
  return length;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t const length = utf8_length(text);
    char const c = text.front();
    if (length == 0 || (length == 1 && static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'))
      out += "\xEF\xBF\xBD";
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::size_t character_count(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened_path(std::string const& path, std::size_t width) {
  if (character_count(path) <= width) return path;
  std::size_t const last = path.find_last_of('/', path.find_last_not_of('/'));
  if (last == std::string::npos) return path;
  std::size_t cut = last;
  for (std::size_t at = last; at > 0 && at != std::string::npos; at = path.find_last_of('/', at - 1))
    if (character_count(path.substr(at)) + 3 <= width) cut = at;
  return "..." + path.substr(cut);
}

std::string without_library_names(std::string_view error) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  auto const is_name = [&](std::string_view word) {
    return !word.empty() && word.front() >= 'A' && word.front() <= 'Z' &&
           word.find_first_not_of(letters) == word.find("::") &&
           word.substr(std::min(word.find("::"), word.size())).find_first_not_of(std::string(letters) + ':') ==
               std::string_view::npos;
  };
  if (std::size_t const colon = error.find(": required "); colon != std::string_view::npos)
    if (is_name(error.substr(0, colon))) error.remove_prefix(colon + 2);
  std::string text(error);
  constexpr std::string_view see = " (see ";
  for (std::size_t at = text.find(see); at != std::string::npos; at = text.find(see, at + 1)) {
    std::size_t const end = text.find(')', at);
    if (end == std::string::npos) break;
    if (is_name(std::string_view(text).substr(at + see.size(), end - at - see.size()))) text.erase(at, end + 1 - at);
  }
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::string const& word : split_text(text, ' ')) {
    if (word.empty()) continue;
    if (lines.empty() || character_count(lines.back()) + 1 + character_count(word) > width)
      lines.push_back(word);
    else
      lines.back() += ' ' + word;
  }
  return lines;
}

}  // namespace fltr::examples
