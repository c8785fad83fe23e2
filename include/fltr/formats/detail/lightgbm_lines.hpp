#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/detail/line_reader.hpp>

namespace fltr::detail {

/// The lines `key=value` of a LightGBM text model, in blocks, and the numbers in the values. Throws ParseError with
/// line and column.
class LightGbmLines {
 public:
  /// The text behind a key, with its line and column.
  struct Value {
    std::string_view text;
    std::size_t line = 0;
    std::size_t column = 0;
  };
  using Block = std::map<std::string_view, Value, std::less<>>;

  /// `file` names the text in errors.
  LightGbmLines(std::string_view text, std::string file) : lines_(text), file_(std::move(file)) {}

  /// The current line, its number and its offset, see LineReader.
  [[nodiscard]] std::string_view line() const noexcept { return lines_.line(); }
  [[nodiscard]] std::size_t number() const noexcept { return lines_.number(); }
  [[nodiscard]] std::size_t offset() const noexcept { return lines_.offset(); }

  /// Goes to the next line. Returns false after the last line.
  bool next_line() noexcept { return lines_.next(); }

  /// Goes to the next line that is not empty, unless the current line is not empty.
  void skip_empty() noexcept {
    while (line().empty() && next_line()) {
    }
  }

  /// Adds the current line to a block. `known` holds all valid keys, each between blanks.
  void add_to(Block& block, std::string_view known) const {
    std::string_view const text = line();
    std::size_t const equals = text.find('=');
    auto const key = text.substr(0, equals);
    std::string const between = ' ' + std::string(key) + ' ';
    if (key.empty() || key.find(' ') != std::string_view::npos || known.find(between) == std::string_view::npos)
      fail(number(), 1, "expected a line of a LightGBM model, got '" + std::string(key.substr(0, 40)) + "'");
    auto const control = std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (control != text.end())
      fail(number(), static_cast<std::size_t>(control - text.begin()) + 1, "expected no control character");
    std::size_t const from = equals == std::string_view::npos ? text.size() : equals + 1;
    if (!block.try_emplace(key, Value{text.substr(from), number(), from + 1}).second)
      fail(number(), 1, "expected '" + std::string(key) + "' once");
  }

  /// The value of a key that must be in the block. `line` is the first line of the block.
  [[nodiscard]] Value value(Block const& block, std::string_view key, std::size_t line) const {
    auto const found = block.find(key);
    if (found == block.end()) fail(line, 1, "expected '" + std::string(key) + "' in the block that begins here");
    return found->second;
  }

  /// The numbers of a line, separated by blanks, none below `least`.
  template <class T>
  [[nodiscard]] std::vector<T> numbers(Value const& from, T least) const {
    std::vector<T> out;
    char const* const begin = from.text.data();
    char const* const end = begin + from.text.size();
    for (char const* at = begin; at != end;) {
      if (*at == ' ') {
        ++at;
        continue;
      }
      T& number = out.emplace_back();
      auto const [stop, error] = std::from_chars(at, end, number);
      bool fits = error == std::errc{} && (stop == end || *stop == ' ') && number >= least;  // false for NaN
      if constexpr (std::floating_point<T>) fits = fits && std::isfinite(number);
      if (!fits)
        fail(from.line, from.column + static_cast<std::size_t>(at - begin),
             std::floating_point<T> ? "expected a finite number" : "expected an integer in range");
      at = stop;
    }
    return out;
  }
  /// The number of a line with a single number.
  template <class T>
  [[nodiscard]] T number(Value const& from, T least) const {
    auto const all = numbers<T>(from, least);
    if (all.size() != 1) fail(from, "expected one number, got " + std::to_string(all.size()));
    return all.front();
  }
  /// The `size` numbers of a line.
  template <class T>
  [[nodiscard]] std::vector<T> numbers(Value const& from, T least, std::size_t size) const {
    auto out = numbers<T>(from, least);
    if (out.size() != size)
      fail(from, "expected " + std::to_string(size) + " numbers, got " + std::to_string(out.size()));
    return out;
  }
  /// The `size` words of a line, separated by blanks.
  [[nodiscard]] std::vector<std::string> words(Value const& from, std::size_t size) const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < from.text.size();) {
      std::size_t const end = std::min(from.text.find(' ', at), from.text.size());
      if (end > at) out.emplace_back(from.text.substr(at, end - at));
      at = end + 1;
    }
    if (out.size() != size)
      fail(from, "expected " + std::to_string(size) + " words, got " + std::to_string(out.size()));
    return out;
  }

  [[noreturn]] void fail(Value const& at, std::string const& expected) const { fail(at.line, at.column, expected); }
  [[noreturn]] void fail(std::size_t line, std::size_t column, std::string const& expected) const {
    throw ParseError(file_, line, column, expected);
  }

 private:
  LineReader lines_;
  std::string file_;
};

}  // namespace fltr::detail
