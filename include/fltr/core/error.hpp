#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <fltr/core/number_text.hpp>

namespace fltr {

/// A text file with a syntax error. The message is "<file>:<line>:<column>: <expected>".
class ParseError : public std::runtime_error {
 public:
  ParseError(std::string_view file, std::size_t line, std::size_t column, std::string_view expected)
      : std::runtime_error(std::string(file) + ':' + std::to_string(line) + ':' + std::to_string(column) + ": " +
                           std::string(expected)),
        line_(line),
        column_(column) {}

  /// Counted from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// Counted from 1, in bytes.
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

/// A binary file or message that is damaged, has another format or another version.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A round whose result is NaN or infinite. The round has no effect on the ranker and on the state of the server.
class NotFiniteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked to stop (see Interruptible). The work that was stopped has no effect.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted: the caller asked to stop") {}
  using std::runtime_error::runtime_error;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_invalid_argument(std::string_view who, std::string_view what,
                                                                          std::string_view got) {
  std::string text(who);
  text.append(": required ").append(what).append(", got ").append(got);
  throw std::invalid_argument(text);
}

}  // namespace detail

/// Throws std::invalid_argument("<who>: required <what>, got <got>"). `got` is a number (see number_text) or a string.
template <class T>
[[noreturn, gnu::cold]] void throw_requirement(std::string_view who, std::string_view what, T const& got) {
  static_assert(std::is_arithmetic_v<T> || std::convertible_to<T const&, std::string_view>,
                "fltr: require and throw_requirement print numbers and strings only: convert other values to a string");
  if constexpr (std::is_arithmetic_v<T>)
    detail::throw_invalid_argument(who, what, number_text(got));
  else
    detail::throw_invalid_argument(who, what, got);
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
