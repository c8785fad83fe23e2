#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/row.hpp"

/// bench.json: a JSON list of objects with the keys `name`, `baseline`, `ratio` and `median_ns`, in this order. The
/// reader accepts exactly this form of JSON, so that benchmarks need no JSON library.
namespace fltr::benchmarks {

namespace detail {

inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    char escaped[8];
    if (c == '"' || c == '\\')
      out.append("\\").append(1, c);
    else if (static_cast<unsigned char>(c) < 0x20)
      out.append(escaped, static_cast<std::size_t>(std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(c))));
    else
      out += c;
  }
  return out + '"';
}

inline std::string number(double value) {
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

class BenchFileReader {
 public:
  BenchFileReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  [[nodiscard]] std::vector<Row> read() {
    std::vector<Row> rows;
    expect('[');
    if (next() != ']') {
      do {
        rows.push_back(row());
        if (std::ranges::count(rows, rows.back().name, &Row::name) > 1)
          throw std::runtime_error(name_ + ": expected each name once, got " + rows.back().name + " twice");
      } while (accept(','));
    }
    expect(']');
    if (next() != '\0') fail("the end of the file");
    return rows;
  }

 private:
  [[nodiscard]] Row row() {
    Row row;
    expect('{');
    key("name");
    row.name = string();
    expect(',');
    key("baseline");
    row.baseline = string();
    expect(',');
    key("ratio");
    row.ratio = time();
    expect(',');
    key("median_ns");
    row.median_ns = time();
    expect('}');
    return row;
  }

  void key(std::string const& wanted) {
    next();
    std::size_t const at = at_;
    if (next() != '"' || string() != wanted) {
      at_ = at;
      fail("the key \"" + wanted + "\"");
    }
    expect(':');
  }
  [[nodiscard]] std::string string() {
    expect('"');
    std::string out;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) fail("no control character in a string");
      out += text_[at_] == '\\' ? escaped() : text_[at_];
    }
    if (at_ == text_.size()) fail("a closing '\"'");
    ++at_;
    return out;
  }
  [[nodiscard]] char escaped() {
    char const c = ++at_ < text_.size() ? text_[at_] : '\0';
    if (c == '"' || c == '\\') return c;
    unsigned code = 0;
    if (c == 'u' && text_.size() - at_ > 4) {
      auto const* const digits = text_.data() + at_ + 1;
      if (std::from_chars(digits, digits + 4, code, 16).ptr == digits + 4 && code < 0x20) {
        at_ += 4;
        return static_cast<char>(code);
      }
    }
    fail(R"(one of the escapes \", \\ and \u0000 to \u001f)");
  }
  [[nodiscard]] double time() {
    next();
    double value = 0.0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value) || !(value > 0.0)) fail("a positive number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  /// Skips white space and returns the next character, or '\0' at the end.
  char next() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
  }
  [[noreturn]] void fail(std::string const& wanted) const {
    throw std::runtime_error(name_ + ": byte " + std::to_string(at_ + 1) + ": expected " + wanted +
                             ", as in a file that the target bench writes");
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace detail

[[nodiscard]] inline std::string bench_text(std::span<Row const> rows) {
  std::string text = "[";
  for (Row const& row : rows) {
    text.append(&row == rows.data() ? "\n" : ",\n").append("  {\"name\": ").append(detail::quoted(row.name));
    text.append(", \"baseline\": ").append(detail::quoted(row.baseline));
    text.append(", \"ratio\": ").append(detail::number(row.ratio));
    text.append(", \"median_ns\": ").append(detail::number(row.median_ns)).append("}");
  }
  return text + "\n]\n";
}

/// Throws std::runtime_error, with the name and the position, for a text of another form.
[[nodiscard]] inline std::vector<Row> parse_bench(std::string_view text, std::string name) {
  return detail::BenchFileReader(text, std::move(name)).read();
}

inline void write_bench(std::string const& path, std::span<Row const> rows) {
  std::ofstream file(path, std::ios::binary);
  file << bench_text(rows) << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path);
}

[[nodiscard]] inline std::vector<Row> read_bench(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read " + path);
  return parse_bench(text, path);
}

}  // namespace fltr::benchmarks
