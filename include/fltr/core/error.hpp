#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fltr {

/// A text file that does not say what it should: where, and what was expected there.
class ParseError : public std::runtime_error {
 public:
  ParseError(std::string_view file, std::size_t line, std::size_t column, std::string_view expected)
      : std::runtime_error(std::string(file) + ':' + std::to_string(line) + ':' + std::to_string(column) + ": " +
                           std::string(expected)),
        line_(line),
        column_(column) {}

  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

/// A file or a byte message that is damaged, foreign, or of another version.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
[[noreturn, gnu::cold]] void throw_requirement(std::string_view who, std::string_view what, T const& got) {
  std::ostringstream text;
  text << who << ": required " << what << ", got " << got;
  throw std::invalid_argument(text.str());
}

/// Throws std::invalid_argument("<who>: required <what>, got <got>") unless `holds`. Write conditions so that NaN fails
/// them: `x > 0`, not `!(x <= 0)`.
template <class T>
void require(bool holds, std::string_view who, std::string_view what, T const& got) {
  if (!holds) [[unlikely]]
    throw_requirement(who, what, got);
}

/// Requires every value to be a probability: in [0, 1], and not NaN.
inline void require_probabilities(std::string_view who, std::string_view what, std::span<double const> values) {
  for (double const p : values) require(p >= 0.0 && p <= 1.0, who, what, p);
}

}  // namespace fltr
