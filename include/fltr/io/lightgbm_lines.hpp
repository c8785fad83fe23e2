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

namespace fltr {

/// The lines `key=value` of a LightGBM text model, in blocks, and the numbers in them. Whatever does not fit is a
/// ParseError with line and column.
class LightGbmLines {
 public:
  /// What stands behind a key, and where.
  struct Value {
    std::string_view text;
    std::size_t line = 0;
    std::size_t column = 0;
  };
  using Block = std::map<std::string_view, Value, std::less<>>;

  /// `file` names the text in errors.
  LightGbmLines(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}
  template <std::same_as<std::string> Text>
  LightGbmLines(Text&&, std::string) = delete;  // it would refer to a temporary text

  [[nodiscard]] std::string_view line() const noexcept { return line_; }  ///< the current one; empty behind the last
  [[nodiscard]] std::size_t number() const noexcept { return number_; }   ///< of it, from 1
  [[nodiscard]] std::size_t offset() const noexcept { return start_; }    ///< of it, in bytes from the start

  /// Goes to the next line. False behind the last.
  bool next_line() {
    line_ = {};
    start_ = next_;
    if (next_ >= text_.size()) return false;
    std::size_t const end = std::min(text_.find('\n', next_), text_.size());
    line_ = text_.substr(next_, end - next_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    next_ = end + 1;
    ++number_;
    return true;
  }

  /// Goes on to the next line that is not empty.
  void skip_empty() {
    while (line_.empty() && next_line()) {
    }
  }

  /// Adds the current line to a block. `known` has all keys that may be there, each between blanks.
  void add_to(Block& block, std::string_view known) const {
    std::size_t const equals = line_.find('=');
    auto const key = line_.substr(0, equals);
    std::string const between = ' ' + std::string(key) + ' ';
    if (key.empty() || key.find(' ') != std::string_view::npos || known.find(between) == std::string_view::npos)
      fail(number_, 1, "expected a line of a LightGBM model, got '" + std::string(key.substr(0, 40)) + "'");
    auto const control = std::ranges::find_if(line_, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (control != line_.end())
      fail(number_, static_cast<std::size_t>(control - line_.begin()) + 1, "expected no control character");
    std::size_t const from = equals == std::string_view::npos ? line_.size() : equals + 1;
    if (!block.try_emplace(key, Value{line_.substr(from), number_, from + 1}).second)
      fail(number_, 1, "expected '" + std::string(key) + "' once");
  }

  /// A value that must be there; `line` is where the block began.
  [[nodiscard]] Value value(Block const& block, std::string_view key, std::size_t line) const {
    auto const found = block.find(key);
    if (found == block.end()) fail(line, 1, "expected '" + std::string(key) + "' in what begins here");
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
      bool fits = error == std::errc{} && (stop == end || *stop == ' ') && number >= least;  // NaN is not
      if constexpr (std::floating_point<T>) fits = fits && std::isfinite(number);
      if (!fits)
        fail(from.line, from.column + static_cast<std::size_t>(at - begin),
             std::floating_point<T> ? "expected a finite number" : "expected an integer in range");
      at = stop;
    }
    return out;
  }
  /// The only number of a line.
  template <class T>
  [[nodiscard]] T number(Value const& from, T least) const {
    auto const all = numbers<T>(from, least);
    if (all.size() != 1) fail(from, "expected one number, got " + std::to_string(all.size()));
    return all.front();
  }
  /// As many numbers as expected.
  template <class T>
  [[nodiscard]] std::vector<T> numbers(Value const& from, T least, std::size_t size) const {
    auto out = numbers<T>(from, least);
    if (out.size() != size)
      fail(from, "expected " + std::to_string(size) + " numbers, got " + std::to_string(out.size()));
    return out;
  }
  /// The words of a line, separated by blanks.
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
  std::string_view text_;
  std::string file_;
  std::string_view line_;
  std::size_t number_ = 0;
  std::size_t start_ = 0;
  std::size_t next_ = 0;
};

}  // namespace fltr
